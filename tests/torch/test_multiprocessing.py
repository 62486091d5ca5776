"""`torch.multiprocessing`."""

import multiprocessing
import os
import time
from importlib import import_module

import pytest

import tapegrad.torch as torch

mp = import_module("tapegrad.torch.multiprocessing")


def write(i, folder, x):
    if i == 1 and x is None:
        os._exit(3)
    if x is None:
        time.sleep(60)
    (folder / str(i)).write_text(str(x.tolist()))


def test_processes(tmp_path):
    assert mp.spawn(write, (tmp_path, torch.ones(2)), nprocs=2, start_method="fork") is None
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {
        "0": "[1.0, 1.0]",
        "1": "[1.0, 1.0]",
    }


def test_a_process_that_fails_ends_the_others(tmp_path):
    with pytest.raises(RuntimeError, match="process 1 terminated with exit code 3"):
        mp.spawn(write, (tmp_path, None), nprocs=2, start_method="fork")
    assert not multiprocessing.active_children()


def test_without_waiting(tmp_path):
    (process,) = mp.spawn(write, (tmp_path, torch.ones(1)), join=False, start_method="fork")
    process.join()
    assert (tmp_path / "0").read_text() == "[1.0]"


@pytest.mark.slow
def test_fresh_processes(tmp_path):
    mp.spawn(write, (tmp_path, torch.ones(1)))
    assert (tmp_path / "0").exists()


def test_the_rest_is_pythons():
    assert mp.Process is multiprocessing.Process
    assert mp.get_context("fork").Queue is not None
    assert not hasattr(mp, "nothing")
