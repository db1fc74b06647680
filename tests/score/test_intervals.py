"""Intervals against scipy, published figures and closed forms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perturb.errors import ParameterError
from perturb.score.inference.estimate import Estimate
from perturb.score.inference.estimating import estimate, estimate_all, sample_all
from perturb.score.inference.resampling import resample_sums
from perturb.score.inference.settings import Settings
from perturb.score.inference.statistic import difference, gap, mean, ratio
from perturb.score.inference.wilson import effective_items, wilson_interval

SETTINGS = Settings(n_samples=4000)


@given(st.integers(1, 5000), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_scipys(n, data, confidence):
    hits = data.draw(st.integers(0, n))
    expected = stats.binomtest(hits, n).proportion_ci(confidence, method="wilson")
    found = wilson_interval(hits / n, n, confidence)
    assert found == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_gives_newcombes_table(hits, n, low, high):
    """Newcombe 1998, table I, method 3."""
    assert wilson_interval(hits / n, n, 0.95) == pytest.approx((low, high), abs=5e-5)


def test_a_share_with_one_question_a_clip_has_wilsons_own_interval():
    values = np.r_[np.ones(81), np.zeros(182)]
    found = estimate(mean(values), np.arange(263))
    assert (found.low, found.high) == wilson_interval(81 / 263, 263, 0.95)
    assert (found.method, found.n, found.clusters) == ("wilson", 263, 263)


def test_copies_of_an_answer_tell_as_much_as_one():
    once = np.random.default_rng(0).integers(0, 2, 2000).astype(float)
    hits, items = 4.0 * once, np.full(2000, 4.0)
    assert effective_items(hits, items, 0.95) == pytest.approx(2000, rel=2e-3)


def test_where_all_agree_each_clip_counts_once():
    found = estimate(mean(np.ones(400)), np.arange(400) // 8)
    assert (found.low, found.high) == wilson_interval(1.0, 50, 0.95)


def test_a_graded_mean_has_the_interval_of_the_normal_law():
    values = np.random.default_rng(1).random(3000)
    found = estimate(mean(values), np.arange(3000), SETTINGS)
    expected = stats.norm.interval(0.95, values.mean(), values.std() / np.sqrt(3000))
    assert found.method == "bootstrap"
    assert (found.low, found.high) == pytest.approx(expected, abs=4e-4)


def test_the_bootstrap_agrees_with_scipys():
    values = np.random.default_rng(2).beta(0.5, 0.5, 300)
    found = estimate(mean(values), np.arange(300), Settings(n_samples=10_000))
    theirs = stats.bootstrap((values,), np.mean, method="percentile", rng=3).confidence_interval
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=2e-3)


def test_resampled_sums_have_the_moments_of_drawing_with_replacement():
    totals = np.random.default_rng(3).random((60, 3))
    sums = resample_sums(totals, 20_000, seed=1)
    assert sums.mean(axis=0) == pytest.approx(totals.sum(axis=0), rel=4e-3)
    assert sums.var(axis=0) == pytest.approx(60 * totals.var(axis=0), rel=0.05)


def test_the_same_seed_gives_the_same_samples_and_another_gives_others():
    totals = np.random.default_rng(4).random((30, 2))
    first, again, other = (resample_sums(totals, 200, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    np.testing.assert_array_equal(resample_sums(totals, 50, 1), first[:50])


def test_samples_depend_neither_on_company_nor_on_labels_of_clips():
    random = np.random.default_rng(5)
    clusters, a, b = np.arange(120) // 3, random.random(120), random.random(120)
    alone = sample_all([mean(a)], clusters, SETTINGS)[0]
    together = sample_all([difference(a, b), mean(a)], 7 * clusters + 5, SETTINGS)[1]
    np.testing.assert_allclose(alone, together, rtol=1e-13)


def test_values_of_each_kind_of_statistic():
    nan = np.nan
    a, b = np.array([1.0, 0.0, nan, 1.0]), np.array([0.0, 0.5, 1.0, nan])
    assert mean(a).value() == pytest.approx(2 / 3)
    assert difference(a, b).value() == pytest.approx((1.0 - 0.5) / 2)
    assert ratio(a, b, "").value() == pytest.approx(1.0 / 0.5)
    assert gap(a, b, "").value() == pytest.approx(2 / 3 - 0.5)


def test_what_is_undefined_has_a_reason_and_no_number():
    nothing = np.full(50, np.nan)
    found = estimate_all(
        [
            mean(nothing),
            difference(nothing, np.ones(50)),
            ratio(np.ones(50), np.zeros(50), "none is right"),
        ],
        np.arange(50),
        SETTINGS,
    )
    reasons = [each.reason for each in found]
    assert reasons == ["no item counts", "no item counts in both arms", "none is right"]
    assert all(each.value is None and each.low is None for each in found)


def test_few_clips_that_share_questions_get_no_interval():
    values = np.tile([0.0, 1.0], 18)
    found = estimate(mean(values), np.arange(36) // 4)
    assert found.value == 0.5
    assert found.low is None
    assert "9 clips, fewer than 10" in found.reason
    assert estimate(mean(values), np.arange(36) // 3).low is not None


def test_five_clips_with_a_question_each_have_wilsons_interval():
    assert estimate(mean([1.0, 0, 1, 1, 0]), np.arange(5)).low == wilson_interval(0.6, 5, 0.95)[0]


def test_a_ratio_that_many_samples_leave_undefined_gets_no_interval():
    base = np.r_[1.0, np.zeros(99)]
    found = estimate(ratio(np.ones(100), base, "none is right"), np.arange(100), SETTINGS)
    assert found.value == 100.0
    assert "undefined in 3" in found.reason
    assert found.low is None


def test_differences_that_are_all_zero_are_not_known_to_be_zero():
    found = estimate(difference(np.ones(200), np.ones(200)), np.arange(200) // 2, SETTINGS)
    z2 = stats.norm.ppf(0.975) ** 2
    assert (found.low, found.high) == pytest.approx((-z2 / (100 + z2), z2 / (100 + z2)))


def test_nothing_at_all_is_undefined():
    found = estimate_all([mean([]), difference([], [])], np.array([], dtype=int), SETTINGS)
    assert [each.n for each in found] == [0, 0]
    assert all(each.reason for each in found)
    assert estimate_all([], [], SETTINGS) == []


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: mean([[1.0]]), r"values has shape \(1, 1\)"),
        (lambda: mean([np.inf]), "accepted: one finite number per item"),
        (lambda: difference([1.0], [1.0, 0.0]), "the arms have 1 and 2 items"),
        (lambda: gap([1.0], [1.0, 0.0], ""), "first has 1 items and second 2"),
        (lambda: estimate(mean([1.0]), [0, 1]), "clusters has shape"),
        (lambda: estimate(mean([1.0]), [0.5]), "one whole number per item"),
        (lambda: estimate_all([mean([1.0]), mean([1.0, 0])], [0]), "of the same items"),
        (lambda: Estimate(value=1.0, n=1, clusters=1), "needs a reason"),
        (lambda: Estimate(value=1.0, low=0.0, n=1, clusters=1, reason="x"), "say together"),
        (lambda: Settings(n_samples=5), "n_samples is 5"),
    ],
)
def test_bad_input_is_refused(work, message):
    with pytest.raises(ParameterError, match=message):
        work()
