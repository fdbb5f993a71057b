import torch

x = torch.ones(1 << 20, device="cuda")
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
    for _ in range(3):
        x.mul_(2)
    torch.cuda.synchronize()
print(sum(event.count for event in profile.key_averages() if event.device_time_total > 0) > 0)
