"""What lies behind the figures: intervals, chips, conditions, single looks, pictures of mistakes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.service.cli.commands.test_evaluate import LATE, a_round, write_alerts, write_log
from tests.service.evaluate.test_evaluate_cards import hand
from tests.service.watch_fakes import write_table, write_video
from thirdcard.rules.log.events import Bet, RoundClosed, WagerChanged
from thirdcard.service.cli.entry import app
from thirdcard.service.config.table_file import load_table
from thirdcard.service.evaluate.accounts import TruthError, load_truth
from thirdcard.service.evaluate.chips import ChipCounts, count_chips
from thirdcard.service.evaluate.comparison import compare
from thirdcard.service.evaluate.conditions import LookCounts, by_condition, join_conditions, true_cards
from thirdcard.service.evaluate.mistake_pictures import mistakes, write_pictures
from thirdcard.service.evaluate.rates import HourlyRate, poisson_interval
from thirdcard.service.evaluate.sights import UNKNOWN, load_scene

SCRIPT = "deck: machine:9500\nstyle: {light: 0.75}\n"


def objects_line(t: float, *faces: str, x: float = 60.0, visible: float = 1.0) -> str:
    card = {"kind": "card", "face_up": True, "at": [300, 200], "visible": visible}
    corners = [[x, 20], [x + 13, 20], [x + 13, 38], [x, 38]]
    cards = [
        {**card, "card": face, "polygon": [[px + 20 * i, py] for px, py in corners]} for i, face in enumerate(faces)
    ]
    return json.dumps({"frame": int(10 * t), "t": t, "objects": [*cards, {"kind": "hand", "polygon": []}]}) + "\n"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    folder = tmp_path / "shift"
    folder.mkdir()
    write_table(folder)
    write_video(folder / "video.mp4")
    write_log(folder / "truth.jsonl", a_round())
    write_alerts(folder / "alerts.jsonl")
    lines = [objects_line(t, "7H", "2S", visible=0.8) for t in (3.0, 4.0, 5.0, 6.0)]
    (folder / "objects.jsonl").write_text("".join(lines), encoding="utf-8")
    (folder / "script.yaml").write_text(SCRIPT, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("count", "low", "high"),
    [(0, 0.0, 3.689), (1, 0.0253, 5.572), (4, 1.090, 10.242), (20, 12.217, 30.888)],
)
def test_poisson_interval_is_the_exact_one(count: int, low: float, high: float) -> None:
    assert list(poisson_interval(count)) == pytest.approx([low, high], abs=1e-3)


def test_table_hour_is_forty_rounds() -> None:
    rate = HourlyRate(count=2, rounds=120)

    assert rate.hours == 3.0
    assert rate.per_hour == pytest.approx(2 / 3)
    assert rate.interval == tuple(each / 3 for each in poisson_interval(2))


def test_rate_of_nothing_is_not_known() -> None:
    assert (HourlyRate().per_hour, HourlyRate().interval) == (None, None)


def changed(after: int | None, chips: int | None, by: str = "seat:3") -> WagerChanged:
    return WagerChanged(
        t=1.0, area="a", seat=3, bet=Bet.BANKER, before=0, after=after, chips_before=0, chips_after=chips, by=by
    )


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(changed(None, 4), ChipCounts(found=1, counted=1, exact=1, within_one=1, by_right=1), id="exact"),
        pytest.param(changed(None, 5), ChipCounts(found=1, counted=1, within_one=1, off=1, by_right=1), id="one off"),
        pytest.param(changed(None, None, by="unknown"), ChipCounts(found=1, by_unknown=1), id="nothing told"),
        pytest.param(
            changed(400, None, by="dealer"),
            ChipCounts(found=1, valued=1, value_exact=1, spanned=1, held=1, by_wrong=1),
            id="value",
        ),
        pytest.param(
            replace(changed(None, None), after_low=200, after_high=600),
            ChipCounts(found=1, spanned=1, held=1, width=1.0, by_right=1),
            id="true value within",
        ),
        pytest.param(
            replace(changed(None, None), after_low=500, after_high=600),
            ChipCounts(found=1, spanned=1, width=0.25, by_right=1),
            id="true value beyond",
        ),
        pytest.param(changed(0, 0), ChipCounts(found=1, by_right=1), id="emptied"),
    ],
)  # fmt: skip
def test_chips_of_a_change_that_was_found(found: WagerChanged, expected: ChipCounts) -> None:
    assert count_chips([(changed(400, 4), found)]) == expected


def test_clean_recording_counts_its_rounds_and_one_with_incidents_does_not(recording: Path) -> None:
    table = load_table(recording / "table.yaml")
    clean = load_truth(recording, table)
    write_alerts(recording / "alerts.jsonl", LATE)
    found = load_truth(recording, table)

    assert compare("clean", clean, found).clean == HourlyRate(count=1, rounds=1)
    assert compare("incidents", found, found).clean == HourlyRate()


def test_cards_are_told_by_size_cover_turn_light_and_deck(recording: Path) -> None:
    table = load_table(recording / "table.yaml")
    truth = load_truth(recording, table)
    scene = load_scene(recording, table.cameras[0].calibration)
    assert scene is not None

    found = [*hand("7H 3S", at=3.0), RoundClosed(t=9.0)]
    conditions = {(each.kind, each.value): each for each in by_condition(true_cards(truth.events, found, scene))}

    size = conditions["size", "under 30 px"].cards
    assert (size.right, len(size.wrong)) == (1, 1)
    assert conditions["cover", "10 to 30 %"].cards.total == 2
    assert conditions["turned", "0°"].cards.total == 2
    assert conditions["size", UNKNOWN].cards.total == 2
    assert conditions["light", "under 0.8"].cards.total == conditions["deck", "machine:9500"].cards.total == 4
    assert conditions["tilt", UNKNOWN].cards.total == 4


def test_cards_are_split_by_how_sure_they_were_told(recording: Path) -> None:
    scene = load_scene(recording, load_table(recording / "table.yaml").cameras[0].calibration)
    assert scene is not None
    truth = [*hand("7H 2S KD", at=3.0), RoundClosed(t=9.0)]
    found = [
        *hand("7H", at=3.0, confidence=0.9995), *hand("3S", at=4.0, confidence=0.93), *hand("?", at=5.0)
    ]  # fmt: skip

    conditions = {(each.kind, each.value): each for each in by_condition(true_cards(truth, found, scene))}

    assert conditions["confidence", "99.9 % and more"].cards.right == 1
    assert len(conditions["confidence", "80 to 95 %"].cards.wrong) == 1
    assert [value for kind, value in conditions if kind == "confidence"] == ["80 to 95 %", "99.9 % and more"]


def test_conditions_of_recordings_are_joined_in_order_of_size() -> None:
    looks = [({"size": value}, LookCounts(right=1, total=1)) for value in ("60 to 90 px", "under 30 px", "30 to 40 px")]

    joined = join_conditions([by_condition([], looks), by_condition([], looks[:1])])

    assert [(each.value, each.looks.total) for each in joined] == [
        ("under 30 px", 1), ("30 to 40 px", 1), ("60 to 90 px", 2)
    ]  # fmt: skip


def test_recording_without_objects_has_no_scene(recording: Path) -> None:
    table = load_table(recording / "table.yaml")
    (recording / "objects.jsonl").unlink()

    assert load_scene(recording, table.cameras[0].calibration) is None


def test_objects_that_cannot_be_read_are_named(recording: Path) -> None:
    table = load_table(recording / "table.yaml")
    (recording / "objects.jsonl").write_text('{"t": 1.0}\n', encoding="utf-8")

    with pytest.raises(TruthError, match=r"objects\.jsonl: KeyError: 'objects'"):
        load_scene(recording, table.cameras[0].calibration)


def test_mistakes_are_pictured_the_surest_first(recording: Path, tmp_path: Path) -> None:
    table = load_table(recording / "table.yaml")
    write_alerts(recording / "alerts.jsonl", {**LATE, "confidence": 0.7})
    found = load_truth(recording, table)
    write_alerts(recording / "alerts.jsonl", {**LATE, "code": "misdeal.order", "seat": None})
    comparison = compare("shift", load_truth(recording, table), found)

    names = [each.name for each in mistakes(comparison, table, None)]
    paths = write_pictures(comparison, table, None, tmp_path / "pictures")

    assert sorted(names) == ["false-late_bet.placed", "missed-misdeal.order"]
    assert [path.name for path in paths] == [
        "shift-01-7.2-missed-misdeal.order.jpg",
        "shift-02-6.0-false-late_bet.placed.jpg",
    ]
    assert all(path.stat().st_size > 0 for path in paths)


def test_command_tells_conditions_and_clean_play(recording: Path, tmp_path: Path) -> None:
    left = tmp_path / "left" / "shift"
    left.mkdir(parents=True)
    write_log(left / "events.jsonl", a_round())
    write_alerts(left / "alerts.jsonl")

    run = CliRunner().invoke(app, ["evaluate", str(recording), "--reuse", "--out", str(left.parent), "--json"])

    figures = json.loads(run.stdout)[-1]
    assert figures["clean"].pop("interval") == pytest.approx([0.0, 147.555], abs=0.01)
    assert figures["clean"] == {"rounds": 1, "table_hours": 0.025, "false": 0, "per_hour": 0.0}
    assert {"kind": "deck", "value": "machine:9500", "cards": 4, "right": 4}.items() <= next(
        each for each in figures["conditions"] if each["kind"] == "deck"
    ).items()
    assert figures["chips"]["found"] == 1
