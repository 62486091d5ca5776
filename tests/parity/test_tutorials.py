"""What tutorials do, written for PyTorch: the losses are the same under both libraries."""

import copy
import io
import math

import numpy as np
import pytest

theirs = pytest.importorskip("torch")

import tapegrad.torch as ours  # noqa: E402


def numbers(torch, *shape, seed=0):
    """Normal numbers, the same for both."""
    drawn = np.random.default_rng(seed).normal(size=shape)
    return torch.from_numpy(drawn.astype(np.float32))


def whole(torch, high, *shape, seed=0):
    """Whole numbers below one, the same for both."""
    return torch.from_numpy(np.random.default_rng(seed).integers(0, high, shape))


def begun(torch, module, seed=0):
    """A module with parameters that are the same for both."""
    random = np.random.default_rng(seed)
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.from_numpy(random.normal(size=tuple(p.shape)) * 0.3))
    return module


def classification(torch):
    nn, data = torch.nn, torch.utils.data

    class Points(data.Dataset):
        def __init__(self):
            self.x = numbers(torch, 50, 5)

        def __len__(self):
            return len(self.x)

        def __getitem__(self, i):
            return self.x[i], (self.x[i].sum() > 0).long()

    net = nn.Sequential(
        nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(inplace=True), nn.Dropout(0.0), nn.Linear(8, 2)
    )
    begun(torch, net)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=15)
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.1)
    for _ in range(3):
        right = 0
        for x, y in data.DataLoader(Points(), batch_size=12):
            scores = net(x)
            loss = loss_of(scores, y)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            yield nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            right += (scores.argmax(dim=1) == y).sum().item()
            yield loss
        yield right


def gradient_penalty(torch):
    nn = torch.nn
    critic = begun(torch, nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1)))
    optimizer = torch.optim.RMSprop(critic.parameters(), lr=1e-3)
    for i in range(5):
        real, fake = (numbers(torch, 8, 2, seed=s) for s in (i, i + 50))
        share = torch.linspace(0, 1, 8).unsqueeze(1)
        mixed = (share * real + (1 - share) * fake).requires_grad_(True)
        scores = critic(mixed)
        (slope,) = torch.autograd.grad(
            scores, mixed, grad_outputs=torch.ones_like(scores), create_graph=True
        )
        penalty = ((slope.norm(2, dim=1) - 1) ** 2).mean()
        loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss
        yield penalty


def autoencoder(torch):
    nn, D = torch.nn, torch.distributions

    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Linear(10, 16), nn.SiLU())
            self.heads = nn.ModuleDict({"mean": nn.Linear(16, 3), "log": nn.Linear(16, 3)})
            self.decoder = nn.Sequential(nn.Linear(3, 16), nn.SiLU(), nn.Linear(16, 10))

        def forward(self, x, noise):
            h = self.encoder(x)
            q = D.Normal(self.heads["mean"](h), torch.exp(0.5 * self.heads["log"](h)))
            return self.decoder(q.mean + noise * q.stddev), q

    vae = begun(torch, VAE())
    optimizer = torch.optim.Adam(vae.parameters(), lr=1e-2)
    x = torch.sigmoid(numbers(torch, 32, 10))
    for i in range(5):
        logits, q = vae(x, numbers(torch, 32, 3, seed=i))
        error = nn.BCEWithLogitsLoss(reduction="none")(logits, x).sum(-1)
        loss = (error + D.kl_divergence(q, D.Normal(0.0, 1.0)).sum(-1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


def characters(torch):
    nn = torch.nn
    text = "hello world, hello tape"
    letters = sorted(set(text))
    ids = torch.tensor([letters.index(c) for c in text])

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(len(letters), 8)
            self.lstm = nn.LSTM(8, 12, num_layers=2, batch_first=True)
            self.out = nn.Linear(12, len(letters))

        def forward(self, x, state=None):
            y, state = self.lstm(self.table(x), state)
            return self.out(y), state

    net = begun(torch, Net())
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    state = None
    for _ in range(4):
        scores, state = net(ids[None, :-1], state)
        state = tuple(s.detach() for s in state)
        loss = nn.functional.cross_entropy(scores.view(-1, len(letters)), ids[1:])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_value_(net.parameters(), 0.5)
        optimizer.step()
        yield loss
    with torch.no_grad():
        x, state = ids[:1].view(1, 1), None
        for _ in range(8):
            scores, state = net(x, state)
            x = torch.topk(scores[0, -1].softmax(-1), 1).indices.view(1, 1)
            yield x


def translation(torch):
    nn = torch.nn
    rnn = nn.utils.rnn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(12, 8, padding_idx=0)
            self.gru = nn.GRU(8, 8, batch_first=True, bidirectional=True)

        def forward(self, x, lengths):
            packed = rnn.pack_padded_sequence(
                self.table(x), lengths, batch_first=True, enforce_sorted=False
            )
            out, last = self.gru(packed)
            out, _ = rnn.pad_packed_sequence(out, batch_first=True)
            return out, torch.cat([last[0], last[1]], dim=-1)

    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Embedding(12, 8)
            self.cell = nn.GRUCell(24, 16)
            self.out = nn.Linear(16, 12)

        def forward(self, y, h, seen, mask):
            scores = torch.bmm(seen, h.unsqueeze(2)).squeeze(2)
            share = scores.masked_fill(~mask, float("-inf")).softmax(1)
            context = torch.einsum("bt,bth->bh", share, seen)
            h = self.cell(torch.cat((self.table(y), context), 1), h)
            return self.out(h), h

    encoder, decoder = begun(torch, Encoder(), 3), begun(torch, Decoder(), 4)
    optimizer = torch.optim.Adagrad([*encoder.parameters(), *decoder.parameters()], lr=0.05)
    x = torch.tensor([[1, 2, 3, 4], [5, 6, 0, 0], [7, 8, 9, 0]])
    lengths = torch.tensor([4, 2, 3])
    target = torch.tensor([[4, 3, 2], [6, 5, 0], [9, 8, 7]])
    mask = torch.arange(4)[None, :] < lengths[:, None]
    for epoch in range(4):
        seen, h = encoder(x, lengths)
        y, loss = torch.ones(3, dtype=torch.long), 0
        for t in range(3):
            scores, h = decoder(y, h, seen, mask)
            loss += nn.functional.cross_entropy(scores, target[:, t], ignore_index=0)
            y = target[:, t] if epoch % 2 else scores.argmax(1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


def language_model(torch):
    nn = torch.nn

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(11, 16)
            self.places = nn.Embedding(8, 16)
            layer = nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
            self.body = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
            self.out = nn.Linear(16, 11, bias=False)
            self.out.weight = self.words.weight

        def forward(self, x):
            n = x.size(1)
            mask = nn.Transformer.generate_square_subsequent_mask(n)
            return self.out(self.body(self.words(x) + self.places(torch.arange(n)), mask=mask))

    model = begun(torch, Model())
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    others = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
        lr=1e-2,
        betas=(0.9, 0.95),
    )
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1, (s + 1) / 3))
    for i in range(4):
        ids = whole(torch, 11, 4, 9, seed=i)
        for part in range(2):  # micro-batches
            rows = ids[2 * part : 2 * part + 2]
            scores = model(rows[:, :-1])
            loss = nn.functional.cross_entropy(scores.transpose(1, 2), rows[:, 1:]) / 2
            loss.backward()
        yield nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad(set_to_none=True)
        yield loss


def word_vectors(torch):
    nn = torch.nn
    functional = nn.functional
    centres, contexts = (nn.Embedding(20, 6, sparse=True) for _ in range(2))
    begun(torch, centres, 1)
    begun(torch, contexts, 2)
    optimizer = torch.optim.SparseAdam([*centres.parameters(), *contexts.parameters()], lr=0.05)
    for i in range(6):
        centre, context = (whole(torch, 20, 8, seed=s) for s in (i, i + 40))
        v = centres(centre)
        near = functional.logsigmoid((v * contexts(context)).sum(-1))
        far = functional.logsigmoid(
            -(contexts(whole(torch, 20, 8, 3, seed=i + 80)) @ v.unsqueeze(-1))
        )
        loss = -(near + far.squeeze(-1).sum(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss
    yield functional.cosine_similarity(centres.weight[:1], centres.weight).sort().values[-2]


def policy(torch):
    nn = torch.nn
    net = begun(torch, nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3)))
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-2)
    for episode in range(4):
        steps = []
        for t in range(6):
            choice = torch.distributions.Categorical(logits=net(numbers(torch, 4, seed=9 * t)))
            action = torch.tensor((episode + t) % 3)
            steps.append((choice.log_prob(action), choice.entropy(), float(t % 3)))
        gains, gain = [], 0.0
        for _, _, reward in reversed(steps):
            gain = reward + 0.9 * gain
            gains.insert(0, gain)
        gains = torch.tensor(gains)
        gains = (gains - gains.mean()) / (gains.std() + 1e-6)
        losses = [-p * g - 0.01 * h for (p, h, _), g in zip(steps, gains, strict=True)]
        loss = torch.stack(losses).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


def flow(torch):
    nn, D = torch.nn, torch.distributions
    masks = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    nets = nn.ModuleList(nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 4)) for _ in masks)
    begun(torch, nets)
    base = D.MultivariateNormal(torch.zeros(2), torch.eye(2))
    optimizer = torch.optim.NAdam(nets.parameters(), lr=1e-2)
    x = numbers(torch, 32, 2) * 0.5 + 1
    for _ in range(5):
        z, volume = x, x.new_zeros(len(x))
        for mask, net in zip(masks, nets, strict=True):
            kept = mask * z
            scale, shift = net(kept).chunk(2, dim=-1)
            scale = scale.tanh() * (1 - mask)
            z = (1 - mask) * (z - shift) * torch.exp(-scale) + kept
            volume = volume - scale.sum(1)
        loss = -(base.log_prob(z) + volume).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss


def meta_learning(torch):
    nn, func = torch.nn, torch.func
    net = begun(torch, nn.Sequential(nn.Linear(1, 10), nn.ReLU(), nn.Linear(10, 1)))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    x = torch.linspace(-3, 3, 10)[:, None]
    for step in range(4):
        total = 0.0
        for task in range(3):
            y = (task + 1) * torch.sin(x + step)
            fast = dict(net.named_parameters())
            for _ in range(2):
                loss = ((func.functional_call(net, fast, (x,)) - y) ** 2).mean()
                slopes = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
                fast = {n: p - 0.01 * g for (n, p), g in zip(fast.items(), slopes, strict=True)}
            total = total + ((func.functional_call(net, fast, (x,)) - y) ** 2).mean()
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        yield total
    frozen = {n: p.detach() for n, p in net.named_parameters()}

    def one(params, a, b):
        return ((func.functional_call(net, params, (a[None],)) - b[None]) ** 2).mean()

    for each in func.vmap(func.grad(one), in_dims=(None, 0, 0))(frozen, x, x).values():
        yield each.norm()


def averages(torch):
    nn, swa = torch.nn, torch.optim.swa_utils
    net = begun(
        torch, nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Mish(), nn.Linear(8, 1))
    )
    mean = swa.AveragedModel(net)
    moving = swa.AveragedModel(net, multi_avg_fn=swa.get_ema_multi_avg_fn(0.9))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    plateau = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, factor=0.5)
    x, y = numbers(torch, 40, 4), numbers(torch, 40, 1, seed=7)
    best, kept = math.inf, None
    for _ in range(8):
        loss = nn.functional.huber_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        mean.update_parameters(net)
        moving.update_parameters(net)
        plateau.step(loss.item())
        if loss.item() < best:
            best, kept = loss.item(), copy.deepcopy(net.state_dict())
        yield loss
        yield optimizer.param_groups[0]["lr"]
    net.load_state_dict(kept)
    swa.update_bn([x], mean)
    for model in (net, mean, moving):
        yield model.eval()(x).square().mean()


def resumed(torch):
    nn = torch.nn

    def made():
        net = nn.Sequential(nn.Conv1d(2, 4, 3), nn.GroupNorm(2, 4), nn.Flatten(), nn.LazyLinear(3))
        net(numbers(torch, 1, 2, 8))
        return net, torch.optim.Adam(net.parameters(), lr=1e-2)

    def steps(net, optimizer):
        for i in range(3):
            loss = net(numbers(torch, 4, 2, 8, seed=i)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            yield loss

    net, optimizer = made()
    begun(torch, net)
    yield from steps(net, optimizer)
    file = io.BytesIO()
    torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, file)
    file.seek(0)
    saved = torch.load(file, weights_only=True)
    net, optimizer = made()
    net.load_state_dict(saved["net"])
    optimizer.load_state_dict(saved["optimizer"])
    yield from steps(net, optimizer)


TUTORIALS = [
    *(classification, gradient_penalty, autoencoder, characters, translation, language_model),
    *(word_vectors, policy, flow, meta_learning, averages, resumed),
]


@pytest.mark.parametrize("program", TUTORIALS)
def test_tutorials(program):
    right, mine = (
        [x.item() if hasattr(x, "item") else x for x in program(torch)] for torch in (theirs, ours)
    )
    np.testing.assert_allclose(mine, right, rtol=2e-4, atol=1e-6)
