"""Tests, corrections and verdicts against enumeration, scipy and worked examples."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from perturb.errors import ParameterError
from perturb.score.inference.contrasts import contrast, contrast_all, infer_all
from perturb.score.inference.holm import adjust_holm
from perturb.score.inference.mcnemar import mcnemar_test
from perturb.score.inference.models import compare_models, rank_models
from perturb.score.inference.sensitivity import (
    intracluster_correlation,
    items_needed,
    sensitivity,
)
from perturb.score.inference.settings import Settings
from perturb.score.inference.sign_flip import sign_flip_test
from perturb.score.inference.statistic import mean
from perturb.score.inference.verdict import decide, decide_all
from perturb.score.inference.worst_case import worst_case

SETTINGS = Settings(n_samples=2000)


def _arms(gained, lost, same):
    first = np.r_[np.ones(gained), np.zeros(lost), np.ones(same)]
    second = np.r_[np.zeros(gained), np.ones(lost), np.ones(same)]
    return first, second


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=11))
def test_the_sign_flip_test_is_the_enumeration_of_all_flips(sums):
    """In halves, so that half points of judges are exact too."""
    differences = np.array(sums) / 2.0
    clusters = np.repeat(np.arange(len(sums)), 3)
    first = np.repeat(differences, 3) / 3.0
    found = sign_flip_test(first, np.zeros(first.size), clusters)
    flips = np.array(list(itertools.product([-1, 1], repeat=len(sums)))) @ differences
    expected = np.mean(np.abs(flips) >= abs(differences.sum()) - 1e-9)
    assert found.p_value == pytest.approx(expected, abs=1e-12)
    assert found.method == "sign-flip exact"


@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 50))
def test_with_one_question_a_clip_the_sign_flip_test_is_mcnemars(gained, lost, same):
    arms = _arms(gained, lost, same)
    clusters = np.arange(arms[0].size)
    theirs = stats.binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar_test(*arms, clusters).p_value == pytest.approx(theirs)
    assert sign_flip_test(*arms, clusters).p_value == pytest.approx(theirs, abs=1e-12)


def test_mcnemars_textbook_example():
    """Agresti 2013, section 11.1: 150 and 86 discordant; exact p by the binomial law."""
    found = mcnemar_test(*_arms(150, 86, 1364), np.arange(1600))
    assert found.p_value == pytest.approx(2 * stats.binom.cdf(86, 236, 0.5), rel=1e-9)


def test_drawn_flips_agree_with_scipys_permutation_test():
    random = np.random.default_rng(0)
    first, second = random.random(40) ** 2, random.random(40)
    found = sign_flip_test(first, second, np.arange(40), Settings(n_samples=20_000))
    theirs = stats.permutation_test(
        (first, second), lambda a, b: np.mean(a - b), permutation_type="samples", rng=1
    )
    assert found.method == "sign-flip sampled"
    assert found.p_value == pytest.approx(theirs.pvalue, abs=0.01)


def test_mcnemars_test_refuses_what_it_is_not_for():
    first, second = _arms(5, 3, 10)
    shared = mcnemar_test(first, second, np.arange(18) // 2)
    assert shared.p_value is None
    assert "18 items share 9 clips" in shared.reason
    graded = mcnemar_test(first * 0.3, second, np.arange(18))
    assert "right and wrong" in graded.reason
    nothing = mcnemar_test(first * np.nan, second, np.arange(18))
    assert nothing.reason == "no item counts in both arms"
    assert sign_flip_test(first * np.nan, second, np.arange(18)).p_value is None


def test_holm_gives_the_worked_example():
    """Four tests at .01, .04, .03 and .005; an undefined one is not of the family."""
    adjusted = adjust_holm([0.01, 0.04, None, 0.03, 0.005])
    assert adjusted == [pytest.approx(p) if p else p for p in (0.03, 0.06, None, 0.06, 0.02)]
    assert adjust_holm([]) == []
    assert adjust_holm([0.6, 0.9]) == [1.0, 1.0]


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8))
def test_holm_is_between_no_correction_and_bonferronis(p_values):
    adjusted = adjust_holm(p_values)
    for p_value, found in zip(p_values, adjusted, strict=True):
        assert p_value <= found <= min(1.0, len(p_values) * p_value)


def test_a_clear_difference_differs():
    found = contrast(*_arms(80, 10, 110), np.arange(200) // 2, SETTINGS)
    verdict = decide(found, found.test.p_value)
    assert verdict.verdict == "differs"
    assert verdict.sentence.startswith("+35.0 points (95 % interval ")


def test_two_arms_that_agree_are_equivalent_only_on_enough_clips():
    """z²/(clips + z²) < .03 at confidence .9 asks for 88 clips where no item is discordant."""
    verdicts = [
        decide(found, found.test.p_value).verdict
        for clips in (87, 88)
        for found in [contrast(*_arms(0, 0, 4 * clips), np.arange(4 * clips) // 4, SETTINGS)]
    ]
    assert verdicts == ["undecided", "equivalent"]


def test_noise_on_few_items_is_undecided():
    found = contrast(*_arms(12, 10, 78), np.arange(100), SETTINGS)
    assert decide(found, found.test.p_value).verdict == "undecided"


def test_a_real_but_small_difference_is_equivalent_and_says_that_it_is_not_zero():
    arms = _arms(300, 100, 19_600)
    found = contrast(*arms, np.arange(20_000), SETTINGS)
    verdict = decide(found, found.test.p_value)
    assert verdict.verdict == "equivalent"
    assert "not zero, but within 3 points of zero" in verdict.sentence


def test_without_an_interval_or_a_value_nothing_is_decided():
    few = contrast(*_arms(20, 0, 0), np.arange(20) // 5, SETTINGS)
    assert decide(few, few.test.p_value).verdict == "undecided"
    none = contrast([np.nan] * 20, [1.0] * 20, np.arange(20), SETTINGS)
    assert "no item counts in both arms" in decide(none, None).sentence


def test_a_family_is_decided_by_holm():
    arms = [_arms(20, 7, 173)] * 4
    contrasts = contrast_all(arms, np.arange(200), SETTINGS)
    assert contrasts[0].test.p_value == pytest.approx(0.019, abs=1e-3)
    assert decide(contrasts[0], contrasts[0].test.p_value).verdict == "differs"
    assert {each.verdict for each in decide_all(contrasts)} == {"undecided"}


def test_estimates_and_contrasts_of_one_pass_are_those_made_apart():
    first, second = _arms(30, 20, 50)
    clusters = np.arange(100) // 2
    graded = mean(0.7 * first)
    estimates, contrasts = infer_all([graded], [(first, second)], clusters, SETTINGS)
    assert contrasts == contrast_all([(first, second)], clusters, SETTINGS)
    assert estimates[0].value == pytest.approx(0.7 * first.mean())


def test_worst_case_bounds_hold_every_completion():
    nan = np.nan
    first, second = np.array([1.0, nan, 0.0, 1.0]), np.array([0.0, 1.0, nan, nan])
    found = worst_case(first, second, [True, True, True, False])
    diffs = [np.mean([1.0, a - 1.0, 0.0 - b]) for a in (0.0, 0.5, 1.0) for b in (0.0, 0.5, 1.0)]
    assert (found.low, found.high) == pytest.approx((min(diffs), max(diffs)))
    assert (found.n, found.n_missing_first, found.n_missing_second) == (3, 1, 1)
    assert worst_case(first, second, [False] * 4).low is None
    with pytest.raises(ParameterError, match="have 4, 4 and 1 items"):
        worst_case(first, second, [True])


def test_items_needed_are_those_of_the_textbook():
    """Connor 1987: ψ = .3, d = .1, α = .05, power .8 ask for 234 pairs."""
    assert items_needed(0.1, 0.3, 0.05, 0.8) == pytest.approx(234, abs=1)
    with pytest.raises(ParameterError, match="at most the discordance"):
        items_needed(0.4, 0.3, 0.05, 0.8)


def test_sensitivity_rests_on_what_was_seen():
    first, second = _arms(40, 20, 140)
    found = sensitivity(first, second, np.arange(200))
    assert found.detectable.discordance == pytest.approx(0.3)
    assert found.detectable.design_effect == 1.0
    assert found.items_needed == np.ceil(items_needed(0.03, 0.3, 0.05, 0.8))
    assert sensitivity(first, first, np.arange(200)).reason == "no item differs between the arms"
    assert sensitivity([np.nan], [1.0], [0]).reason == "no item counts in both arms"
    rare = sensitivity(*_arms(2, 0, 198), np.arange(200))
    assert rare.items_needed is None
    assert "less than the margin" in rare.reason


def test_the_correlation_within_clips_is_found():
    random = np.random.default_rng(6)
    places = np.repeat(np.arange(3000), 4)
    values = np.sqrt(0.3) * random.standard_normal(3000)[places]
    values = values + np.sqrt(0.7) * random.standard_normal(places.size)
    assert intracluster_correlation(values, places) == pytest.approx(0.3, abs=0.02)
    assert intracluster_correlation(values, np.arange(values.size)) == 0.0
    assert intracluster_correlation(np.repeat(random.random(9), 2), np.arange(18) // 2) == 1.0


def test_models_are_ranked_with_their_doubt():
    random = np.random.default_rng(7)
    scores = (random.random((3, 400)) < [[0.5], [0.9], [0.5]]).astype(float)
    scores[2] = np.roll(scores[0], 100)
    scores[2, np.flatnonzero(scores[2] == 0.0)[:2]] = 1.0
    scores[0, :5] = np.nan
    found = rank_models(["a", "b", "c"], scores, np.arange(400) // 2, SETTINGS)
    best = found.rankings[1]
    assert (best.rank, best.low, best.high, best.share_first) == (1.0, 1.0, 1.0, 1.0)
    assert found.n == 395
    assert {found.rankings[0].low, found.rankings[2].low} == {2.0}
    assert {found.rankings[0].high, found.rankings[2].high} == {3.0}
    assert 0.5 < found.same_order < 1.0
    pairs = compare_models(scores, np.arange(400) // 2, SETTINGS)
    assert pairs[0, 1].difference.high < 0.0
    assert list(pairs) == [(0, 1), (0, 2), (1, 2)]


def test_models_that_tie_share_their_rank():
    scores = np.tile(np.arange(40) % 2, (2, 1)).astype(float)
    found = rank_models(["a", "b"], scores, np.arange(40), SETTINGS)
    assert [each.rank for each in found.rankings] == [1.5, 1.5]
    assert [each.share_first for each in found.rankings] == [1.0, 1.0]
    none = rank_models(["a", "b"], scores * np.nan, np.arange(40), SETTINGS)
    assert none.reason == "the items that count for all models have 0 clips"
