"""A method is captured and then replaced by one that replays; a number that it used changes."""

import types

import torch


class Policy:
    scale = 1.0

    def predict(self, x):
        return (x * self.scale).tanh()  # cgsan: CG205


def accelerate(policy, x):
    inputs = x.clone()
    policy.predict(inputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        outputs = policy.predict(inputs)

    def predict(self, x):
        inputs.copy_(x)
        graph.replay()  # cgsan: label
        return outputs.clone()

    policy.predict = types.MethodType(predict, policy)


policy = Policy()
x = torch.ones(4, device="cuda")
accelerate(policy, x)
for step in range(4):
    policy.scale = 1.0 + step
    eager = Policy.predict(policy, x)
    print("replay", policy.predict(x).tolist(), "eager", eager.tolist())
