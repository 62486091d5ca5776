"""A network that learns to read digits. Neither library is imported here."""

import statistics


class Digits:
    """784-200-10, trained by gradient descent with momentum on images that are in memory."""

    def __init__(self, torch, images, labels):
        self.torch = torch
        self.images, self.labels = torch.tensor(images), torch.tensor(labels)
        torch.manual_seed(0)
        layers = torch.nn.Linear(784, 200), torch.nn.ReLU(), torch.nn.Linear(200, 10)
        self.model = torch.nn.Sequential(*layers)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)

    def epoch(self):
        for batch in self.torch.randperm(len(self.images)).split(100):
            scores = self.model(self.images[batch])
            loss = self.torch.nn.functional.cross_entropy(scores, self.labels[batch])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def misread(self, images, labels):
        """The share of images that the model misreads, in percent."""
        with self.torch.no_grad():
            found = self.model(self.torch.tensor(images)).argmax(dim=1)
        return 100 * statistics.mean((found.numpy() != labels).tolist())
