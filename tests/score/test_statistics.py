"""Each statistic against its closed form or its published figure."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from perturb.errors import ParameterError
from perturb.score.inference.estimating import estimate
from perturb.score.inference.statistic import difference, mean
from perturb.score.inference.wilson import wilson_interval
from perturb.score.statistics.abstention import abstains
from perturb.score.statistics.accuracy import accuracy
from perturb.score.statistics.always_first import always_first
from perturb.score.statistics.answer_states import in_state
from perturb.score.statistics.audit_labels import label_shares
from perturb.score.statistics.chain import chain_floor, chain_scores, link_by_perception
from perturb.score.statistics.chance import above_chance, chance
from perturb.score.statistics.contribution import contribution
from perturb.score.statistics.correct_on_silence import (
    correct_on_silence,
    still_correct_on_silence,
)
from perturb.score.statistics.flip_rate import flips
from perturb.score.statistics.flip_to_expected import flip_to_expected
from perturb.score.statistics.follows_donor import follows_donor
from perturb.score.statistics.influence_rate import influenced
from perturb.score.statistics.longest_option import longest_option
from perturb.score.statistics.majority import majority
from perturb.score.statistics.mislead_rate import conflict_gap, mislead_rate
from perturb.score.statistics.noise_floor import noise_floor
from perturb.score.statistics.paired_accuracy import both_right, count_orphans, paired_floor
from perturb.score.statistics.pairs import pair_up
from perturb.score.statistics.retained_ratio import retained_ratio
from perturb.score.statistics.rubric import Criterion, rubric_score
from perturb.score.statistics.same_answer import same_answer, same_answer_floor
from perturb.score.statistics.tonal import tonal_contrast
from perturb.score.statistics.weak_strong import expected_weak, weak_items
from perturb.score.statistics.weighted_average import weighted_average
from perturb.score.statistics.yes_rate import says_yes

NAN = np.nan
ALL = np.ones(4, dtype=bool)


def same(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_accuracy_counts_what_counts():
    assert accuracy([1, 0, 1, NAN]).value() == pytest.approx(2 / 3)
    assert accuracy([1, 0]).interval == "wilson"
    assert accuracy([1, 0.5]).interval == "bootstrap"
    assert estimate(accuracy([NAN]), [0]).reason == "no row of this condition counts"


def test_the_average_weighted_by_items_is_the_accuracy_over_all():
    correct, groups = [1, 0, 1, 1, NAN, 0], list("aabbbc")
    assert weighted_average(correct, groups).value() == pytest.approx(3 / 5)
    assert weighted_average(correct, groups, "equal").value() == pytest.approx((0.5 + 1 + 0) / 3)
    weights = {"a": 1.0, "b": 3.0, "c": 0.0}
    assert weighted_average(correct, groups, weights).value() == pytest.approx((0.5 + 3) / 4)


def test_a_weighted_group_without_items_leaves_the_average_undefined():
    found = estimate(weighted_average([1, NAN], ["a", "b"], "equal"), [0, 1])
    assert (found.value, found.reason) == (None, "no item of b counts")
    assert weighted_average([1, NAN], ["a", "b"], "items").value() == 1.0
    assert np.isnan(weighted_average([NAN], ["a"]).value())


def test_chance_is_one_over_the_options_and_copies_of_the_gold_count():
    same(chance([4, 2, 0], [1, 1, 1]), [0.25, 0.5, NAN])
    same(chance([4], [2]), [0.5])
    assert above_chance([1, 0, 1], [4, 4, 0]).value() == pytest.approx(0.5 - 0.25)


def test_majority_is_taken_in_each_group():
    labels = [0, 0, 1, 2, 2, -1]
    assert np.nanmean(majority(labels)) == pytest.approx(2 / 5)
    same(majority(labels, list("aaabbb")), [1, 1, 0, 1, 1, NAN])
    same(majority([]), [])


def test_always_first_and_the_longest_option():
    same(always_first([0, 2, -1]), [1, 0, NAN])
    same(always_first([0, 2, -1], place=2), [0, 1, NAN])
    choices = [["no", "yes"], ["a dog", "a cat", "an owl"], ["ab", "cd", "e"], []]
    same(longest_option(choices, [1, 2, 0, -1]), [1, 1, 0.5, NAN])


def test_flips_are_changes_of_correctness_and_influence_any_change():
    same(flips([1, 0, 1, NAN], [0, 0, 0.6, 1]), [1, 0, 0, NAN])
    same(influenced([0, 1, -1, -1], [0, 2, 1, -1], ALL), [0, 1, 1, NAN])
    same(influenced([0, 1, 2, 3], [1, 1, 1, 1], [True, False, True, True]), [1, NAN, 1, 1])


def test_the_noise_floor_is_the_disagreement_of_pairs_of_runs():
    runs = np.array([[1, 1, 0, 1], [1, 0, 0, NAN], [1, 1, 1, NAN]])
    pairs = [flips(a, b) for a, b in itertools.combinations(runs, 2)]
    same(noise_floor(runs)[:3], np.mean(pairs, axis=0)[:3])
    assert np.isnan(noise_floor(runs)[3])
    same(noise_floor(runs[:2]), flips(runs[0], runs[1]))


def test_the_excess_over_the_floor_is_a_contrast_of_flips():
    probe, floor = flips([1, 1, 1, 1], [0, 0, 0, 1]), flips([1, 1, 1, 1], [0, 1, 1, NAN])
    assert difference(probe, floor).value() == pytest.approx(1 - 1 / 3)


def test_the_net_contribution_is_gained_minus_lost():
    random = np.random.default_rng(0)
    heard, without = random.integers(0, 2, (2, 300)).astype(float)
    heard[:20] = NAN
    found = contribution(heard, without)
    assert found.net.value() == pytest.approx(found.gained.value() - found.lost.value())
    assert found.net.value() == pytest.approx(heard[20:].mean() - without[20:].mean())
    assert found.gained.value() == np.mean((heard[20:] == 1) & (without[20:] == 0))
    assert found.gained.interval == "wilson"


def test_shares_on_silence():
    """49.8 % of 1,000 MMAU items: Wilson's interval is .467 to .529."""
    silenced = np.r_[np.ones(498), np.zeros(502)]
    found = estimate(correct_on_silence(silenced), np.arange(1000))
    assert (found.low, found.high) == pytest.approx((0.467, 0.529), abs=5e-4)
    assert still_correct_on_silence([1, 1, 0, 1], [1, 0, 1, NAN]).value() == 0.5
    nothing = estimate(still_correct_on_silence([0.0], [1.0]), [0])
    assert "right with the audio" in nothing.reason


def test_the_retained_ratio_is_over_the_items_of_both():
    assert retained_ratio([1, 0, 1, 1], [1, 1, 1, NAN]).value() == pytest.approx(2 / 3)
    assert "is right on repeat" in estimate(retained_ratio([1.0], [0.0]), [0]).reason


def test_followers_of_the_donor_are_sought_where_it_can_be_told():
    found = follows_donor([1, 1, 0, -1], [1, 1, -1, 2], [0, 1, 0, 0], ALL)
    same(found, [1, NAN, NAN, 0])


def test_abstention_counts_where_it_is_offered():
    same(abstains([3, 0, 2, 3], [(3,), (3,), (), (2, 3)], ALL), [1, 0, NAN, 1])
    same(abstains([3], [(3,)], [False]), [NAN])


def test_flips_to_the_expected_answer():
    found = flip_to_expected([1, 1, 0, 1], [1, 0, 1, NAN], [0, 1, 0, NAN])
    assert [each.value() for each in found] == pytest.approx([2 / 3, 1 / 2, 1 / 2])


def test_pairs_are_units_and_orphans_are_counted():
    pairs = pair_up(["p", "q", "p", "r", "q"])
    assert [each.tolist() for each in pairs] == [[0, 1], [2, 4], [3]]
    correct = np.array([1, 1, 1, 1, 0.0])
    same(both_right(correct[pairs.first], correct[pairs.second]), [1, 0])
    assert count_orphans([1, NAN, NAN], [1, 0, NAN]) == 1
    same(both_right([1, NAN], [1, 0]), [1, NAN])
    with pytest.raises(ParameterError, match="1 pairs have more than two rows, p the first"):
        pair_up(["p", "p", "p"])


def test_the_floors_of_pairs_are_hears():
    """Five options: paired 4 %, same answer 20 %; and an independent guesser gets them."""
    assert paired_floor([5], [5])[0] == pytest.approx(0.04)
    assert same_answer_floor([5])[0] == pytest.approx(0.20)
    assert np.isnan(paired_floor([0], [5])[0])
    first, second = np.random.default_rng(1).integers(0, 5, (2, 100_000))
    paired = both_right((first == 0).astype(float), (second == 1).astype(float))
    assert paired.mean() == pytest.approx(0.04, abs=0.002)
    kept = same_answer(first, second, np.ones(100_000, dtype=bool))
    assert kept.mean() == pytest.approx(0.20, abs=0.004)


def test_the_same_answer_needs_an_answer():
    same(same_answer([1, 1, -1, -1], [1, 2, 1, -1], ALL), [1, 0, 0, NAN])


def test_the_floor_of_a_chain_is_audiospans():
    """10.9 %, 0 in three quarters of cases and 1 in one of 64: by enumeration."""
    outcomes = [
        (Fraction(1, 4) ** sum(links) * Fraction(3, 4) ** (3 - sum(links)), links)
        for links in itertools.product([0, 1], repeat=3)
    ]
    scores = chain_scores([links for _, links in outcomes])
    weights = np.array([float(weight) for weight, _ in outcomes])
    assert weights @ scores == pytest.approx(0.109375)
    assert weights[scores == 0].sum() == pytest.approx(0.75)
    assert weights[scores == 1].sum() == pytest.approx(1 / 64)
    same(chain_floor([[4, 4, 4]]), [0.109375])


def test_a_chain_scores_its_longest_correct_prefix():
    links = [[1, 1, 1], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, NAN, 1], [0, NAN, 0]]
    same(chain_scores(links), [1, 2 / 3, 1 / 3, 0, NAN, NAN])
    understanding = link_by_perception(links, 1)
    assert understanding.perceived.value() == pytest.approx(2 / 3)
    assert understanding.missed.value() == 1.0
    assert link_by_perception(links, 2).perceived.value() == pytest.approx(3 / 4)
    with pytest.raises(ParameterError, match="link is 3; accepted: 1 to 2"):
        link_by_perception(links, 3)


def test_who_falls_for_the_trap():
    choice, trap = np.array([1, 1, 0, 2]), np.array([1, 0, 2, -1])
    assert mislead_rate(choice, trap, ALL).value() == pytest.approx(1 / 3)
    assert mislead_rate(choice, trap, ALL).interval == "bootstrap"
    assert conflict_gap([1, 0, 0, 1], trap >= 0).value() == pytest.approx(1 - 1 / 3)
    assert np.isnan(conflict_gap([1, 0], [True, True]).value())


def test_the_interval_of_the_mislead_rate_is_that_of_its_dialogues():
    """333 conflict items: where dialogues decide as a whole, the interval is as wide as theirs."""
    dialogues = np.arange(333) // 9
    misled = (dialogues % 2 == 0).astype(int)
    found = estimate(mislead_rate(misled, np.ones(333), np.ones(333)), dialogues)
    spread = 1.96 * np.sqrt(0.25 / 37)
    assert found.high - found.low == pytest.approx(2 * spread, rel=0.12)


@pytest.mark.parametrize(
    ("kind", "semantic", "reference", "answered", "expected"),
    [
        ("essential", 2, 10.0, 99.0, 1.0),
        ("essential", 1, None, None, 0.5),
        ("localisation", 2, 10.0, 15.0, 1.0),
        ("localisation", 1, 10.0, 5.0, 1.0),
        ("localisation", 2, 10.0, 15.1, 0.0),
        ("localisation", 0, 10.0, 10.0, 0.0),
        ("localisation", 1, 10.0, None, 0.5),
        ("supporting", 2, None, 4.0, 1.0),
        ("supporting", 2, 10.0, 99.0, 0.5),
        ("supporting", 1, 10.0, 12.0, 0.75),
        ("supporting", 0, 10.0, 10.0, 0.0),
        ("supporting", 1, 10.0, None, 0.5),
    ],
)
def test_a_criterion_is_graded_by_audiospans_rules(kind, semantic, reference, answered, expected):
    criterion = Criterion(kind=kind, semantic=semantic, reference_s=reference, answered_s=answered)
    assert criterion.score() == expected


def test_a_rubric_is_the_weighted_mean_of_its_criteria():
    right, wrong = (Criterion(kind="essential", semantic=grade) for grade in (2, 0))
    half = Criterion(kind="supporting", semantic=2)
    assert rubric_score([right, wrong, half]) == pytest.approx(1.5 / 2.5)
    assert np.isnan(rubric_score([]))
    with pytest.raises(ParameterError, match="semantic is 3"):
        Criterion(kind="essential", semantic=3)


def test_audit_labels_are_shares_of_the_audited():
    labels = ["genuine", "lucky", None, "genuine", "partial"]
    shares = {name: each.value() for name, each in label_shares(labels).items()}
    assert shares == {"genuine": 0.5, "lucky": 0.25, "partial": 0.25}
    weighted = label_shares(labels, [10, 2, 1, 10, 2])
    assert weighted["genuine"].value() == pytest.approx(20 / 24)
    assert label_shares([None]) == {}


def test_weak_items_are_those_that_k_of_m_answer_unheard():
    scores = [[1, 1, 0, 1, 0], [1, 0, 0, NAN, NAN], [1, 1, 0, 0, 0]]
    same(weak_items(scores, 2), [1, 1, 0, NAN, 0])
    same(weak_items(scores, 3), [1, 0, 0, 0, 0])
    with pytest.raises(ParameterError, match="k is 4"):
        weak_items(scores, 4)


def test_guessers_make_items_look_weak_as_often_as_expected():
    """AudioSpan's gate, right in more than 1/3 of three rollouts: 10/64 at four options."""
    assert expected_weak([0.25], 3, 2)[0] == pytest.approx(10 / 64)
    guesses = (np.random.default_rng(2).random((3, 100_000)) < 0.25).astype(float)
    assert weak_items(guesses, 2).mean() == pytest.approx(10 / 64, abs=0.004)


def test_tonal_and_other_languages_are_compared_label_by_label():
    """Equal on each shared label, unlike mixes: the raw gap is Simpson's, the controlled one 0."""
    labels = ["joy"] * 8 + ["fear"] * 2 + ["joy"] * 2 + ["fear"] * 8 + ["awe"] * 5
    correct = [1] * 8 + [0] * 2 + [1] * 2 + [0] * 8 + [1] * 5
    tonal = [True] * 10 + [False] * 15
    found = tonal_contrast(correct, labels, tonal)
    assert found.labels == ("fear", "joy")
    assert found.tonal.value() == 0.8
    assert found.non_tonal.value() == 0.2
    assert found.difference.value() == pytest.approx(0.0)
    share = estimate(found.tonal, np.arange(25))
    assert (share.low, share.high) == wilson_interval(0.8, 10, 0.95)


def test_without_a_shared_label_tonal_languages_cannot_be_compared():
    found = tonal_contrast([1, 0], ["a", "b"], [True, False])
    assert np.isnan(found.difference.value())
    assert estimate(found.difference, [0, 1]).reason.startswith("no gold label")


def test_the_difference_by_label_is_weighted_by_the_items_of_both():
    correct, labels = [1, 1, 0, 0, 1, 0], list("aabaab")
    found = tonal_contrast(correct, labels, [True] * 3 + [False] * 3)
    assert found.difference.value() == pytest.approx((4 * 0.5 + 2 * 0.0) / 6)


def test_yes_rate_and_states():
    same(says_yes([0, 1, -1, 0], [0, 0, 0, -1], ALL), [1, 0, NAN, NAN])
    same(in_state([0, 1, 2, 5], 2, [True, True, True, False]), [0, 0, 1, NAN])
    assert mean(in_state([2, 2], 2, ALL[:2])).value() == 1.0


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda: weighted_average([1], ["a"], {"b": 1.0}), "weights has none for a"),
        (lambda: weighted_average([1], ["a"], {"a": -1.0}), "at least 0"),
        (lambda: weighted_average([1], ["a"], "mine"), "'items', 'equal' or a table"),
        (lambda: weighted_average([1], ["a", "b"]), "groups has 2 items"),
        (lambda: majority([1], ["a", "b"]), "groups has 2 items"),
        (lambda: longest_option([["a"]], [0, 1]), "gold_index has 2"),
        (lambda: influenced([1], [1, 2], [True]), "have 1, 2 and 1 items"),
        (lambda: abstains([1], [(1,), ()], [True]), "have 1, 2 and 1"),
        (lambda: noise_floor([1.0]), r"accepted: \(runs, items\)"),
        (lambda: chain_scores([1.0]), r"accepted: \(chains, links\)"),
        (lambda: tonal_contrast([1], ["a", "b"], [True]), "have 1, 2 and 1 items"),
        (lambda: label_shares(["a"], [0.0]), "one number above 0"),
    ],
)
def test_bad_input_is_refused(work, message):
    with pytest.raises(ParameterError, match=message):
        work()
