"""A small language model, one for any library with PyTorch's names."""


def language_model(torch, tokens=65, width=64, heads=4, length=32, blocks=2):
    """Blocks of causal attention and two layers, on tokens and their places."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
            self.parts, self.joint = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def attention(self, x):
            parts = self.parts(x).split(width, 2)
            q, k, v = (part.unflatten(2, (heads, -1)).transpose(1, 2) for part in parts)
            mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            return self.joint(mixed.transpose(1, 2).flatten(2))

        def forward(self, x):
            x = x + self.attention(self.before(x))
            return x + self.narrow(nn.functional.gelu(self.widen(self.between(x))))

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.token, self.place = nn.Embedding(tokens, width), nn.Embedding(length, width)
            self.blocks = nn.Sequential(*(Block() for _ in range(blocks)))
            self.last = nn.LayerNorm(width)
            self.scores = nn.Linear(width, tokens)

        def forward(self, index):
            x = self.token(index) + self.place(torch.arange(index.shape[1]))
            return self.scores(self.last(self.blocks(x)))

    return Model()
