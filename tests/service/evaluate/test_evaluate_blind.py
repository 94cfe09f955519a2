"""A seed is used once: the ledger of blind draws, with tiny stand-ins for drawing, rendering and watching."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.repository import ROOT
from thirdcard.service.evaluate.blind import (
    HEADLINE_PAGE,
    LEDGER,
    PAGE,
    PICTURE,
    PREDICTIONS,
    BlindDraw,
    BlindDrawError,
    BlindLedger,
    Workshop,
    begin,
    blind_sheet,
    code_version,
    draw_blind,
    finish,
    headline_sheet,
    load_ledger,
    predicted_play,
    render_blind,
    save_ledger,
    watch_blind,
    write_pages,
)
from thirdcard.service.evaluate.blind_predictions import append_predictions, load_predictions
from thirdcard.service.evaluate.reliability import Prediction, Predictions

DRAW = BlindDraw(date="2026-01-02", what="clean", seed=9001, files=2, code="abc")
FIGURES = {
    "rounds": {"true": 12, "exact": 11},
    "alerts": {"true": 0, "found": 0, "false": 1},
    "cards": {"shown": 50, "right": 49},
    "clean": {"table_hours": 0.3, "false": 1},
}
FALSE = {"confidence": 0.92, "true": False, "code": "misdeal.order"}
READ = {"confidence": 0.999, "true": True}
EACH = [
    {
        "recording": name,
        "alerts": {"true": 0, "found": 0, "false": len(findings)},
        "reliability": {"findings": {"predictions": findings}, "rounds": {"predictions": [READ], "unread": 1}},
    }
    for name, findings in (("01-a", [FALSE]), ("02-b", []))
]

WATCHED = BlindLedger(used={}, draws=(replace(DRAW, state="watching"),))


class StandIn:
    """Draws empty scripts, renders nothing, and evaluates to fixed figures."""

    def __init__(self, *, breaks_off: bool = False) -> None:
        self.commands: list[Sequence[str]] = []
        self.breaks_off = breaks_off

    def __call__(self, command: Sequence[str]) -> str:
        self.commands.append(command)
        if command[2].endswith("draw_scripts"):
            folder = Path(command[command.index("--out") + 1])
            folder.mkdir(parents=True)
            for name in ("01-a", "02-b"):
                (folder / f"{name}.yaml").write_text("", encoding="utf-8")
        if self.breaks_off and "evaluate" in command:
            raise subprocess.CalledProcessError(1, command)
        return json.dumps([*EACH, FIGURES])


def test_draw_is_rendered_watched_once_and_kept(tmp_path: Path) -> None:
    path, run = tmp_path / "blind.yaml", StandIn()
    folder = tmp_path / "out"
    ledger = draw_blind(DRAW, path, Workshop(folder=folder, decks=tmp_path / "decks", run=run))
    (draw,) = ledger.draws
    assert (draw.state, draw.rounds, draw.false, draw.cards_right) == ("done", 12, 1, 49)
    assert load_ledger(path) == ledger
    kept = load_predictions(tmp_path / PREDICTIONS)[9001]
    assert [(each.recording, each.code, each.is_true, each.is_clean) for each in kept.findings] == [
        ("9001 01-a", "misdeal.order", False, True)
    ]
    assert (len(kept.rounds), kept.rounds_unread) == (2, 2)
    drawn, *rendered, first, second, together = run.commands
    recordings = [str(folder / "recordings" / name) for name in ("01-a", "02-b")]
    assert drawn[-2:] == ["--files", "2"]
    assert [each[4] for each in rendered] == [str(folder / "scripts" / f"{name}.yaml") for name in ("01-a", "02-b")]
    assert all(each[-2:] == ["--decks", str(tmp_path / "decks")] for each in rendered)
    assert [first[3:5], second[3:5]] == [["evaluate", recording] for recording in recordings]
    assert "--reuse" not in (*first, *second)
    assert together[3:6] == ["evaluate", *recordings]
    assert together[-1] == "--reuse"


def test_recordings_are_rendered_and_watched_side_by_side(tmp_path: Path) -> None:
    stand_in, met = StandIn(), threading.Barrier(2, timeout=60)

    def meeting(command: Sequence[str]) -> str:
        if "render" in command or ("evaluate" in command and "--reuse" not in command):
            met.wait()
        return stand_in(command)

    (draw,) = draw_blind(DRAW, tmp_path / "blind.yaml", Workshop(folder=tmp_path, jobs=2, run=meeting)).draws
    assert draw.state == "done"


def test_same_draw_is_never_evaluated_again(tmp_path: Path) -> None:
    path = tmp_path / "blind.yaml"
    draw_blind(DRAW, path, Workshop(folder=tmp_path / "out", run=StandIn()))
    run = StandIn()
    with pytest.raises(BlindDrawError, match=r"--seed = 9001; was drawn on 2026-01-02 \(clean, done\)"):
        draw_blind(replace(DRAW, what="incidents"), path, Workshop(folder=tmp_path / "again", run=run))
    assert run.commands == []


def test_draw_that_broke_off_is_spent(tmp_path: Path) -> None:
    path = tmp_path / "blind.yaml"
    with pytest.raises(subprocess.CalledProcessError):
        draw_blind(DRAW, path, Workshop(folder=tmp_path / "out", run=StandIn(breaks_off=True)))
    assert [each.state for each in load_ledger(path).draws] == ["watching"]
    with pytest.raises(BlindDrawError, match="watching"):
        draw_blind(DRAW, path, Workshop(folder=tmp_path / "out", run=StandIn()))
    with pytest.raises(BlindDrawError, match="each is watched once"):
        watch_blind(DRAW.seed, path, Workshop(folder=tmp_path / "out", run=StandIn()), "abc")
    assert blind_sheet(load_ledger(path)).rows[0][5] == "broke off"


def test_rendering_that_broke_off_is_gone_on_with_and_watched_later(tmp_path: Path) -> None:
    path, folder, run = tmp_path / "blind.yaml", tmp_path / "out", StandIn()

    def breaks_off(command: Sequence[str]) -> str:
        if "render" in command:
            (folder / "recordings" / "01-a").mkdir(parents=True)
            (folder / "recordings" / "01-a" / "objects.jsonl").touch()
            raise subprocess.CalledProcessError(1, command)
        return run(command)

    with pytest.raises(subprocess.CalledProcessError):
        render_blind(DRAW, path, Workshop(folder=folder, run=breaks_off))
    run.commands.clear()
    render_blind(replace(DRAW, code="another"), path, Workshop(folder=folder, run=run))
    assert [each.state for each in load_ledger(path).draws] == ["rendered"]
    (rendered,) = run.commands
    assert rendered[4] == str(folder / "scripts" / "02-b.yaml")
    (draw,) = watch_blind(DRAW.seed, path, Workshop(folder=folder, run=run), "later").draws
    assert (draw.state, draw.code, draw.false) == ("done", "later", 1)


def test_seed_that_something_else_used_is_refused() -> None:
    with pytest.raises(BlindDrawError, match="7001; was used before: ten recordings"):
        begin(BlindLedger(used={7001: "ten recordings"}), replace(DRAW, seed=7001))


def test_only_a_draw_that_was_begun_is_finished() -> None:
    done = finish(WATCHED, DRAW.seed, FIGURES)
    with pytest.raises(BlindDrawError, match="each is watched once"):
        finish(done, DRAW.seed, FIGURES)


def test_nothing_drawn_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BlindDrawError, match="nothing was drawn"):
        draw_blind(DRAW, tmp_path / "blind.yaml", Workshop(folder=tmp_path / "out", run=lambda _: ""))


def test_ledger_is_read_as_it_was_written(tmp_path: Path) -> None:
    ledger = BlindLedger(used={7001: "ten recordings", 3: "tuning"}, draws=(DRAW,))
    save_ledger(tmp_path / "blind.yaml", ledger)
    assert load_ledger(tmp_path / "blind.yaml") == ledger
    assert load_ledger(tmp_path / "none.yaml") == BlindLedger(used={})


def test_table_tells_what_came_of_each_draw() -> None:
    sheet = blind_sheet(finish(WATCHED, DRAW.seed, FIGURES))
    assert sheet.rows[0][6:10] == ("1", "1 in 0.30", "49 of 50 (98.0 %)", "11 of 12 (91.7 %)")


def test_headline_sums_all_finished_draws_with_intervals() -> None:
    clean = finish(WATCHED, DRAW.seed, FIGURES).draws[0]
    faulty = replace(
        clean, seed=9002, date="2026-01-05", true=40, found=39, false=1, clean_table_hours=0.0, clean_false=0
    )
    broken = replace(DRAW, seed=9003, state="watching")
    sheet = headline_sheet(BlindLedger(used={}, draws=(clean, faulty, broken)))
    assert [row[1:4] for row in sheet.rows] == [
        ("2026-01-02", "2", "12"),
        ("2026-01-05", "2", "12"),
        ("2026-01-05", "2", "12"),
        ("2026-01-02 to 2026-01-05", "4", "24"),
        ("2026-01-02 to 2026-01-05", "4", "24"),
    ]
    assert sheet.rows[0][4:] == ("1 in 0.3 table-hours: 3.33 an hour", "0.08 to 18.57")
    assert sheet.rows[1][4:] == ("39 of 40 (97.5 %)", "87.1 to 99.6 %")
    assert sheet.rows[4][4] == "22 of 24 (91.7 %)"


def test_draws_of_one_kind_of_fault_have_rows_of_their_own() -> None:
    faulty = replace(DRAW, state="done", true=40, found=39, clean_table_hours=0.0)
    loose = replace(faulty, what="loose", seed=9004, true=10, found=5, false=5)
    rows = {row[0]: row[4] for row in headline_sheet(BlindLedger(used={}, draws=(faulty, loose))).rows}
    assert rows["Faults found"] == "39 of 40 (97.5 %)"
    assert rows["Faults found; cards laid where none belongs"] == "5 of 10 (50.0 %)"
    assert rows["Alerts that were right; cards laid where none belongs"] == "5 of 10 (50.0 %)"


def test_pages_show_what_the_ledger_holds(tmp_path: Path) -> None:
    for page in (HEADLINE_PAGE, PAGE):
        (tmp_path / page.name).write_text((ROOT / page).read_text(encoding="utf-8"), encoding="utf-8")
    kept = load_predictions((ROOT / LEDGER).with_name(PREDICTIONS))
    write_pages(load_ledger(ROOT / LEDGER), kept, tmp_path / HEADLINE_PAGE.name, tmp_path / PAGE.name)
    for page in (HEADLINE_PAGE, PAGE, HEADLINE_PAGE.with_name(PICTURE)):
        written = (tmp_path / page.name).read_text(encoding="utf-8")
        assert written == (ROOT / page).read_text(encoding="utf-8"), "python -m thirdcard.service.evaluate.blind --page"


def test_predictions_are_read_as_they_were_written(tmp_path: Path) -> None:
    finding = Prediction(confidence=0.25, is_true=True, recording="01-a", code="late_bet.placed")
    kept = Predictions(findings=(finding,), rounds=(replace(finding, code=None, is_clean=True),), rounds_unread=2)
    append_predictions(tmp_path / PREDICTIONS, 9001, kept)
    append_predictions(tmp_path / PREDICTIONS, 9002, Predictions(rounds_unread=1))
    read = load_predictions(tmp_path / PREDICTIONS)
    assert read[9002] == Predictions(rounds_unread=1)
    assert read[9001].findings == (replace(finding, recording="9001 01-a"),)
    assert read[9001].rounds == (replace(finding, code=None, is_clean=True, recording="9001 01-a"),)
    assert read[9001].rounds_unread == 2


def test_reliability_covers_finished_draws_whose_predictions_were_kept() -> None:
    done = replace(DRAW, state="done", true=4, rounds=12, clean_table_hours=0.3)
    ledger = BlindLedger(used={}, draws=(done, replace(done, seed=9002), replace(DRAW, seed=9003)))
    play = predicted_play(ledger, {9001: Predictions(rounds_unread=1), 9003: Predictions(rounds_unread=5)})
    assert (play.n_true, play.rounds, play.clean_rounds, play.predictions.rounds_unread) == (4, 12, 12, 1)


@pytest.mark.parametrize(
    ("changed", "code"),
    [pytest.param("", "abc123", id="as-committed"), pytest.param(" M a.py", "abc123 and changes", id="changed")],
)
def test_code_is_named_by_its_commit(changed: str, code: str) -> None:
    assert code_version(lambda command: "abc123\n" if "rev-parse" in command else changed) == code


def test_code_outside_a_checkout_is_named_by_its_version() -> None:
    def no_git(_: Sequence[str]) -> str:
        raise FileNotFoundError

    assert code_version(no_git).startswith("version ")


def test_shipped_ledger_can_be_read() -> None:
    assert 7001 in load_ledger(ROOT / LEDGER).used
