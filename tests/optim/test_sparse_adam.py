"""Tables whose gradient optimisers take by rows, with numbers that PyTorch 2.13 gave."""

import copy
import re

import pytest

import tapegrad.torch as torch
from tapegrad import nn, optim


def table(**options):
    embedding = nn.Embedding(4, 2, **options)
    with torch.no_grad():
        embedding.weight.copy_(torch.arange(8.0).reshape(4, 2) / 4)
    return embedding


def test_rows_that_have_a_gradient_move():
    embedding = table(sparse=True)
    optimizer = optim.SparseAdam(embedding.parameters(), lr=0.1)
    for index in ([0, 1], [1, 1], [3, 0]):
        optimizer.zero_grad()
        (embedding(torch.tensor(index)) ** 2).sum().backward()
        optimizer.step()
    right = [[0.0, 0.0678], [0.30139, 0.55206], [1.0, 1.25], [1.43612, 1.68612]]
    assert torch.allclose(embedding.weight, torch.tensor(right), atol=1e-5)
    assert optimizer.state[embedding.weight]["step"] == 3


def test_bags_and_ascent():
    bags = nn.EmbeddingBag(3, 2, mode="sum", sparse=True)
    before = bags.weight.detach().clone()
    optimizer = optim.SparseAdam(bags.parameters(), lr=0.5, maximize=True)
    bags(torch.tensor([[0, 2]])).sum().backward()
    optimizer.step()
    moved = bags.weight.detach() - before
    assert torch.allclose(moved, torch.tensor([[0.5, 0.5], [0.0, 0.0], [0.5, 0.5]]))


@pytest.mark.parametrize("kind", ["Adam", "AdamW", "RMSprop", "NAdam", "Rprop"])
def test_optimisers_that_move_all_rows_refuse(kind):
    with pytest.raises(RuntimeError, match="does not support sparse gradients"):
        getattr(optim, kind)(table(sparse=True).parameters())
    getattr(optim, kind)(table().parameters())


@pytest.mark.parametrize("kind", [optim.SGD, optim.Adagrad])
def test_decay_is_of_all_rows(kind):
    text = re.escape("weight_decay option is not compatible with sparse gradients")
    with pytest.raises(RuntimeError, match=text):
        kind(table(sparse=True).parameters(), lr=0.1, weight_decay=0.1)
    kind(table(sparse=True).parameters(), lr=0.1)


def test_copies_and_functions_are_taken_by_rows_too():
    copied = copy.deepcopy(table(sparse=True))
    with pytest.raises(RuntimeError, match="please consider SparseAdam instead"):
        optim.Adam(copied.parameters())
    weight = torch.ones(3, 2, requires_grad=True)
    optimizer = optim.SparseAdam([weight], lr=0.1)
    nn.functional.embedding(torch.tensor([1]), weight, sparse=True).sum().backward()
    optimizer.step()
    assert torch.allclose(weight, torch.tensor([[1.0, 1.0], [0.9, 0.9], [1.0, 1.0]]))


def test_gradients_of_other_tensors_raise():
    weight = torch.ones(3, 2, requires_grad=True)
    optimizer = optim.SparseAdam([weight])
    weight.sum().backward()
    with pytest.raises(RuntimeError, match="SparseAdam does not support dense gradients"):
        optimizer.step()
