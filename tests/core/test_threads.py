"""Threads and processes: a tape for each, shared leaves, graphs that span them."""

import copy
import dataclasses
import pickle
import queue
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.backward import backward, gradients
from tapegrad.core.leaf import add_hook, requires_grad
from tapegrad.core.tape import local, shared, tick
from tapegrad.errors import EscapedValueError, TapegradError


def in_thread(function, *args):
    """What `function` gives or raises in another thread."""
    results = queue.Queue()

    def work():
        try:
            results.put((function(*args), None))
        except BaseException as error:
            results.put((None, error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    value, error = results.get()
    if error is not None:
        raise error
    return value


def in_threads(count, function, seconds):
    """Run `function(number)` over and over in threads for a while; give the errors."""
    errors = []
    end = time.monotonic() + seconds

    def work(number):
        try:
            while time.monotonic() < end and not errors:
                function(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def nested(number):
    """Transforms three deep, with another answer in every thread."""
    k = float(number + 1)
    value = tg.grad(
        lambda x: x * tg.grad(lambda y: tg.jvp(lambda z: x * y * z * k, (y,), (1.0,))[1])(x)
    )(2.0)  # d/dx of x * d/dy (x y k) at y = x: x^2 k
    assert value == 4.0 * k
    row = tg.vmap(tg.grad(lambda x: tnp.sin(x) * k))(np.arange(3.0))
    np.testing.assert_allclose(row, np.cos(np.arange(3.0)) * k)
    w = requires_grad(np.full(2, k))
    backward(tnp.sum(w * w))
    np.testing.assert_array_equal(w.grad.raw, 2 * np.full(2, k))
    assert not local.root.marks


@pytest.mark.parametrize("seconds", [1.0, pytest.param(10.0, marks=pytest.mark.slow)])
def test_nested_transforms_in_eight_threads(seconds):
    assert in_threads(8, nested, seconds) == []


def test_every_thread_has_a_tape():
    w = requires_grad(2.0)
    y = w * 3.0
    root, length = in_thread(lambda: (local.root, len(local.root)))
    assert root is not local.root
    assert length == 0
    assert len(local.root) == 1
    del y


def test_slots_are_unique_across_threads():
    slots = [[] for _ in range(4)]

    def work(number):
        slots[number].extend(tick() for _ in range(20_000))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({slot for own in slots for slot in own}) == 80_000
    assert all(own == sorted(own) for own in slots)


def test_a_value_of_another_threads_transform_raises():
    def f(x):
        with pytest.raises(TapegradError, match="a transform that runs in another thread"):
            in_thread(lambda: x * 2.0)
        with pytest.raises(TapegradError, match="another thread"):
            in_thread(lambda: tnp.sum(x + np.ones(2)))
        return x * x

    assert tg.grad(f)(2.0) == 4.0
    np.testing.assert_array_equal(tg.vmap(f)(np.arange(3.0)), [0.0, 1.0, 4.0])
    assert tg.jvp(f, (2.0,), (1.0,)) == (4.0, 4.0)


def test_a_leaf_is_used_while_its_thread_is_in_a_transform():
    """An imperative leaf belongs to no transform: others may go on with it."""
    w = requires_grad(3.0)

    def f(x):
        def work():
            backward(w * w)
            return w.grad.raw

        assert in_thread(work) == 6.0
        return x * x

    assert tg.grad(f)(2.0) == 4.0


def test_forward_in_a_worker_and_backward_here():
    w = requires_grad(3.0)
    y = in_thread(lambda: w * w * 2.0)
    backward(y)
    assert w.grad.raw == 12.0


def test_a_graph_through_three_threads_and_back():
    w = requires_grad(3.0)

    def eighth_power():
        a = w * w
        b = in_thread(lambda: a * w)
        c = b * a  # w^5
        return in_thread(lambda: c * b)

    d = eighth_power()
    for _ in range(3):  # new threads look whose tapes may be forgotten
        in_thread(lambda: local.root)
    (g,) = gradients(d, [w], create_graph=True)
    assert g.raw == 8 * 3.0**7
    backward(g)
    assert w.grad.raw == 56 * 3.0**6


def test_an_ended_threads_tape_is_forgotten_with_its_values():
    w = requires_grad(3.0)
    y = in_thread(lambda: w * w)
    tape = y.tape
    in_thread(lambda: local.root)
    assert any(root is tape for _, root in shared.roots)
    z = y * 2.0
    del y
    in_thread(lambda: local.root)
    assert any(root is tape for _, root in shared.roots)
    backward(z)
    del z
    in_thread(lambda: local.root)
    assert not any(root is tape for _, root in shared.roots)
    assert w.grad.raw == 12.0


def test_hooks_of_a_graph_in_two_threads():
    w, seen = requires_grad(3.0), []
    y = in_thread(lambda: w * w)
    add_hook(y, lambda g: seen.append(g.raw))
    backward(y * 5.0)
    assert seen == [5.0]
    assert w.grad.raw == 30.0


def test_threads_that_share_a_leaf_lose_no_gradient():
    w = requires_grad(np.zeros(10))
    runs = 200

    def work(number):
        for _ in range(runs):
            backward(tnp.sum(w * float(number + 1)))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(w.grad.raw, np.full(10, runs * 10.0))


def test_training_without_locks(rng):
    x = rng.standard_normal((40, 2))
    y = x @ np.array([1.0, -1.0])
    w = requires_grad(np.zeros(2))

    def work():
        for _ in range(150):
            own = tnp.matmul(x, w) - y
            (g,) = gradients(tnp.mean(own * own), [w])
            w.raw = w.raw - 0.05 * g.raw

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_allclose(w.raw, [1.0, -1.0], atol=1e-2)


def test_sweeps_through_a_tape_that_is_being_compacted():
    """Another thread's compaction never hides an entry from a sweep."""
    w = requires_grad(2.0)
    values = queue.Queue(maxsize=4)
    stop = threading.Event()

    def work():
        while not stop.is_set():
            y = w * w
            for _ in range(50):
                w * 3.0  # garbage
            local.root.compact()
            values.put(y * 1.0)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(300):
            assert gradients(values.get(timeout=10) * 1.0, [w])[0].raw == 4.0
    finally:
        stop.set()
        while thread.is_alive():
            try:
                values.get(timeout=0.05)
            except queue.Empty:
                continue
        thread.join()


def test_an_array_travels_without_its_place_on_a_tape():
    w = requires_grad(np.array([1.0, 2.0]))
    y = w * 2.0
    for x in (w, y):
        twin = pickle.loads(pickle.dumps(x))
        assert twin.slot == 0
        assert twin.tape is None
        np.testing.assert_array_equal(twin.raw, x.raw)
    assert tg.grad(lambda x: pickle.loads(pickle.dumps(x)) * x)(3.0) == 3.0


def test_a_copy_keeps_its_place():
    w = requires_grad(np.array([1.0, 2.0]))
    y = copy.copy(w * 2.0)
    assert y.slot
    backward(tnp.sum(y * copy.deepcopy(y)))
    np.testing.assert_array_equal(w.grad.raw, 8 * w.raw)


def test_a_forked_child_begins_with_empty_tapes():
    script = """
    import os, sys, threading
    import numpy as np
    import tapegrad as tg
    import tapegrad.numpy as tnp
    from tapegrad.core.backward import backward
    from tapegrad.core.leaf import requires_grad
    from tapegrad.core.tape import local, shared

    w = requires_grad(3.0)
    y = w * w
    assert len(local.root) == 1
    shared.lock.acquire()  # a fork may come while a thread holds it
    pid = os.fork()
    if pid == 0:
        try:
            assert len(local.root) == 0
            assert local.tape is local.root
            assert [tape for _, tape in shared.roots] == [local.root]
            assert tg.grad(lambda x: x**3)(2.0) == 12.0
            backward(w * w)
            assert w.grad.raw == 6.0
            assert tg.grad(lambda x: x * w)(2.0).raw == 3.0
            done = []
            thread = threading.Thread(target=lambda: done.append(tg.grad(tnp.sin)(0.0)))
            thread.start()
            thread.join()
            assert done == [1.0]
            for _ in range(40_000):
                w * 2.0
            assert len(local.root) < 20_000
            try:
                backward(y)
            except tg.errors.EscapedValueError:
                pass
            else:
                raise AssertionError
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    shared.lock.release()
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    backward(y)
    assert w.grad.raw == 6.0
    """
    subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script)], check=True, timeout=60
    )


def test_worker_processes_get_data_not_tapes():
    script = """
    import multiprocessing
    import numpy as np
    import tapegrad as tg
    from tapegrad.core.leaf import requires_grad

    def work(w):
        assert w.slot == 0
        return float(tg.grad(lambda x: x * x * w.raw)(2.0))

    if __name__ == "__main__":
        w = requires_grad(3.0)
        y = w * 2.0
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map(work, [w, y]) == [12.0, 24.0]
    """
    subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script)], check=True, timeout=60
    )


def test_an_error_in_a_thread_leaves_the_others_alone():
    w = requires_grad(2.0)
    y = w * w

    def work():
        def f(x):
            raise KeyError

        with pytest.raises(KeyError):
            tg.grad(f)(1.0)
        z = w * 1.0
        backward(z)
        with pytest.raises(EscapedValueError):
            backward(z)

    in_thread(work)
    backward(y)
    assert w.grad.raw == 5.0


def test_threads_that_meet_a_dataclass_at_the_same_time():
    def meet(cls):
        together.wait()
        return tg.grad(lambda p: p.a * p.b)(cls(2.0, 3.0)).b

    together = threading.Barrier(4)
    with ThreadPoolExecutor(4) as pool:
        for number in range(30):
            cls = dataclasses.make_dataclass(f"Pair{number}", ["a", "b"])
            assert list(pool.map(meet, [cls] * 4)) == [2.0] * 4
