"""Interrupt a long run with Ctrl-C, and go on later as if nothing had happened.

The run ends its step, saves all that the rest depends on (weights, the optimiser's and the
schedule's state, the random numbers' state, how far it is) and stops. Started again, it goes on
from there; its end is the same, bit by bit, as that of a run without interruption.
"""

import argparse
import os
import signal

from plot import save_losses
from tqdm import tqdm

import tapegrad as tg
import tapegrad.torch as torch
from tapegrad.data import DataLoader, TensorDataset
from tapegrad.vision import load_small_digits

nn = torch.nn

BATCH = 32


class Run:
    """A network in training, as a whole: what `state` gives, `load_state` goes on from."""

    def __init__(self, epochs, seed):
        torch.manual_seed(seed)
        self.model = nn.Sequential(
            nn.Linear(64, 100), nn.ReLU(), nn.Dropout(0.2), nn.Linear(100, 10)
        )
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-3)
        self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, epochs)
        self.seed, self.epoch, self.step = seed, 0, 0
        self.losses = []

    def state(self):
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "schedule": self.schedule.state_dict(),
            "random": torch.get_rng_state(),
            "place": (self.seed, self.epoch, self.step),
            "losses": torch.tensor(self.losses),
        }

    def load_state(self, state):
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.schedule.load_state_dict(state["schedule"])
        torch.set_rng_state(state["random"])
        self.seed, self.epoch, self.step = state["place"]
        self.losses = state["losses"].tolist()

    def batches(self, data):
        """What is left of this epoch's batches, whose order depends on the epoch alone."""
        source = torch.Generator().manual_seed(self.seed + self.epoch)
        order = torch.randperm(len(data), generator=source)
        left = order[self.step * BATCH :].tolist()
        return DataLoader(data, BATCH, sampler=left, generator=source)

    def learn(self, images, labels):
        """One step."""
        self.optimizer.zero_grad()
        loss = nn.functional.cross_entropy(self.model(images), labels)
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss.item())
        self.step += 1

    def end_epoch(self):
        self.schedule.step()
        self.epoch, self.step = self.epoch + 1, 0


class Interruption:
    """Notes Ctrl-C instead of raising it anywhere; a second one raises it."""

    def __enter__(self):
        self.came = False
        self.before = signal.signal(signal.SIGINT, self.note)
        return self

    def note(self, *_):
        self.came = True
        signal.signal(signal.SIGINT, self.before)

    def __exit__(self, *_):
        signal.signal(signal.SIGINT, self.before)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--checkpoint", metavar="FILE", default="run.safetensors")
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", metavar="FILE", default="run.png")
    options = parser.parse_args(arguments)

    digits = load_small_digits()
    data = TensorDataset(digits.train_images.reshape(-1, 64), digits.train_labels)
    run = Run(options.epochs, options.seed)
    if os.path.exists(options.checkpoint):
        run.load_state(tg.load(options.checkpoint))
        print(f"goes on from {options.checkpoint}: epoch {run.epoch + 1}, step {run.step + 1}")

    steps = -(-len(data) // BATCH)
    done, total = run.epoch * steps + run.step, options.epochs * steps
    with Interruption() as interruption, tqdm(total=total, initial=done, unit="step") as bar:
        while run.epoch < options.epochs:
            for images, labels in run.batches(data):
                run.learn(images, labels)
                bar.update()
                if interruption.came:
                    break
            if run.step == steps:
                run.end_epoch()
            if interruption.came:
                break
            tg.save(run.state(), options.checkpoint)  # as a whole or not at all

    tg.save(run.state(), options.checkpoint)
    save_losses(options.picture, "The loss, by step", {"cross entropy": run.losses}, window=20)
    if interruption.came:
        print(f"stopped; start it again to go on from {options.checkpoint}")
        return 130  # as a program that Ctrl-C ends
    run.model.eval()
    with torch.no_grad():
        found = run.model(torch.tensor(digits.test_images.reshape(-1, 64))).argmax(1)
    right = (found == torch.tensor(digits.test_labels)).float().mean().item()
    print(f"{right:.2%} of the test digits are read right; {options.picture} shows the loss")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
