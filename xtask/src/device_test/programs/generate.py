import torch
import transformers

torch.manual_seed(0)
config = transformers.GPT2Config(vocab_size=1000, n_positions=64, n_embd=64, n_layer=2, n_head=4)
model = transformers.GPT2LMHeadModel(config).cuda().eval()
tokens = torch.randint(1000, (1, 64), device="cuda")
length = torch.tensor([8], device="cuda")


@torch.no_grad()
def step():
    logits = model(input_ids=tokens, use_cache=False).logits
    token = logits[0].index_select(0, length - 1).argmax(-1)
    tokens[0].index_copy_(0, length, token)
    length.add_(1)
    return token


side, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
torch.cuda.current_stream().wait_stream(side)
with torch.cuda.graph(graph):
    token = step()
for _ in range(20):
    graph.replay()
print(length.item())
