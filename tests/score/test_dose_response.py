"""The fitted threshold against a known curve and scipy's fit."""

import numpy as np
import pytest
from scipy import optimize

from perturb.errors import ParameterError
from perturb.score.inference.settings import Settings
from perturb.score.statistics.dose_response import _fit, dose_response

SETTINGS = Settings(n_samples=1000)
DOSES = np.array([-10.0, -5.0, 0.0, 5.0, 10.0, 20.0])


def curve(doses, threshold, width, floor=0.25, ceiling=0.9, sign=1.0):
    return floor + (ceiling - floor) / (1.0 + np.exp(-sign * (doses - threshold) / width))


def answers(shares, items, seed=0):
    """Answers of items that differ in ease, so that doses are correlated within an item."""
    ease = np.random.default_rng(seed).random(items)
    return (ease < np.asarray(shares)[:, np.newaxis]).astype(float)


@pytest.mark.parametrize(("sign", "rises"), [(1.0, True), (-1.0, False)])
def test_a_curve_without_noise_is_found(sign, rises):
    shares = curve(DOSES, 2.0, 3.0, sign=sign)
    threshold, ceiling, width = _fit(DOSES, shares[np.newaxis], np.full(6, 50.0), 0.25, rises)
    assert threshold[0] == pytest.approx(2.0, abs=0.076)
    assert ceiling[0] == pytest.approx(0.9, abs=0.01)
    assert width[0] == pytest.approx(3.0, rel=0.04)


def test_the_fit_is_scipys():
    shares = curve(DOSES, 1.0, 4.0) + np.random.default_rng(1).normal(0, 0.02, 6)
    found = _fit(DOSES, shares[np.newaxis], np.full(6, 50.0), 0.25, True)
    theirs, _ = optimize.curve_fit(
        lambda x, t, s, top: curve(x, t, s, ceiling=top), DOSES, shares, p0=[0.0, 2.0, 0.8]
    )
    assert found[0][0] == pytest.approx(theirs[0], abs=0.2)
    assert found[1][0] == pytest.approx(theirs[2], abs=0.01)


def test_the_threshold_of_answers_comes_with_its_interval():
    correct = answers(curve(DOSES, 2.0, 2.0), 800)
    found = dose_response(
        DOSES[::-1], correct[::-1], np.arange(800) // 4, floor=0.25, rises=True, settings=SETTINGS
    )
    assert found.doses == tuple(DOSES)
    assert found.threshold.low < 2.0 < found.threshold.high
    assert found.threshold.high - found.threshold.low < 3.0
    assert found.ceiling == pytest.approx(0.9, abs=0.05)
    assert [each.value for each in found.accuracies] == correct.mean(axis=1).tolist()


@pytest.mark.slow
def test_the_interval_of_the_threshold_covers():
    """150 worlds: .95 is seen to within ± .055."""
    random = np.random.default_rng(2)
    shares = curve(DOSES, 2.0, 2.0)
    covered = 0
    for _ in range(150):
        correct = (random.random((6, 400)) < shares[:, np.newaxis]).astype(float)
        found = dose_response(
            DOSES, correct, np.arange(400), floor=0.25, rises=True, settings=Settings(n_samples=300)
        ).threshold
        covered += found.low is not None and found.low <= 2.0 <= found.high
    assert 0.89 <= covered / 150 <= 0.99


@pytest.mark.parametrize(
    ("doses", "shares", "reason"),
    [
        (DOSES[:3], [0.3, 0.5, 0.8], "3 doses; a threshold needs 4"),
        (DOSES, [0.25] * 6, "does not change over the doses by more than chance"),
        (DOSES, [0.9, 0.8, 0.6, 0.5, 0.4, 0.3], "does not change over the doses"),
        (DOSES, [0.80, 0.81, 0.82, 0.84, 0.87, 0.90], "outside the doses"),
    ],
)
def test_where_there_is_no_threshold_the_reason_is_given(doses, shares, reason):
    found = dose_response(
        doses,
        answers(shares, 400),
        np.arange(400),
        floor=0.25,
        rises=True,
        settings=SETTINGS,
    )
    assert found.threshold.low is None
    assert reason in found.threshold.reason


def test_a_dose_that_nobody_answered_leaves_no_threshold():
    correct = answers(curve(DOSES, 2.0, 2.0), 100)
    correct[2] = np.nan
    found = dose_response(DOSES, correct, np.arange(100), floor=0.25, rises=True, settings=SETTINGS)
    assert found.threshold.reason == "no item counts at one of the doses"


def test_doses_must_differ():
    with pytest.raises(ParameterError, match="accepted: doses that differ"):
        dose_response([1.0, 1.0], np.ones((2, 3)), np.arange(3), floor=0.0, rises=True)
