"""What a figure shows is what the score says: values are read back out of the drawing."""

from __future__ import annotations

import msgspec
import pytest

from perturb.report.figures.accuracy import accuracy_figure, models_figure
from perturb.report.figures.attrition import answers_figure, edits_figure
from perturb.report.figures.beside import beside_figure
from perturb.report.figures.dose import dose_figure
from perturb.report.figures.groups import groups_figure
from perturb.report.figures.models import pairs_figure, ranks_figure
from perturb.report.figures.paired import paired_figure
from perturb.report.figures.probe_sham import probe_sham_figure
from tests.report import specimens
from tests.report.reading import Scale, parse, rows_of, scales, texts

PAPERS = ("wide", "narrow")
PIXEL = 0.004  # of the axis: a hundredth of a pixel in its coordinates, and then some


@pytest.fixture(scope="module")
def result():
    return specimens.result(2, 8)


@pytest.fixture(scope="module")
def model(result):
    return result.models[0]


def check_point(seen, estimate):
    assert seen.value == pytest.approx(estimate.value, abs=PIXEL)
    assert seen.low == pytest.approx(estimate.low, abs=PIXEL)
    assert seen.high == pytest.approx(estimate.high, abs=PIXEL)


@pytest.mark.parametrize("paper", PAPERS)
def test_dots_and_intervals_of_accuracies_stand_at_their_values(result, model, paper):
    tree = parse(getattr(accuracy_figure(result, model, "accuracy"), paper))
    rows = rows_of(tree)
    scores = {one.condition: one.accuracy for one in model.conditions}
    assert {name for name, _ in rows} == scores.keys()
    for name, [[seen]] in rows:
        check_point(seen, scores[name])
    lines = {
        line.get("class"): scales(tree)[0](float(line.get("x1")))
        for line in tree.iter("line")
        if line.get("class", "").startswith("reference") and line.get("y1") != line.get("y2")
    }
    baselines = result.baselines
    assert lines == {
        "reference chance": pytest.approx(baselines.chance.value, abs=PIXEL),
        "reference majority": pytest.approx(baselines.majority.value, abs=PIXEL),
        "reference always_first": pytest.approx(baselines.always_first.value, abs=PIXEL),
    }


def test_numbers_beside_the_dots_are_those_of_the_score(result, model):
    values = texts(parse(accuracy_figure(result, model, "accuracy").wide), "value")
    first = model.conditions[0].accuracy
    assert values[0] == (
        f"{100 * first.value:.1f} % ({100 * first.low:.1f} to {100 * first.high:.1f}), n = 480"
    )


@pytest.mark.parametrize("paper", PAPERS)
def test_each_model_has_its_column(result, paper):
    tree = parse(getattr(models_figure(result, "models"), paper))
    for name, cells in rows_of(tree):
        for [seen], model in zip(cells, result.models, strict=True):
            score = next(one for one in model.conditions if one.condition == name)
            check_point(seen, score.accuracy)


def test_a_sham_follows_its_probe(result, model):
    rows = rows_of(parse(accuracy_figure(result, model, "accuracy").wide))
    names = [name for name, _ in rows]
    for name in names:
        if name.endswith("_sham"):
            assert names[names.index(name) - 1] == name.removesuffix("_sham")


def test_probe_and_sham_and_their_difference_stand_at_their_values(result, model):
    tree = parse(probe_sham_figure(result, model, "probe-sham").wide)
    values = {one.condition: one.accuracy.value for one in model.conditions}
    for (name, (arms, [seen])), one in zip(rows_of(tree), model.comparisons, strict=True):
        assert name == one.first
        assert [arm.value for arm in arms] == [
            pytest.approx(values[each], abs=PIXEL) for each in (one.second, one.first)
        ]
        check_point(seen, one.contrast.difference)
        assert seen.kind == f"point {one.verdict.verdict}"


def test_the_band_is_as_wide_as_the_margin(result, model):
    tree = parse(probe_sham_figure(result, model, "probe-sham").wide)
    band = next(
        rect
        for rect in tree.iter("rect")
        if rect.get("class") == "band" and float(rect.get("height")) > 20
    )
    scale = scales(tree)[1]
    left = float(band.get("x"))
    assert scale(left) == pytest.approx(-0.03, abs=PIXEL)
    assert scale(left + float(band.get("width"))) == pytest.approx(0.03, abs=PIXEL)


def test_on_narrow_paper_differences_come_below_the_accuracies(result, model):
    tree = parse(probe_sham_figure(result, model, "probe-sham").narrow)
    rows = rows_of(tree)
    half = len(model.comparisons)
    assert len(rows) == 2 * half
    for (_, [[seen]]), one in zip(rows[half:], model.comparisons, strict=True):
        check_point(seen, one.contrast.difference)


@pytest.mark.parametrize("paper", PAPERS)
def test_parts_of_a_paired_bar_are_the_shares_of_its_cells(model, paper):
    tree = parse(getattr(paired_figure(model, "paired"), paper))
    seconds = list(dict.fromkeys(one.second for one in model.paired))
    grouped = sorted(model.paired, key=lambda one: seconds.index(one.second))
    for (name, [parts]), one in zip(rows_of(tree), grouped, strict=True):
        assert name == one.first
        counts = (one.both, one.only_first, one.only_second, one.neither)
        shares = [seen.high - seen.low for seen in parts]
        assert shares == [pytest.approx(count / sum(counts), abs=PIXEL) for count in counts]
        assert parts[0].low == pytest.approx(0.0, abs=PIXEL)
        assert parts[-1].high == pytest.approx(1.0, abs=PIXEL)


def test_bars_of_attrition_are_the_shares_of_statuses_and_states(result, model):
    edits = dict(rows_of(parse(edits_figure(result, "edits").wide)))
    for facts in result.conditions:
        seen = {part.kind.split()[1]: part.high - part.low for part in edits[facts.condition][0]}
        expected = {
            status: pytest.approx(count / facts.rows, abs=PIXEL)
            for status, count in facts.statuses.items()
            if count
        }
        assert seen == expected
    answers = dict(rows_of(parse(answers_figure(result, model, "answers").wide)))
    for score in model.conditions:
        seen = {part.kind.split()[1]: part.high - part.low for part in answers[score.condition][0]}
        assert seen == {
            state: pytest.approx(count / 480, abs=PIXEL) for state, count in score.states.items()
        }


@pytest.mark.parametrize("by", ["task", "language"])
def test_groups_have_a_column_each(result, model, by):
    tree = parse(groups_figure(result, model, by, by).wide)
    found = {(one.group, one.condition): one for one in model.groups if one.by == by}
    groups = list(dict.fromkeys(group for group, _ in found))
    for name, cells in rows_of(tree):
        for [seen], group in zip(cells, groups, strict=True):
            check_point(seen, found[group, name].accuracy)
    assert texts(tree, "head") == [f"{group} (160)" for group in groups]


def test_measures_stand_beside_what_they_are_held_against(model):
    tree = parse(beside_figure(model, "noise").wide)
    rows = dict(rows_of(tree))
    check_point(rows["the same bytes twice"][0][0], model.noise_floor)
    flips = model.measures[0]
    assert texts(tree, "heading") == [flips.title, "paired accuracy"]
    beside, seen = rows[flips.condition][0]
    check_point(seen, flips.estimate)
    check_point(beside, flips.beside[0].estimate)
    assert beside.kind == "point beside"
    assert rows["all"] == [[]]  # paired accuracy is undefined; the retained ratio is no share


def dose_places(tree):
    ticks = [text for text in tree.iter("text") if text.get("class") == "tick"]
    upright = [each for each in ticks if each.get("text-anchor") == "end"]
    level = [each for each in ticks if each.get("text-anchor") == "middle"]
    doses = Scale([(float(each.get("x")), float(each.text.replace("−", "-"))) for each in level])
    shares = Scale(
        [(float(each.get("y")) - 4.0, float(each.text.removesuffix(" %"))) for each in upright]
    )
    return doses, shares


@pytest.mark.parametrize("paper", PAPERS)
def test_a_dose_curve_passes_through_its_numbers(paper):
    curve = specimens.dose_curve()
    tree = parse(getattr(dose_figure(curve, "qwen", "dose"), paper))
    doses, shares = dose_places(tree)
    points = [group for group in tree.iter("g") if group.get("class") == "point probe"][1:]
    response = curve.response
    for point, dose, found in zip(points, response.doses, response.accuracies, strict=True):
        dot, interval = point.find("circle"), point.find("line")
        assert doses(float(dot.get("cx"))) == pytest.approx(dose, abs=0.1)
        assert shares(float(dot.get("cy"))) == pytest.approx(100 * found.value, abs=0.5)
        assert shares(float(interval.get("y1"))) == pytest.approx(100 * found.low, abs=0.5)
        assert shares(float(interval.get("y2"))) == pytest.approx(100 * found.high, abs=0.5)
    threshold = [line for line in tree.iter("line") if line.get("class") == "threshold"]
    assert doses(float(threshold[0].get("x1"))) == pytest.approx(2.4, abs=0.1)
    band = next(rect for rect in tree.iter("rect") if rect.get("class") == "threshold-band")
    assert doses(float(band.get("x"))) == pytest.approx(0.8, abs=0.1)
    assert doses(float(band.get("x")) + float(band.get("width"))) == pytest.approx(4.1, abs=0.1)
    fitted = tree.find(".//polyline[@class='curve']").get("points").split()
    places = [tuple(map(float, place.split(","))) for place in fitted]
    middle = min(places, key=lambda place: abs(doses(place[0]) - 2.4))
    assert shares(middle[1]) == pytest.approx((25 + 82) / 2, abs=1.0)


def test_without_a_threshold_there_is_no_curve_and_the_reason_is_told():
    figure = dose_figure(specimens.dose_curve(has_threshold=False), "qwen", "dose")
    tree = parse(figure.wide)
    assert tree.find(".//polyline") is None
    assert not [line for line in tree.iter("line") if line.get("class") == "threshold"]
    assert "No threshold: accuracy does not change over the doses" in figure.caption


def test_ranks_and_pairs_of_models_stand_at_their_values(result):
    compared = result.compared[0]
    tree = parse(ranks_figure(compared, "ranks").wide)
    ticks = [text for text in tree.iter("text") if text.get("class") == "tick"]
    scale = Scale([(float(text.get("x")), float(text.text)) for text in ticks])
    dots = [float(dot.get("cx")) for dot in tree.iter("circle")]
    assert [scale(x) for x in dots] == [
        pytest.approx(one.rank, abs=0.01) for one in compared.ranks.rankings
    ]
    [(_, [[seen]])] = rows_of(parse(pairs_figure(compared, 0.03, "pairs").wide))
    check_point(seen, compared.pairs[0].contrast.difference)


def test_what_is_undefined_shows_its_reason_and_no_dot():
    empty = specimens.empty_result()
    tree = parse(accuracy_figure(empty, empty.models[0], "accuracy").wide)
    assert [marks for _, [marks] in rows_of(tree)] == [[], []]
    assert texts(tree, "note") == ["every row is missing"] * 2


def test_a_value_without_an_interval_is_a_hollow_dot(result, model):
    accuracy = msgspec.structs.replace(
        model.conditions[0].accuracy, low=None, high=None, method="none", reason="3 clips"
    )
    score = msgspec.structs.replace(model.conditions[0], accuracy=accuracy)
    lone = msgspec.structs.replace(model, conditions=(score,))
    tree = parse(accuracy_figure(result, lone, "accuracy").wide)
    [(_, [[seen]])] = rows_of(tree)
    assert (seen.kind, seen.low) == ("point unedited bare", None)
    assert seen.value == pytest.approx(accuracy.value, abs=PIXEL)
    assert "(no interval)" in texts(tree, "value")[0]


@pytest.mark.parametrize(("models", "conditions"), [(1, 2), (3, 5), (8, 40)])
def test_nothing_leaves_the_paper(models, conditions):
    big = specimens.result(models, conditions)
    figures = [
        models_figure(big, "models"),
        probe_sham_figure(big, big.models[-1], "probe-sham"),
        groups_figure(big, big.models[-1], "task", "task"),
    ]
    for figure in figures:
        for drawing in (figure.wide, figure.narrow):
            for line in parse(drawing).iter("line"):
                ends = [float(line.get(key)) for key in ("x1", "x2")]
                assert all(-0.01 <= end <= drawing.width + 0.01 for end in ends)
