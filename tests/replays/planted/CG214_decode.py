"""As `decode.py`, but the logits of a group are read only after the next group has had its turn."""

import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY, WIDTH, HEADS, LAYERS, LENGTH, REQUESTS = 64, 32, 4, 2, 16, 7


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(
            nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
        )
        # One row of keys and values for each request and position.
        cache = torch.zeros(2, REQUESTS * LENGTH, WIDTH)
        self.register_buffer("cache", cache, persistent=False)

    def forward(self, x, request, position):
        q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        row = request * LENGTH + position
        self.cache[0].index_copy_(0, row, k)
        self.cache[1].index_copy_(0, row, v)

        def heads(t):
            return t.view(len(x), -1, HEADS, WIDTH // HEADS).transpose(1, 2)

        keys, values = self.cache.view(2, REQUESTS, LENGTH, WIDTH).index_select(1, request)
        seen = torch.arange(LENGTH, device=x.device) <= position[:, None]
        attended = F.scaled_dot_product_attention(
            heads(q), heads(keys), heads(values), attn_mask=seen[:, None, None]
        )
        x = x + self.out(attended.transpose(1, 2).flatten(1))
        return x + self.mlp(self.norm2(x))


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.positions = nn.Embedding(LENGTH, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens, request, position):
        x = self.tokens(tokens) + self.positions(position)
        for layer in self.layers:
            x = layer(x, request, position)
        return self.head(x)


class Server:
    """Runs one step for a group of requests, from a graph if there is one for its size."""

    def __init__(self, model, sizes, captured):
        self.model = model
        self.tokens = torch.zeros(max(sizes), dtype=torch.long, device="cuda")
        self.request = torch.zeros(max(sizes), dtype=torch.long, device="cuda")
        self.position = torch.zeros(max(sizes), dtype=torch.long, device="cuda")
        self.next_tokens = torch.zeros(max(sizes), dtype=torch.long, device="cuda")
        self.graphs = {}
        if captured:
            # The largest first: the others fit into its memory.
            for size in sorted(sizes, reverse=True):
                self.graphs[size] = self.capture(size)

    def forward(self, size):
        logits = self.model(self.tokens[:size], self.request[:size], self.position[:size])
        self.next_tokens[:size].copy_(logits.argmax(-1))
        return logits

    def capture(self, size):
        self.request[:size].copy_(torch.arange(size))
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                self.forward(size)
        torch.cuda.current_stream().wait_stream(side)

        pool = next(iter(self.graphs.values()))[0].pool() if self.graphs else None
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            logits = self.forward(size)
        return graph, logits

    def step(self, tokens, requests, position):
        """The next tokens of a group of requests, and the logits of all tokens."""
        size = len(requests)
        self.tokens[:size].copy_(torch.tensor(tokens))
        self.request[:size].copy_(torch.tensor(requests))
        self.position[:size].fill_(position)
        if size in self.graphs:
            graph, logits = self.graphs[size]
            graph.replay()  # cgsan: CG214
        else:
            logits = self.forward(size)
        return self.next_tokens[:size].tolist(), logits


@torch.inference_mode()
def generate(captured):
    torch.manual_seed(0)
    model = Decoder().cuda().eval()
    # Which requests belong together, and the order in which the groups get their turns.
    groups = [[0, 1, 2, 3], [4], [5, 6]]
    turns = [1, 0, 2, 0, 1, 2, 0, 1, 2, 1, 0, 2]
    server = Server(model, [len(group) for group in groups], captured)

    written = {request: [request + 1] for group in groups for request in group}
    scores = dict.fromkeys(written, 0.0)
    previous = None

    def add_scores(requests, logits):
        best = logits.log_softmax(-1).amax(-1).tolist()
        for request, score in zip(requests, best, strict=True):
            scores[request] += score

    for turn in turns:
        requests = groups[turn]
        tokens = [written[request][-1] for request in requests]
        position = len(written[requests[0]]) - 1
        next_tokens, logits = server.step(tokens, requests, position)
        if previous is not None:
            add_scores(*previous)
        previous = requests, logits
        for request, token in zip(requests, next_tokens, strict=True):
            written[request].append(token)
    add_scores(*previous)
    return written, scores


def main():
    eager, eager_scores = generate(captured=False)
    captured, captured_scores = generate(captured=True)
    print("eager   ", eager)
    print("captured", captured)
    print("same tokens", eager == captured)
    print("max difference", max(abs(eager_scores[r] - captured_scores[r]) for r in eager))


if __name__ == "__main__":
    main()
