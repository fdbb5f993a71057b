# expect: none
"""Delayed policy updates: one graph for each value of the flag; the host picks."""
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 24), nn.ReLU(), nn.Linear(24, o))


class TD3:
    def __init__(self, policy_noise=0.2, noise_clip=0.5, policy_delay=2):
        self.pi, self.q = mlp(4, 2).cuda(), mlp(6, 1).cuda()
        self.pi_t, self.q_t = copy.deepcopy(self.pi).requires_grad_(False), copy.deepcopy(self.q).requires_grad_(False)
        self.opt_pi = torch.optim.Adam(self.pi.parameters(), 1e-3, capturable=True)
        self.opt_q = torch.optim.Adam(self.q.parameters(), 1e-3, capturable=True)
        self.policy_noise, self.noise_clip, self.policy_delay = policy_noise, noise_clip, policy_delay
        self.buf = {k: torch.zeros(16, n, device="cuda") for k, n in dict(s=4, a=2, r=1, n=4).items()}
        self.total_it = 0
        self.graphs = {}
        self.loss = {"q": torch.zeros((), device="cuda"), "pi": torch.zeros((), device="cuda")}

    def train(self, update_policy: bool):
        b = self.buf
        with torch.no_grad():
            noise = (torch.randn_like(b["a"]) * self.policy_noise).clamp(-self.noise_clip, self.noise_clip)
            na = (self.pi_t(b["n"]).tanh() + noise).clamp(-1, 1)
            y = b["r"] + 0.98 * self.q_t(torch.cat([b["n"], na], 1))
        lq = F.mse_loss(self.q(torch.cat([b["s"], b["a"]], 1)), y)
        self.opt_q.zero_grad(set_to_none=True)
        lq.backward()
        self.opt_q.step()
        self.loss["q"].copy_(lq.detach())
        if update_policy:
            lpi = -self.q(torch.cat([b["s"], self.pi(b["s"]).tanh()], 1)).mean()
            self.opt_pi.zero_grad(set_to_none=True)
            lpi.backward(inputs=list(self.pi.parameters()))
            self.opt_pi.step()
            self.loss["pi"].copy_(lpi.detach())
            with torch.no_grad():
                for t, p in zip([*self.pi_t.parameters(), *self.q_t.parameters()], [*self.pi.parameters(), *self.q.parameters()]):
                    t.lerp_(p, 0.01)

    def step(self, batch):
        for k, v in batch.items():
            self.buf[k].copy_(v)
        self.total_it += 1
        flag = self.total_it % self.policy_delay == 0
        if self.total_it <= 6:
            s = torch.cuda.Stream()
            s.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(s):
                self.train(flag)
            torch.cuda.current_stream().wait_stream(s)
            return
        if flag not in self.graphs:
            g = self.graphs[flag] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(g):
                self.train(flag)
        self.graphs[flag].replay()


torch.manual_seed(0)
agent = TD3()
for it in range(14):
    s = torch.randn(16, 4)
    a = torch.rand(16, 2) * 2 - 1
    agent.step(dict(s=s, a=a, r=-(a - s[:, :2]).square().sum(1, keepdim=True), n=s + 0.1 * torch.randn(16, 4)))
    if it % 4 == 3:
        print(it, {k: round(v.item(), 4) for k, v in agent.loss.items()})
