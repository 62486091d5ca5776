"""Initial value problems: derivatives beside closed forms and finite differences of the solver."""

import numpy as np
import pytest
import scipy.integrate
import scipy.sparse
import scipy.special
from numpy.testing import assert_allclose, assert_array_equal

import tapegrad as tg
import tapegrad.numpy as tnp
from tapegrad.core.backward import backward
from tapegrad.core.leaf import requires_grad
from tapegrad.core.tape import local
from tapegrad.scipy.integrate import dopri5, odeint, rk4, solve_ivp

TIGHT = {"rtol": 1e-11, "atol": 1e-12}
SENSITIVITIES = ("forward", "adjoint", "backsolve")
METHODS = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")

T = np.array([0.0, 0.4, 0.4, 1.0, 2.5])


def lotka_volterra(t, y, rates):
    hares, lynx = y
    a, b, c, d = rates
    return [a * hares - b * hares * lynx, d * hares * lynx - c * lynx]


RATES = np.array([0.55, 0.028, 0.8, 0.024])
START = np.array([30.0, 4.0])


def states(y0, t, rates, sensitivity="auto", **options):
    options = TIGHT | options
    return odeint(lotka_volterra, y0, t, (rates,), tfirst=True, sensitivity=sensitivity, **options)


WEIGHTS = np.random.default_rng(0).normal(size=(5, 2))


def loss(y0, t, rates, sensitivity="auto"):
    return tnp.sum(WEIGHTS * states(y0, t, rates, sensitivity))


def differences(f, x, h=1e-5):
    """Central differences of order four."""
    x = np.asarray(x, dtype=float)
    result = np.empty(x.shape)
    for place in np.ndindex(x.shape):
        e = np.zeros(x.shape)
        e[place] = h * max(1.0, abs(x[place]))
        far, near = f(x + 2 * e) - f(x - 2 * e), f(x + e) - f(x - e)
        result[place] = (8 * near - far) / (12 * e[place])
    return result


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_gradients_are_those_of_the_solver(sensitivity):
    gradients = tg.grad(loss, (0, 1, 2))(START, T, RATES, sensitivity)
    assert_allclose(gradients[0], differences(lambda y: loss(y, T, RATES), START), rtol=2e-7)
    strict = np.array([0.0, 0.4, 0.5, 1.0, 2.5])
    assert_allclose(
        tg.grad(loss, 1)(START, strict, RATES, sensitivity),
        differences(lambda t: loss(START, t, RATES), strict),
        rtol=2e-7,
    )
    h = 1e-5 * RATES
    expected = [
        (loss(START, T, RATES + e) - loss(START, T, RATES - e)) / (2 * e.sum()) for e in np.diag(h)
    ]
    assert_allclose(gradients[2], expected, rtol=1e-6)


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
@pytest.mark.parametrize("method", METHODS)
def test_exponential_decay(method, sensitivity):
    options = {"rtol": 1e-6, "atol": 1e-8} if method in ("RK23", "Radau", "BDF") else TIGHT

    def last(y0, rate, end):
        result = solve_ivp(
            lambda t, y, k: -k * y,
            (0.0, end),
            y0[None],
            method,
            [0.0, 1.0, 1.5],
            args=(rate,),
            sensitivity=sensitivity,
            **options,
        )
        return result.y[0, -1]

    tolerance = 2e-3 if "atol" in options and options["atol"] == 1e-8 else 1e-7
    got = tg.grad(last, (0, 1))(np.array(2.0), 0.7, 2.0)
    assert_allclose(got[0], np.exp(-1.05), rtol=tolerance)
    assert_allclose(got[1], -3.0 * np.exp(-1.05), rtol=tolerance)


def test_values_are_scipys():
    expected = scipy.integrate.odeint(lotka_volterra, START, T, (RATES,), tfirst=True, **TIGHT)
    assert_array_equal(states(START, T, RATES), expected)
    out, _ = tg.vjp(states, START, T, RATES)
    assert_allclose(out, expected, rtol=1e-9)
    plain = scipy.integrate.solve_ivp(lotka_volterra, (0, 3), START, args=(RATES,))
    seen = []

    def run(y0):
        result = solve_ivp(lotka_volterra, (0, 3), y0, args=(RATES,))
        seen.append((result.t, result.nfev, result.status, result.message))
        return result.y

    assert_array_equal(tg.vjp(run, START)[0], plain.y)
    t, *others = seen[0]
    assert_array_equal(t, plain.t)
    assert others == [plain.nfev, plain.status, plain.message]


def test_plain_arguments_are_scipys_own_affair():
    out, info = odeint(lambda y, t: -y, 1.0, [0.0, 1.0], full_output=True)
    assert info["message"] == "Integration successful."
    assert type(out) is np.ndarray
    assert solve_ivp(lambda t, y: 1j * y, (0, 1), [1j]).y.dtype == complex


def test_full_output():
    def end(k):
        out, info = odeint(lambda y, t, k: -k * y, [1.0], [0.0, 1.0], (k,), full_output=True)
        assert info["message"] == "Integration successful."
        return out[-1, 0]

    assert_allclose(tg.grad(end)(0.5), -np.exp(-0.5), rtol=1e-6)


def test_second_derivatives():
    def end(p):
        return odeint(lambda y, t, k: -k * y, p[1:], [0.0, 2.0], (p[0],), **TIGHT)[-1, 0]

    k, y0 = 0.7, 1.5
    decay = np.exp(-2 * k)
    expected = np.array([[4 * y0 * decay, -2 * decay], [-2 * decay, 0.0]])
    point = np.array([k, y0])
    assert_allclose(tg.hessian(end)(point), expected, rtol=1e-6, atol=1e-9)
    assert_allclose(tg.jacrev(tg.grad(end))(point), expected, rtol=1e-6, atol=1e-9)
    assert_allclose(tg.jacfwd(tg.jacfwd(end))(point), expected, rtol=1e-6, atol=1e-9)


def test_forward_mode():
    t = np.array([0.0, 0.4, 0.5, 1.0, 2.5])
    rng = np.random.default_rng(1)
    tangents = rng.normal(size=2), rng.normal(size=5), 0.01 * rng.normal(size=4)
    _, moved = tg.jvp(states, (START, t, RATES), tangents)
    _, pullback = tg.vjp(states, START, t, RATES)
    pulled = pullback(WEIGHTS)
    assert_allclose(
        np.sum(moved * WEIGHTS),
        sum(np.sum(a * b) for a, b in zip(pulled, tangents, strict=True)),
        rtol=1e-7,
    )
    assert_allclose(
        tg.jacfwd(states, 2)(START, t, RATES), tg.jacrev(states, 2)(START, t, RATES), rtol=1e-5,
        atol=1e-6,
    )  # fmt: skip


def test_vmap():
    rates = np.stack([RATES, 1.1 * RATES, 0.9 * RATES])
    lanes = tg.vmap(lambda r: states(START, T, r))(rates)
    assert_allclose(lanes, np.stack([states(START, T, r) for r in rates]), rtol=1e-8)
    gradients = tg.vmap(tg.grad(lambda r: loss(START, T, r)))(rates)
    expected = np.stack([tg.grad(loss, 2)(START, T, r) for r in rates])
    assert_allclose(gradients, expected, rtol=1e-6)
    starts = np.array([[1.0], [2.0]])
    ends = tg.vmap(lambda y0: solve_ivp(lambda t, y: -y, (0, 1), y0, t_eval=[0.5, 1.0]).y[0])
    assert_allclose(ends(starts)[:, 1], starts[:, 0] * np.exp(-1), rtol=1e-3)
    with pytest.raises(tg.errors.ConcretizationError, match="solve_ivp under vmap needs t_eval"):
        tg.vmap(lambda y0: solve_ivp(lambda t, y: -y, (0, 1), y0).y)(starts)


def test_inside_checkpoint():
    def f(k):
        return tg.checkpoint(lambda k: odeint(lambda y, t: -k * y, [1.0], [0, 1.0])[-1, 0])(k)

    assert_allclose(tg.grad(f)(0.5), -np.exp(-0.5), rtol=1e-6)


class Model:
    def __init__(self, rate):
        self.rate = rate

    def __call__(self, y, t):
        return -self.rate * y

    def method(self, y, t):
        return -self.rate * y


def closures(k):
    table = {"rates": [k]}

    def with_default(y, t, rate=k):
        return -rate * y

    def inner(y):
        return -table["rates"][0] * y

    yield lambda y, t: -k * y
    yield lambda y, t: inner(y)
    yield with_default
    yield Model(k)
    yield Model(k).method


@pytest.mark.parametrize("which", range(5))
def test_parameters_that_are_closed_over(which):
    def end(k):
        function = list(closures(k))[which]
        return odeint(function, [1.0], [0.0, 1.0])[-1, 0]

    assert_allclose(tg.grad(end)(0.5), -np.exp(-0.5), rtol=1e-6)
    assert_allclose(tg.vmap(tg.grad(end))(np.array([0.5, 1.0])), -np.exp([-0.5, -1.0]), rtol=1e-5)
    assert_allclose(tg.grad(tg.grad(end))(0.5), np.exp(-0.5), rtol=1e-5)


@pytest.mark.parametrize("sensitivity", ["forward", "adjoint"])
def test_options_of_the_first_run_alone(sensitivity):
    a = np.array([[-1.0, 0.5, 0.0], [0.2, -300.0, 1.0], [0.0, 0.1, -2.0]])

    def by_odeint(k, **options):
        t = [0.0, 0.5, 1.0]
        return odeint(lambda y, t, k: k * (a @ y), np.ones(3), t, (k,), sensitivity=sensitivity,
                      **TIGHT, **options)[-1, 0]  # fmt: skip

    expected = tg.grad(by_odeint)(1.1)
    h = 1e-5
    assert_allclose(expected, (by_odeint(1.1 + h) - by_odeint(1.1 - h)) / (2 * h), rtol=1e-6)
    for options in (
        {"Dfun": lambda y, t, k: (k * a).T, "col_deriv": True},
        {"ml": 1, "mu": 1},
        {"h0": 1e-3},
    ):
        got = tg.grad(lambda k, o=options: by_odeint(k, **o))(1.1)
        assert_allclose(got, expected, rtol=1e-6)

    def by_ivp(k, method, **options):
        return solve_ivp(
            lambda t, y: k * (a @ y),
            (0, 1),
            np.ones(3),
            method,
            [0.0, 1.0],
            sensitivity=sensitivity,
            **options,
        ).y[0, -1]

    for method, options in (
        ("LSODA", {"lband": 1, "uband": 1, **TIGHT}),
        ("DOP853", {"first_step": 1e-3, "rtol": 1e-8, "atol": 1e-8}),
        ("BDF", {"jac": 1.1 * a, "rtol": 1e-6, "atol": 1e-8}),
    ):
        got = tg.grad(lambda k, m=method, o=options: by_ivp(k, m, **o))(1.1)
        assert_allclose(got, expected, rtol=2e-4)


SETTINGS = {}


def damping():
    return SETTINGS["rate"]


def test_parameters_in_global_variables():
    def end(k):
        SETTINGS["rate"] = k
        return odeint(lambda y, t: -damping() * y, [1.0], [0.0, 1.0])[-1, 0]

    assert_allclose(tg.grad(end)(0.5), -np.exp(-0.5), rtol=1e-6)
    assert_allclose(tg.grad(tg.grad(end))(0.5), np.exp(-0.5), rtol=1e-5)
    SETTINGS.clear()


def test_imperative_leaves():
    w = requires_grad(0.5)
    out = odeint(lambda y, t: -w * y, [1.0], [0.0, 1.0])[-1, 0]
    backward(out)
    assert_allclose(w.grad.raw, -np.exp(-0.5), rtol=1e-6)


def test_a_gradient_as_right_hand_side():
    def end(k):
        def energy(z):
            return 0.5 * z[1] ** 2 + 0.5 * k * z[0] ** 2

        def f(t, z):
            slope = tg.grad(energy)(z)
            return tnp.stack([slope[1], -slope[0]])

        return solve_ivp(f, (0, 1), [1.0, 0.0], "DOP853", rtol=1e-9, atol=1e-9).y[0, -1]

    k = 1.7
    root = np.sqrt(k)
    assert_allclose(end(k), np.cos(root), rtol=1e-7)
    assert_allclose(tg.grad(end)(k), -np.sin(root) / (2 * root), rtol=1e-7)


def test_arguments_may_be_trees():
    def end(p):
        return odeint(lambda y, t, p: -p["k"][0] * y, [1.0], [0.0, 1.0], (p,))[-1, 0]

    assert_allclose(tg.grad(end)({"k": (0.5,)})["k"][0], -np.exp(-0.5), rtol=1e-6)


def test_a_value_that_cannot_be_found_raises():
    class Holder:
        held = None

    def end(k):
        Holder.held = k
        return odeint(lambda y, t: -Holder.held * y, [k], [0.0, 1.0])[-1, 0]

    with pytest.raises(TypeError, match="was not found in args, nor in the variables"):
        tg.grad(end)(0.5)


def test_branches_on_time_and_state():
    def dosed(t, y, k, dose):
        return -k * y + (dose if t < 1.0 else 0.0)

    def end(k, dose):
        return odeint(dosed, [0.0], [0.0, 1.0, 2.0], (k, dose), tfirst=True, **TIGHT)[-1, 0]

    k, dose = 0.5, 3.0
    expected = np.exp(-k) * (1 - np.exp(-k)) / k
    for sensitivity in SENSITIVITIES:
        got = tg.grad(
            lambda d, s=sensitivity: odeint(
                dosed, [0.0], [0.0, 1.0, 2.0], (k, d), tfirst=True, sensitivity=s, **TIGHT
            )[-1, 0]
        )(dose)
        assert_allclose(got, expected, rtol=1e-6)
    assert_allclose(end(k, dose), dose * expected, rtol=1e-7)


def test_many_parameters_take_the_adjoint_method():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(6, 6)) / 3, rng.normal(size=(6, 6)) / 3
    y0, w = rng.normal(size=6), rng.normal(size=6)
    t = np.linspace(0, 1.5, 4)

    def run(a, b, sensitivity):
        def f(t, y):
            return b @ tnp.tanh(a @ y)

        y = solve_ivp(f, (0, 1.5), y0, "DOP853", t, sensitivity=sensitivity, **TIGHT).y
        return tnp.sum(y * w[:, None])

    by_default = tg.grad(run, (0, 1))(a, b, "auto")
    adjoint = tg.grad(run, (0, 1))(a, b, "adjoint")
    forward = tg.grad(run, (0, 1))(a, b, "forward")
    for x, y, z in zip(by_default, adjoint, forward, strict=True):
        assert_array_equal(x, y)
        assert_allclose(y, z, rtol=1e-7, atol=1e-9)
    step = np.zeros_like(a)
    step[2, 3] = 1e-5
    slope = (run(a + step, b, "auto") - run(a - step, b, "auto")) / 2e-5
    assert_allclose(adjoint[0][2, 3], slope, rtol=1e-7)


@pytest.mark.slow
def test_stiff_problem_with_its_exact_jacobian():
    calls = []

    def robertson(t, y, k):
        calls.append(1)
        a, b, c = y
        first, second, third = k[0] * a, k[1] * b * c, k[2] * b * b
        return tnp.stack([second - first, first - second - third, third])

    k = np.array([0.04, 1e4, 3e7])

    def end(log_k, method):
        options = {"rtol": 1e-6, "atol": 1e-10, "t_eval": [40.0]}
        result = solve_ivp(robertson, (0, 40), [1.0, 0.0, 0.0], method, args=(tnp.exp(log_k),),
                           **options)  # fmt: skip
        return result.y[0, 0]

    reference = 0.7158270687193941  # of a solution at a hundred times smaller tolerances
    value, gradient = tg.value_and_grad(end)(np.log(k), "Radau")
    assert_allclose(value, reference, rtol=1e-6)
    h = 1e-4 * np.eye(3)
    slopes = [(end(np.log(k) + e, "Radau") - end(np.log(k) - e, "Radau")) / 2e-4 for e in h]
    assert_allclose(gradient, slopes, rtol=2e-4)
    assert_allclose(tg.grad(end)(np.log(k), "BDF"), gradient, rtol=1e-4)
    assert_allclose(tg.grad(end)(np.log(k), "LSODA"), gradient, rtol=1e-4)
    assert calls


def test_sparse_jacobian_of_a_pattern():
    n = 12
    pattern = scipy.sparse.diags_array([np.ones(n)] * 3, offsets=[-1, 0, 1], shape=(n, n))
    y0 = np.sin(np.linspace(0, np.pi, n + 2)[1:-1])

    def heat(t, u, k):
        padded = tnp.concatenate([np.zeros(1), u, np.zeros(1)])
        return k * (n + 1) ** 2 * (padded[2:] - 2 * u + padded[:-2])

    def middle(k, **options):
        y = solve_ivp(
            heat, (0, 0.05), y0, "BDF", [0.05], args=(k,), rtol=1e-6, atol=1e-8, **options
        ).y
        return y[n // 2, 0]

    eigenvalue = -4 * (n + 1) ** 2 * np.sin(np.pi / (2 * (n + 1))) ** 2
    expected = 0.05 * eigenvalue * np.exp(0.05 * eigenvalue) * y0[n // 2]
    assert_allclose(tg.grad(lambda k: middle(k))(1.0), expected, rtol=1e-4)
    found = tg.sparsity(lambda u: heat(0.0, u, 1.0), y0)
    for given in (pattern, pattern.toarray(), found):
        got = tg.grad(lambda k, p=given: middle(k, jac_sparsity=p))(1.0)
        assert_allclose(got, expected, rtol=1e-4)


def test_events():
    def falls(height, gravity):
        def hit(t, y):
            return y[0]

        hit.terminal = True
        hit.direction = -1
        result = solve_ivp(
            lambda t, y: [y[1], -gravity], (0, 10), [height, 0.0], events=hit, **TIGHT
        )
        assert result.status == 1
        return result.t_events[0][0], result.y_events[0][0, 1], result.t[-1], result.y[1, -1]

    h, g = 2.0, 9.81
    time, speed = np.sqrt(2 * h / g), -np.sqrt(2 * h * g)
    rows = tg.jacrev(falls, (0, 1))(h, g)
    assert_allclose(rows[0], [time / (2 * h), -time / (2 * g)], rtol=1e-9)
    assert_allclose(rows[1], [speed / (2 * h), speed / (2 * g)], rtol=1e-9)
    assert_allclose(rows[2], rows[0], rtol=1e-9)
    assert_allclose(rows[3], rows[1], rtol=1e-9)
    assert_allclose(tg.jacfwd(lambda h: falls(h, g)[0])(h), time / (2 * h), rtol=1e-9)
    second = tg.grad(tg.grad(lambda h: falls(h, g)[0]))(h)
    assert_allclose(second, -time / (4 * h * h), rtol=1e-7)


def test_event_parameters_and_several_events():
    def crossings(level):
        result = solve_ivp(
            lambda t, y: [y[1], -y[0]],
            (0, 7),
            [0.0, 1.0],
            events=[lambda t, y: y[0] - level, lambda t, y: y[0] - 5.0, lambda t, y: t - level],
            method="DOP853",
            rtol=1e-9,
            atol=1e-10,
        )
        assert [len(t) for t in result.t_events] == [3, 0, 1]
        return result.t_events[0], result.t_events[2]

    crossed, on_time = tg.jacfwd(crossings)(0.3)
    slope = 1 / np.sqrt(1 - 0.09)
    assert_allclose(crossed, [slope, -slope, slope], rtol=1e-7)
    assert_allclose(on_time, [1.0], rtol=1e-12)


def test_a_grazing_event_raises():
    def touch(h):
        result = solve_ivp(
            lambda t, y: [0.0 * y[0]], (0, 1), [h], events=lambda t, y: 0.0 * y[0] + t * t * t
        )
        return result.t_events[0][0]

    with pytest.raises(tg.errors.NotDifferentiableError, match="only touches zero"):
        tg.grad(touch)(0.0)


def test_period_of_a_pendulum():
    def period(angle, length):
        def bottom(t, y):
            return y[0]

        bottom.terminal = True
        result = solve_ivp(
            lambda t, y: [y[1], -9.81 / length * tnp.sin(y[0])],
            (0, 10),
            [angle, 0.0],
            "DOP853",
            events=bottom,
            **TIGHT,
        )
        return 4 * result.t[-1]

    angle, length = 1.2, 0.5
    k, w = np.sin(angle / 2), np.sqrt(length / 9.81)
    integral, second = scipy.special.ellipk(k * k), scipy.special.ellipe(k * k)
    assert_allclose(period(angle, length), 4 * w * integral, rtol=1e-10)
    in_k = second / (k * (1 - k * k)) - integral / k
    expected = 4 * w * in_k * np.cos(angle / 2) / 2, 2 * w * integral / length
    assert_allclose(tg.grad(period, (0, 1))(angle, length), expected, rtol=1e-8)


@pytest.mark.parametrize("back", [False, True])
def test_dense_output(back):
    span = (2.0, 0.0) if back else (0.0, 2.0)

    def f(k, t):
        sol = solve_ivp(
            lambda t, y: -k * y, span, [1.0], dense_output=True, method="DOP853", **TIGHT
        ).sol
        return sol(t)[0]

    t = np.array([1.5, 0.5, 1.0])
    expected = np.exp(-0.7 * (t - span[0]))
    assert_allclose(f(0.7, t), expected, rtol=1e-9)
    in_k, in_t = tg.jacrev(f, (0, 1))(0.7, t)
    assert_allclose(in_k, -(t - span[0]) * expected, rtol=1e-8)
    assert_allclose(in_t, np.diag(-0.7 * expected), rtol=1e-8)
    assert_allclose(tg.grad(lambda t: f(0.7, t))(0.5), -0.7 * np.exp(-0.7 * (0.5 - span[0])))
    with pytest.raises(ValueError, match="would extrapolate"):
        tg.grad(lambda k: f(k, 3.0))(0.7)


def test_limits_of_the_span():
    def last(start, stop):
        return solve_ivp(lambda t, y: t * y, (start, stop), [1.0], "DOP853", **TIGHT).y[0, -1]

    value = np.exp((4 - 1) / 2)
    assert_allclose(tg.grad(last, (0, 1))(1.0, 2.0), [-1.0 * value, 2.0 * value], rtol=1e-8)


def test_failures_raise_before_any_derivative():
    explodes = {"t": [0.0, 2.0], "y0": [1.0]}

    def by_odeint(k):
        return odeint(lambda y, t: k * y * y, explodes["y0"], explodes["t"])[-1, 0]

    def by_ivp(k):
        return solve_ivp(lambda t, y: k * y * y, (0, 2), [1.0]).y[0, -1]

    for f in (by_odeint, by_ivp):
        length = len(local.root)
        with (
            pytest.raises(tg.errors.TapegradError, match="failed, so there is nothing"),
            np.errstate(all="ignore"),
        ):
            tg.grad(f)(1.0)
        assert len(local.root) == length


def test_what_cannot_be_done_raises():
    with pytest.raises(ValueError, match="sensitivity must be one of"):
        odeint(lambda y, t: y, 1.0, [0, 1], sensitivity="reverse")
    with pytest.raises(TypeError, match="needs a real state"):
        tg.grad(lambda k: solve_ivp(lambda t, y: 1j * k * y, (0, 1), [1j * k]).y[0, -1].real)(1.0)
    with pytest.raises(TypeError, match="real parameters"):
        tg.grad(lambda k: odeint(lambda y, t: -abs(k) * y, 1.0, [0.0, 1.0])[-1, 0])(1j)
    with pytest.raises(ValueError, match="one-dimensional"):
        tg.grad(lambda k: odeint(lambda y, t: y, k * np.ones((2, 2)), [0, 1.0]).sum())(1.0)


def test_float32_gradients_are_float32():
    def end(k):
        return odeint(lambda y, t, k: -k * y, [1.0], [0.0, 1.0], (k,))[-1, 0]

    gradient = tg.grad(end)(np.float32(0.5))
    assert gradient.dtype == np.float32
    assert_allclose(gradient, -np.exp(-0.5), rtol=1e-5)


def test_given_jacobian_is_used():
    seen = []

    def jac(t, y, k):
        seen.append(1)
        return [[-k]]

    def end(k):
        return solve_ivp(lambda t, y, k: -k * y, (0, 1), [1.0], "BDF", [1.0], jac=jac, args=(k,)).y[
            0, 0
        ]

    assert_allclose(tg.grad(end)(0.5), -np.exp(-0.5), rtol=3e-3)
    assert seen


def test_fixed_steps_in_a_budget():
    def end(k):
        y = np.linspace(0.5, 1.5, 50)
        return rk4(lambda t, y: -k * y * y, y, [0.0, 1.0], steps=100)[-1].sum()

    assert tg.grad(tg.checkpoint(end, budget="30kB"))(0.5) == tg.grad(end)(0.5)


@pytest.mark.parametrize(("method", "order"), [(rk4, 4), (dopri5, 5)])
def test_fixed_steps(method, order):
    def end(k, steps):
        return method(lambda t, y, k: -k * y, np.array([1.0]), [0.0, 2.0], (k,), steps=steps)[-1, 0]

    errors = [abs(tg.grad(end)(0.9, n) + 2 * np.exp(-1.8)) for n in (10, 20)]
    assert_allclose(np.log2(errors[0] / errors[1]), order, atol=0.35)
    tg.check_grads(lambda k: end(k, 3), (0.9,))
    lanes = tg.vmap(tg.grad(lambda k: end(k, 5)))(np.array([0.9, 1.0]))
    assert_allclose(lanes, [tg.grad(end)(0.9, 5), tg.grad(end)(1.0, 5)], rtol=1e-12)
    with pytest.raises(ValueError, match="at least one step"):
        end(0.9, 0)


def test_fixed_steps_take_arrays_and_times():
    def f(y0, t):
        return rk4(lambda t, y: -t * y, y0, t, steps=20)[-1].sum()

    y0, t = np.ones((2, 3)), np.array([0.0, 1.0, 1.5])
    in_y0, in_t = tg.grad(f, (0, 1))(y0, t)
    assert_allclose(in_y0, np.full((2, 3), np.exp(-1.125)), rtol=1e-6)
    assert_allclose(in_t[-1], -1.5 * 6 * np.exp(-1.125), rtol=1e-5)


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_spans_of_no_length(sensitivity):
    def last(y0, times):
        return odeint(lambda y, t: -y, y0, times, sensitivity=sensitivity)[-1, 0]

    for times in ([1.0, 1.0], [1.0]):
        assert tg.value_and_grad(last)(2.0, times) == (2.0, 1.0)

    def states(y0, t_eval):
        options = {"t_eval": t_eval, "sensitivity": sensitivity}
        return solve_ivp(lambda t, y: -y, (1.0, 1.0), [y0], **options).y

    assert tg.grad(lambda y0: states(y0, None)[0, -1])(2.0) == 1.0
    assert tg.grad(lambda y0: states(y0, [1.0]).sum())(2.0) == 0.0  # SciPy gives no state there


def test_a_jacobian_takes_one_integration():
    count = 0

    def rates(y, t, k):
        nonlocal count
        count += 1
        return [k[0] * y[0] - k[1] * y[0] * y[1], k[2] * y[0] * y[1] - k[3] * y[1]]

    times = np.linspace(0, 3, 10)
    solution = lambda k: odeint(rates, [1.0, 0.5], times, (k,), rtol=1e-8, atol=1e-8)  # noqa: E731
    k = np.array([1.0, 0.5, 0.4, 0.8])
    tg.grad(lambda k: solution(k)[-1, 0])(k)
    one, count = count, 0
    jacobians = tg.jacfwd(solution)(k), tg.jacrev(solution)(k)
    assert count < 5 * one  # not one for each of the 4 columns and 20 rows
    h = 1e-5
    for jacobian in jacobians:
        for i, direction in enumerate(np.eye(4)):
            difference = (solution(k + h * direction) - solution(k - h * direction)) / (2 * h)
            assert_allclose(jacobian[..., i], difference, rtol=1e-5, atol=1e-5)


def test_events_are_objects_too():
    class Rises:
        direction = 1
        terminal = 2  # a class's attributes count as a function's do

        def __call__(self, t, y):
            return y[0]

    def second_rise(k):
        result = solve_ivp(
            lambda t, y: [y[1], -k * y[0]],
            [0, 60],
            [1.0, 0.0],
            events=Rises(),
            rtol=1e-9,
            atol=1e-9,
        )
        return result.t_events[0][1]

    value, slope = tg.value_and_grad(second_rise)(4.0)
    assert_allclose(value, 3.5 * np.pi / 2, rtol=1e-7)
    assert_allclose(slope, -3.5 * np.pi / 16, rtol=1e-6)
