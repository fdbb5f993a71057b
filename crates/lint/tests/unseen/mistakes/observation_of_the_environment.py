import torch


class Actor:
    def __init__(self, policy, width):
        self.observation = torch.zeros(1, width, device="cuda")
        with torch.no_grad():
            policy(self.observation)
            torch.cuda.synchronize()
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.action = policy(self.observation)

    def act(self, sensors):
        self.observation = torch.as_tensor(sensors, device="cuda").unsqueeze(0)  # cgsan: CG203
        self.graph.replay()
        return self.action.cpu()


actor = Actor(torch.nn.Linear(12, 3).cuda(), 12)
for step in range(5):
    print(actor.act([float(step)] * 12))
