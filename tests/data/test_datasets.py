"""Data sets, parts of them and samplers, against PyTorch's documented behaviour."""

from collections import Counter

import numpy as np
import pytest

import tapegrad.torch as torch
from tapegrad.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)


class Squares(Dataset):
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return i * i


class Stream(IterableDataset):
    def __init__(self, *values):
        self.values = values

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)


def seeded(n=0):
    return torch.Generator().manual_seed(n)


def test_is_torch_utils_data():
    import tapegrad.data

    assert torch.utils.data is tapegrad.data
    assert torch.utils.DataLoader is tapegrad.data.DataLoader
    assert not hasattr(torch.utils, "nothing")


def test_tensor_dataset():
    data = TensorDataset(torch.arange(4), np.ones((4, 2)))
    assert len(data) == 4
    number, row = data[2]
    assert number.item() == 2
    assert row.shape == (2,)
    with pytest.raises(AssertionError, match="Size mismatch between tensors"):
        TensorDataset(torch.ones(2), torch.ones(3))


def test_datasets_one_after_another():
    data = Squares(2) + Squares(3)
    assert isinstance(data, ConcatDataset)
    assert [data[i] for i in range(5)] == [0, 1, 0, 1, 4]
    assert data.cumulative_sizes == [2, 5]
    assert data[-1] == 4
    with pytest.raises(IndexError, match="index 5 is out of range"):
        data[5]
    with pytest.raises(ValueError, match="absolute value of index should not exceed"):
        data[-6]
    with pytest.raises(AssertionError, match="does not support IterableDataset"):
        ConcatDataset([Stream(1)])
    with pytest.raises(AssertionError, match="should not be an empty iterable"):
        ConcatDataset([])


def test_streams_one_after_another():
    chain = Stream(1, 2) + Stream(3)
    assert isinstance(chain, ChainDataset)
    assert list(chain) == [1, 2, 3]
    assert len(chain) == 3
    with pytest.raises(AssertionError, match="only supports IterableDataset"):
        list(ChainDataset([Squares(2)]))


def test_stack():
    assert StackDataset(Squares(3), [5, 6, 7])[2] == (4, 7)
    named = StackDataset(x=Squares(3), y=Subset(Squares(9), [8, 7, 6]))
    assert named[1] == {"x": 1, "y": 49}
    assert named.__getitems__([0, 2]) == [{"x": 0, "y": 64}, {"x": 4, "y": 36}]
    with pytest.raises(ValueError, match="Size mismatch between datasets"):
        StackDataset(Squares(2), Squares(3))
    with pytest.raises(ValueError, match="at least one dataset should be passed"):
        StackDataset()


def test_stack_refuses_a_part_that_loses_samples():
    class Short(Squares):
        def __getitems__(self, indices):
            return [0]

    with pytest.raises(ValueError, match=r"Expected 2, got 1"):
        StackDataset(Short(3)).__getitems__([0, 1])


def test_random_split():
    parts = random_split(range(10), [3, 7], generator=seeded(42))
    assert [len(p) for p in parts] == [3, 7]
    assert sorted(x for p in parts for x in p) == list(range(10))
    again = random_split(range(10), [3, 7], generator=seeded(42))
    assert [p.indices for p in parts] == [p.indices for p in again]
    assert [len(p) for p in random_split(range(11), [0.3, 0.3, 0.4])] == [4, 3, 4]
    assert [len(p) for p in random_split(range(0), [0.5, 0.5])] == [0, 0]
    with pytest.raises(ValueError, match="Sum of input lengths does not equal"):
        random_split(range(4), [1, 2])
    with pytest.raises(ValueError, match="Fraction at index 0 is not between 0 and 1"):
        random_split(range(4), [1.5, -0.5])


def test_random_sampler():
    assert sorted(RandomSampler(range(5))) == [0, 1, 2, 3, 4]
    assert list(RandomSampler(range(50), generator=seeded())) == list(
        RandomSampler(range(50), generator=seeded())
    )
    rounds = list(RandomSampler(range(3), num_samples=7))
    assert sorted(rounds[:3]) == sorted(rounds[3:6]) == [0, 1, 2]
    assert len(rounds) == len(RandomSampler(range(3), num_samples=7)) == 7
    drawn = Counter(RandomSampler(range(4), True, num_samples=4000, generator=seeded()))
    assert all(abs(n - 1000) < 150 for n in drawn.values())
    with pytest.raises(ValueError, match="num_samples should be a positive integer"):
        RandomSampler([])
    with pytest.raises(TypeError, match="replacement should be a boolean"):
        RandomSampler(range(3), replacement=1)


def test_random_sampler_follows_the_seed():
    torch.manual_seed(3)
    first = list(RandomSampler(range(20)))
    torch.manual_seed(3)
    assert list(RandomSampler(range(20))) == first


def test_weighted_sampler():
    drawn = Counter(WeightedRandomSampler([1, 0, 3], 8000, generator=seeded()))
    assert set(drawn) == {0, 2}
    assert abs(drawn[2] / 8000 - 0.75) < 0.03
    assert sorted(WeightedRandomSampler(torch.tensor([2.0, 0.0, 1.0]), 2, False)) == [0, 2]
    with pytest.raises(ValueError, match="cannot draw 3 samples without replacement"):
        WeightedRandomSampler([1, 0, 1], 3, replacement=False)
    with pytest.raises(ValueError, match="weights should be a 1d sequence"):
        WeightedRandomSampler([[1.0]], 1)


def test_other_samplers():
    assert list(SequentialSampler(range(3))) == [0, 1, 2]
    assert sorted(SubsetRandomSampler([7, 8, 9])) == [7, 8, 9]
    assert list(BatchSampler(range(5), 2, False)) == [[0, 1], [2, 3], [4]]
    assert list(BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
    assert len(BatchSampler(range(5), 2, False)) == 3
    assert len(BatchSampler(range(5), 2, True)) == 2
    with pytest.raises(ValueError, match="batch_size should be a positive integer"):
        BatchSampler(range(5), 0, True)
    with pytest.raises(TypeError, match="drop_last should be a boolean"):
        BatchSampler(range(5), 1, 1)


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("n", [10, 11, 12, 2])
def test_distributed_sampler(n, drop_last):
    shares = [DistributedSampler(range(n), 4, rank, drop_last=drop_last) for rank in range(4)]
    samples = [list(share) for share in shares]
    assert {len(s) for s in samples} == {len(shares[0])}
    together = [i for s in samples for i in s]
    if drop_last:
        assert len(set(together)) == len(together) == n // 4 * 4
    else:
        assert set(together) == set(range(n))
        assert len(together) == -(-n // 4) * 4
    for share in shares:
        share.set_epoch(1)
    if n > 2:
        assert [list(share) for share in shares] != samples


def test_distributed_sampler_in_order():
    # PyTorch's: the tail is filled from the beginning
    assert list(DistributedSampler(range(5), 2, 1, shuffle=False)) == [1, 3, 0]
    with pytest.raises(ValueError, match=r"should be in the interval \[0, 1\]"):
        DistributedSampler(range(5), 2, 2)
    with pytest.raises(RuntimeError, match="needs num_replicas and rank"):
        DistributedSampler(range(5))


class Counted(TensorDataset):
    """Counts its calls."""

    calls = 0

    def __getbatch__(self, indices):
        self.calls += 1
        return super().__getbatch__(indices)


def test_arrays_are_batched_by_one_index():
    data = Counted(torch.arange(10), torch.arange(20).reshape(10, 2))
    loader = DataLoader(Subset(Subset(data, range(1, 10)), [8, 0, 3]), batch_size=2)
    batches = [[x.tolist() for x in batch] for batch in loader]
    assert batches == [[[9, 1], [[18, 19], [2, 3]]], [[4], [[8, 9]]]]
    assert data.calls == 2


def test_a_subclass_with_other_samples_is_not_batched_past_them():
    class Doubled(TensorDataset):
        def __getitem__(self, i):
            return super().__getitem__(i)[0] * 2

    data = Doubled(torch.arange(3))
    assert next(iter(DataLoader(data, 3))).tolist() == [0, 2, 4]
    assert next(iter(DataLoader(Subset(data, [1]), 3))).tolist() == [2]


def test_gradients_flow_through_a_batch():
    x = torch.ones(3, requires_grad=True)
    (batch,) = next(iter(DataLoader(TensorDataset(x), 2)))
    batch.sum().backward()
    assert x.grad.tolist() == [1, 1, 0]


def test_indices_may_be_tensors():
    data = TensorDataset(torch.arange(10) * 2)
    (batch,) = next(iter(DataLoader(data, batch_sampler=[torch.tensor([3, 1])])))
    assert batch.tolist() == [6, 2]
    (batch,) = next(iter(DataLoader(data, 2, sampler=torch.tensor([3, 1]))))
    assert batch.tolist() == [6, 2]


def test_a_batch_of_none_and_of_what_is_no_index():
    data = TensorDataset(torch.arange(5), torch.ones(5, 2))
    empty, pairs = next(iter(DataLoader(data, batch_sampler=[[]])))
    assert empty.shape == (0,)
    assert pairs.shape == (0, 2)
    with pytest.raises(IndexError):
        next(iter(DataLoader(data, batch_sampler=[[1.5]])))
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        next(iter(DataLoader(data, sampler=[9])))
