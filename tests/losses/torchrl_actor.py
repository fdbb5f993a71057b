"""TorchRL: advantages are estimated, and PPO and DQN judge the same steps."""

import torch
from tensordict import TensorDict
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torch import nn
from torchrl.modules import ProbabilisticActor, QValueActor, TanhNormal, ValueOperator
from torchrl.objectives import ClipPPOLoss, DQNLoss
from torchrl.objectives.value import GAE
from ways import DEVICE, adamw, say

steps = TensorDict(
    {
        "observation": torch.randn(4, 10, 6),
        "action": torch.rand(4, 10, 2) - 0.5,
        "action_log_prob": torch.randn(4, 10) - 2,
        "next": {
            "observation": torch.randn(4, 10, 6),
            "reward": torch.randn(4, 10, 1),
            "done": torch.rand(4, 10, 1) < 0.1,
            "terminated": torch.zeros(4, 10, 1, dtype=torch.bool),
        },
    },
    [4, 10],
).to(DEVICE)
parts = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 4), NormalParamExtractor())
actor = ProbabilisticActor(
    TensorDictModule(parts, in_keys=["observation"], out_keys=["loc", "scale"]),
    in_keys=["loc", "scale"],
    distribution_class=TanhNormal,
    return_log_prob=True,
).to(DEVICE)
critic = ValueOperator(nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 1))).to(DEVICE)
advantage = GAE(gamma=0.99, lmbda=0.95, value_network=critic, average_gae=True)
# The entropy of this distribution is estimated from random numbers.
ppo = ClipPPOLoss(actor, critic, entropy_bonus=False)
optimizer = adamw(ppo.parameters())
for _ in range(4):
    advantage(steps)
    losses = ppo(steps)
    optimizer.zero_grad()
    (losses["loss_objective"] + losses["loss_critic"]).backward()
    optimizer.step()
    say(losses["loss_objective"], losses["loss_critic"])

values = QValueActor(nn.Linear(6, 3), in_keys=["observation"], action_space="categorical").to(
    DEVICE
)
dqn = DQNLoss(values, action_space="categorical", delay_value=True)
steps["action"] = torch.randint(0, 3, (4, 10)).to(DEVICE)
say(dqn(steps)["loss"])
