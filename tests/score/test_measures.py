"""Every family of measures through ``perturb score``, against numbers known beforehand."""

from __future__ import annotations

import csv
import json

import pytest

from tests.score.made import LABELS, describe, make_item, make_split, write_answers
from tests.score.test_cli_score import check_reasons

PLAIN = [describe("original"), describe("repeat")]
SILENCE = describe("silence", recipe="seabed/silence")


class Scored:
    """The result of one command, by measure."""

    def __init__(self, envelope):
        self.result = envelope["result"]
        self.findings = envelope["findings"]
        check_reasons(self.result)

    def model(self, name="model"):
        return next(one for one in self.result["models"] if one["model"] == name)

    def measure(self, name, condition="original", model="model", **group):
        found = [
            one
            for one in self.model(model)["measures"]
            if (one["name"], one["condition"]) == (name, condition)
            and one["group"].items() >= group.items()
        ]
        assert len(found) == 1, (name, condition, len(found))
        return found[0]

    def value(self, *names, **group):
        return self.measure(*names, **group)["estimate"]["value"]

    def reason(self, family):
        found = [one for one in self.result["not_applicable"] if one["family"] == family]
        assert len(found) == 1
        return found[0]["reason"]


@pytest.fixture
def score(cli, tmp_path):
    """Return a function that makes a split and answers, and scores them with the command."""

    def run(items, conditions, answer, *words, rows=lambda item, name: {}, models=("model",)):
        split = make_split(tmp_path / "split", items, conditions, rows)
        names = [one["condition"]["name"] for one in conditions]
        for model in models:
            said = answer[model] if isinstance(answer, dict) else answer
            write_answers(tmp_path / "answers" / model, items, names, said)
        done = cli("score", split, tmp_path / "answers", "--samples", "400", "--json", *words)
        assert done.code in (0, 1), done.err
        return Scored(done.envelope)

    return run


def gold(item, name):
    return item.answer


def wrong(item):
    return item.choices[(item.answer_index + 1) % len(item.choices)]


def write_table(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_contribution_has_its_halves_and_what_stays_right(score):
    """Of 40 items 30 are right with the audio; on silence 5 of them and 3 others."""
    items = [make_item(row, row % 4, per_clip=2) for row in range(40)]

    def answer(item, name):
        right = item.row < 5 or item.row >= 37 if name == "silence" else item.row < 30
        return item.answer if right else wrong(item)

    found = score(items, [*PLAIN, SILENCE], answer)
    assert found.value("net_contribution", "silence") == pytest.approx(22 / 40)
    assert found.value("gained", "silence") == pytest.approx(25 / 40)
    assert found.value("lost", "silence") == pytest.approx(3 / 40)
    assert found.value("correct_without_audio", "silence") == pytest.approx(8 / 40)
    assert found.value("still_correct_without_audio", "silence") == pytest.approx(5 / 30)
    assert found.value("retained_ratio", "silence") == pytest.approx(8 / 30)
    assert found.value("flip_rate", "silence") == pytest.approx(28 / 40)
    table = next(
        one
        for one in found.model()["paired"]
        if (one["first"], one["second"]) == ("silence", "repeat")
    )
    cells = [table[key] for key in ("both", "only_first", "only_second", "neither")]
    assert cells == [5, 3, 25, 7]


def test_accuracy_by_task_and_language_with_their_baselines(score):
    items = [
        make_item(
            row,
            0 if row < 30 else row % 4,
            per_clip=1,
            task="emotion" if row < 30 else "dialect",
            language=("th", "id", None)[row % 3],
        )
        for row in range(60)
    ]
    found = score(items, PLAIN, lambda item, name: item.answer if item.row < 40 else "z")
    groups = {
        (one["by"], one["group"], one["condition"]): one["accuracy"]
        for one in found.model()["groups"]
    }
    assert groups["task", "emotion", "original"]["value"] == 1.0
    assert groups["task", "dialect", "original"]["value"] == pytest.approx(1 / 3)
    assert groups["task", "dialect", "original"]["n"] == 30
    assert groups["language", "th", "original"]["n"] == 20
    assert groups["task", "dialect", "original"]["method"] == "wilson"
    baselines = {
        (one["by"], one["group"]): one["baselines"] for one in found.result["group_baselines"]
    }
    assert baselines["task", "emotion"]["always_first"]["value"] == 1.0
    assert baselines["task", "dialect"]["always_first"]["value"] == pytest.approx(7 / 30)
    alike = found.value("weighted_average", by="task", weights="alike")
    assert alike == pytest.approx((1.0 + 1 / 3) / 2)
    assert found.value("weighted_average", by="task", weights="by items") == pytest.approx(40 / 60)


def test_pairs_by_the_ids_of_their_members(score):
    """Five options; the originals are all right, of the variants a half, one has no partner."""
    five = (*LABELS, "bored")
    items = [
        make_item(2 * pair + member, (pair + member) % 5, 1, five, item_id=f"{pair}_{end}")
        for pair in range(30)
        for member, end in enumerate(("original", "hallucinated"))
    ][:-1]
    items.append(make_item(59, 0, 1, five, item_id="30_original"))

    def answer(item, name):
        pair, _, end = item.item_id.partition("_")
        if end == "original":
            return item.answer
        return item.answer if int(pair) % 2 else item.choices[int(pair) % 5]

    found = score(items, PLAIN, answer)
    assert found.value("paired_accuracy") == pytest.approx(14 / 29)
    assert found.value("same_answer_rate") == pytest.approx(15 / 29)
    floors = [
        found.measure(name)["beside"][0]["estimate"]["value"]
        for name in ("paired_accuracy", "same_answer_rate")
    ]
    assert floors == pytest.approx([0.04, 0.2])
    assert found.value("orphans") == 0  # by their ids they are no members
    assert found.result["clusters"] == 60 - 29  # members are drawn together


def test_pairs_by_a_table_count_their_orphans(score, tmp_path):
    items = [make_item(row, row % 4, per_clip=1) for row in range(41)]
    labels = write_table(
        tmp_path / "labels.csv", [{"id": one.item_id, "pair": one.row // 2} for one in items]
    )
    found = score(items, PLAIN, gold, "--labels", labels)
    assert found.value("orphans") == 1
    assert found.value("paired_accuracy") == 1.0


def test_chains_have_their_score_floor_and_later_links_by_perception(score, tmp_path):
    """Of 20 chains 5 are all right, 5 fail at reasoning, 10 miss perception and get the rest."""
    items = [make_item(row, row % 4, per_clip=3) for row in range(60)]
    rows = [
        {
            "id": one.item_id,
            "chain": f"chain {one.row // 3}",
            "link": ("perception", "understanding", "reasoning")[one.row % 3],
        }
        for one in items
    ]

    def answer(item, name):
        chain, link = divmod(item.row, 3)
        is_wrong = link == 0 if chain >= 10 else chain >= 5 and link == 2
        return wrong(item) if is_wrong else item.answer

    found = score(items, PLAIN, answer, "--labels", write_table(tmp_path / "labels.csv", rows))
    chain = found.measure("chain_score")
    assert chain["estimate"]["value"] == pytest.approx((5 * 1.0 + 5 * 2 / 3) / 20)
    assert chain["beside"][0]["estimate"]["value"] == pytest.approx((1 / 4 + 1 / 16 + 1 / 64) / 3)
    links = {
        (link, state): found.value("link_by_perception", link=link, perception=state)
        for link in ("understanding", "reasoning")
        for state in ("perceived", "missed")
    }
    assert links["understanding", "perceived"] == 1.0
    assert links["reasoning", "perceived"] == 0.5
    assert links["reasoning", "missed"] == 1.0


def test_chains_of_anchor_sets_come_with_their_items(score):
    items = [
        make_item(row, row % 4, 3, chain=f"clip {row // 3}", chain_level=str(row % 3 + 1))
        for row in range(36)
    ]
    assert score(items, PLAIN, gold).value("chain_score") == 1.0


def test_conflict_items_show_who_is_misled(score, tmp_path):
    """Of 30 conflict items 12 fall for the trap, 6 are wrong otherwise; the others are right."""
    items = [make_item(row, row % 4, per_clip=1) for row in range(50)]
    rows = [
        {
            "id": one.item_id,
            "trap": wrong(one) if one.row < 30 else "",
            "conflict": "conflict" if one.row < 30 else "consistent",
        }
        for one in items
    ]

    def answer(item, name):
        if item.row < 12:
            return wrong(item)
        return item.choices[item.answer_index - 1] if item.row < 18 else item.answer

    found = score(items, PLAIN, answer, "--labels", write_table(tmp_path / "labels.csv", rows))
    rate = found.measure("mislead_rate")["estimate"]
    assert (rate["value"], rate["n"]) == (pytest.approx(0.4), 30)
    assert rate["method"] == "bootstrap"  # of dialogues, as ContraTalk's
    assert found.value("accuracy_by_conflict", conflict="conflict") == pytest.approx(0.4)
    assert found.value("accuracy_by_conflict", conflict="consistent") == 1.0
    assert found.value("conflict_gap") == pytest.approx(0.6)
    claim = next(one for one in found.model()["claims"] if one["name"] == "misled_by_words")
    assert claim["verdict"] == "yes"


def test_audit_labels_are_weighted_by_what_they_stand_for(score, tmp_path):
    items = [make_item(row, row % 4, per_clip=1) for row in range(40)]
    rows = [
        {
            "id": one.item_id,
            "model": "model",
            "condition": "original",
            "audit": "genuine" if one.row < 10 else "lucky",
            "failure": "",
            "stands_for": 3 if one.row < 10 else 1,
        }
        for one in items[:20]
    ]
    found = score(items, PLAIN, gold, "--labels", write_table(tmp_path / "audit.csv", rows))
    assert found.value("audit_share", quality="genuine") == pytest.approx(0.75)
    assert found.value("audit_share", quality="lucky") == pytest.approx(0.25)


def test_tonal_languages_are_told_by_their_names(score):
    items = [make_item(row, row % 4, 1, language="Thai" if row < 20 else "id") for row in range(60)]
    found = score(items, PLAIN, lambda item, name: "z" if item.row < 10 else item.answer)
    assert found.value("tonal_difference") == pytest.approx(-0.5, abs=0.05)
    assert found.value("accuracy_tonal") == pytest.approx(0.5)
    assert found.value("accuracy_non_tonal") == 1.0


def test_an_edit_that_moves_the_answer_is_heard_or_not(score):
    items = [make_item(row, 0, per_clip=1) for row in range(40)]
    swapped = describe("voice_swapped")

    def rows(item, name):
        flips = {"expectation": "flips", "expected_answer": item.choices[1]}
        return flips if name == "voice_swapped" else {}

    def answer(item, name):
        return item.choices[name == "voice_swapped" and item.row < 30]

    found = score(items, [*PLAIN, swapped], answer, rows=rows)
    assert found.value("reached", "voice_swapped") == pytest.approx(0.75)
    assert found.value("moved", "voice_swapped") == pytest.approx(0.75)
    assert found.value("stuck", "voice_swapped") == pytest.approx(0.25)
    claim = next(one for one in found.model()["claims"] if one["name"] == "hears_the_change")
    assert claim["verdict"] == "yes"


def test_abstaining_is_right_without_the_audio(score):
    options = (*LABELS, "cannot be determined")
    items = [make_item(row, row % 4, 1, options, abstention=(4,)) for row in range(40)]

    def rows(item, name):
        return {"expectation": "unanswerable"} if name == "silence" else {}

    def answer(item, name):
        return options[4] if name == "silence" and item.row < 30 else item.answer

    found = score(items, [*PLAIN, SILENCE], answer, rows=rows)
    assert found.value("abstention", "silence") == pytest.approx(0.75)
    assert found.value("abstention_where_unanswerable", "silence") == pytest.approx(0.75)
    assert found.value("abstention", "original") == 0.0


def test_yes_rate_stands_beside_that_of_the_golds(score):
    items = [make_item(row, int(row % 4 == 0), 1, ("No", "Yes")) for row in range(40)]
    found = score(items, PLAIN, lambda item, name: "Yes")
    rate = found.measure("yes_rate")
    assert rate["estimate"]["value"] == 1.0
    assert rate["beside"][0]["estimate"]["value"] == pytest.approx(0.25)


def test_weak_items_are_those_that_k_of_m_models_answer_without_audio(score):
    items = [make_item(row, row % 4, per_clip=1) for row in range(40)]

    def knows(count):
        return lambda item, name: (
            item.answer if name != "silence" or item.row < count else wrong(item)
        )

    answers = {"one": knows(10), "two": knows(20)}
    found = score(items, [*PLAIN, SILENCE], answers, models=("one", "two"))
    shares = [found.value("weak_share", "silence", "one", weak=f"{k} of 2 models") for k in (1, 2)]
    assert shares == pytest.approx([0.5, 0.25])
    beside = found.measure("weak_share", "silence", "one", weak="1 of 2 models")["beside"][0]
    assert beside["estimate"]["value"] == pytest.approx(1 - 0.75**2)
    assert found.value("accuracy_on_strong", "original", "two", weak="1 of 2 models") == 1.0
    compared = found.result["compared"][0]
    assert compared["pairs"][0]["contrast"]["difference"]["value"] == 0.0
    assert [one["rank"] for one in compared["ranks"]["rankings"]] == [1.5, 1.5]


BANDS = (1, 2, 4, 8, 16, 32)


def test_conditions_that_differ_in_one_number_are_a_dose_curve(score):
    """Right shares of 25, 25, 40, 80, 95 and 95 % at 1 to 32 bands."""
    shares = dict(zip(BANDS, (0.25, 0.25, 0.4, 0.8, 0.95, 0.95), strict=True))
    items = [make_item(row, row % 4, per_clip=1) for row in range(200)]
    conditions = [
        describe(f"bands_{count}", recipe=f"dose/noise_vocoded_{count}") for count in BANDS
    ]

    def answer(item, name):
        share = shares.get(int(name.partition("_")[2] or 0), 1.0)
        return item.answer if item.row * 7 % 200 < share * 200 else wrong(item)

    found = score(items, [*PLAIN, *conditions], answer)
    (curve,) = found.model()["dose"]
    assert curve["field"] == "noise_vocode.bands"
    assert curve["conditions"] == [f"bands_{count}" for count in BANDS]
    assert curve["rises"]
    values = [one["value"] for one in curve["response"]["accuracies"]]
    assert values == pytest.approx(list(shares.values()))
    threshold = curve["response"]["threshold"]
    assert 4.0 < threshold["value"] < 8.0
    assert threshold["low"] < threshold["value"] < threshold["high"]
    assert curve["repeat"] == 1.0


def test_a_flat_dose_curve_has_no_threshold_but_a_reason(score):
    items = [make_item(row, row % 4, per_clip=1) for row in range(40)]
    conditions = [
        describe(f"bands_{count}", recipe=f"dose/noise_vocoded_{count}") for count in BANDS
    ]
    (curve,) = score(items, [*PLAIN, *conditions], gold).model()["dose"]
    assert curve["response"]["threshold"]["value"] is None
    assert "does not change" in curve["response"]["threshold"]["reason"]


def test_rubrics_grade_open_ended_answers(score, tmp_path):
    """Two essential criteria right, a supporting one half right: (1 + 1 + .25) / 2.5."""
    items = [make_item(row, 0, 1, choices=()) for row in range(20)]
    kinds = [("essential", 1), ("localisation", 1), ("supporting", 0.5)]
    rows = [
        {
            "id": one.item_id,
            "condition": name,
            "kind": kind,
            "semantic": grade,
            "reference_s": 10.0 if kind == "localisation" else "",
            "answered_s": 14.0 if kind == "localisation" else "",
        }
        for one in items
        for name in ("original", "repeat")
        for kind, grade in kinds
    ]
    path = write_table(tmp_path / "rubric.csv", rows)
    found = score(items, PLAIN, lambda item, name: "words", "--matcher", f"rubric-file:{path}")
    assert found.value("rubric_score") == pytest.approx((1 + 1 + 0.25) / 2.5)
    assert found.result["matcher"].startswith("rubric-file: 40 grades")


def test_what_there_is_no_input_for_is_said_once_with_its_reason(score):
    items = [make_item(row, row % 4, per_clip=1) for row in range(20)]
    answers = {"one": gold, "two": gold}
    found = score(items, PLAIN, answers, models=("one", "two"))
    for family, words in {
        "pairs": "--labels",
        "chains": "--labels",
        "conflict": "--labels",
        "audit": "--labels",
        "rubric": "rubric-file:PATH",
        "donor": "mismatched",
        "contribution": "no condition takes the audio away",
        "expected": "task map",
        "tonal": "tonal",
        "yes": "yes and no",
    }.items():
        assert words in found.reason(family)
    families = [one["family"] for one in found.result["not_applicable"]]
    assert len(families) == len({*families})


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"name": "x", "pair": 1}], "labels have columns for an id"),
        ([{"id": "item-000", "trap": "furious"}], "trap of 'item-000' is 'furious'"),
        ([{"id": "item-000", "conflict": "maybe"}], "accepted: yes or no"),
        ([{"id": "item-000", "chain": "a", "link": "feeling"}], "accepted: perception"),
        ([{"id": "item-000", "chain": "a"}], "has no link"),
        (
            [{"id": f"item-00{row}", "chain": "a", "link": 1} for row in range(2)],
            "is another link 1",
        ),
        ([{"id": "item-000", "audit": "lucky", "stands_for": -1}], "a number above 0"),
        ([{"id": "item-000", "axis": axis} for axis in "ab"], "one label for each item"),
        ([{"id": f"item-00{row}", "pair": 1} for row in range(3)], "accepted: two rows a pair"),
    ],
)
def test_labels_that_are_none_are_one_line(cli, tmp_path, rows, message):
    items = [make_item(row, row % 4) for row in range(4)]
    split = make_split(tmp_path / "split", items, PLAIN)
    answers = write_answers(tmp_path / "model", items, ("original", "repeat"), gold)
    labels = write_table(tmp_path / "labels.csv", rows)
    done = cli("score", split, answers, "--samples", "100", "--labels", labels)
    assert done.code == 2
    assert message in done.error


def test_labels_of_items_that_are_not_there_are_a_finding(score, tmp_path):
    items = [make_item(row, row % 4) for row in range(8)]
    rows = [{"id": name, "axis": "content"} for name in ("item-000", "item-999")]
    found = score(items, PLAIN, gold, "--labels", write_table(tmp_path / "labels.csv", rows))
    (finding,) = [one for one in found.findings if one["kind"] == "labels"]
    assert (finding["count"], finding["examples"]) == (1, ["item-999"])


def test_labels_may_lie_in_the_split(cli, tmp_path):
    items = [make_item(row, row % 4, per_clip=1) for row in range(24)]
    split = make_split(tmp_path / "split", items, PLAIN)
    lines = [json.dumps({"id": one.item_id, "pair": one.row // 2}) for one in items]
    (split / "labels.jsonl").write_text("\n".join(lines))
    answers = write_answers(tmp_path / "model", items, ("original", "repeat"), gold)
    found = Scored(cli("score", split, answers, "--samples", "100", "--json").envelope)
    assert found.value("paired_accuracy") == 1.0
    assert any("labels.jsonl: labels" in note for note in found.result["notes"])


def test_the_table_of_all_numbers_has_them_all(cli, tmp_path):
    items = [make_item(row, row % 4, per_clip=1, task="ab"[row % 2]) for row in range(24)]
    split = make_split(tmp_path / "split", items, [*PLAIN, SILENCE])
    answers = write_answers(tmp_path / "model", items, ("original", "repeat", "silence"), gold)
    out, table = tmp_path / "r.json", tmp_path / "r.csv"
    cli("score", split, answers, "--samples", "100", "-o", out, "-o", table)
    report = json.loads(out.read_text())
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = [row["kind"] for row in rows]
    model = report["models"][0]
    assert kinds.count("measure") == len(model["measures"])
    assert kinds.count("claim") == len(model["claims"])
    assert kinds.count("group_accuracy") == len(model["groups"]) == 6
    assert kinds.count("paired") == 4 * len(model["paired"])
    assert kinds.count("baseline") == 4 * (1 + len(report["group_baselines"]))
    assert kinds.count("attrition") == 3
