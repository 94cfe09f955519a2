"""How often what was said was true, by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from tests.service.cli.commands.test_evaluate import LATE, a_round, write_alerts, write_log
from tests.service.watch_fakes import write_table, write_video
from thirdcard.service.cli.entry import app
from thirdcard.service.config.table_file import load_table
from thirdcard.service.evaluate.accounts import Incident, RoundAccount, TableAccount, Tolerance, load_found
from thirdcard.service.evaluate.comparison import combine, compare
from thirdcard.service.evaluate.panels import Panel, PanelAxis, draw_panels
from thirdcard.service.evaluate.reliability import (
    PredictedPlay,
    Prediction,
    Predictions,
    bands,
    calibration_error,
    calibration_interval,
    line_figures,
    wilson,
)
from thirdcard.service.evaluate.reliability_picture import draw_reliability
from thirdcard.service.evaluate.reliability_sheets import reliability_sheets

PLACED = "late_bet.placed"
ROUND = RoundAccount(opened=1.0, closed=9.0, player=("7H", "2S"), banker=("KD", "6C"), winner="player")
SVG = "{http://www.w3.org/2000/svg}"


def incident(t: float, confidence: float | None = None) -> Incident:
    return Incident(code=PLACED, t=t, confidence=confidence)


def account(*incidents: Incident, **more: object) -> TableAccount:
    whole = {"events": (), "incidents": incidents, "rounds": (ROUND,), "end_s": 60.0, **more}
    return TableAccount(**whole)  # type: ignore[arg-type]


def claims(*said: tuple[float, bool], recording: str = "one") -> list[Prediction]:
    return [Prediction(confidence=share, is_true=is_true, recording=recording) for share, is_true in said]


def test_alerts_and_doubtful_findings_are_paired_with_the_truth() -> None:
    truth = account(incident(10.0), incident(20.0), tolerated=(Tolerance(code=PLACED, from_s=49.0, to_s=51.0),))
    doubtful = (incident(20.5, 0.3), incident(40.0, 0.1), incident(50.0, 0.2))
    found = account(incident(10.2, 0.99), incident(30.0, 0.7), doubtful=doubtful)
    said = compare("one", truth, found).claims.findings
    assert sorted((each.confidence, each.is_true) for each in said) == [
        (0.1, False), (0.3, True), (0.7, False), (0.99, True),
    ]  # fmt: skip
    assert not any(each.is_clean for each in said)


def test_doubtful_finding_of_a_fault_that_is_an_alert_already_is_false() -> None:
    found = account(incident(10.2, 0.99), doubtful=(incident(10.0, 0.3),))
    said = compare("one", account(incident(10.0)), found).claims.findings
    assert [(each.confidence, each.is_true) for each in said] == [(0.99, True), (0.3, False)]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(ROUND, [(0.8, True)], id="as-it-was"),
        pytest.param(replace(ROUND, banker=("QS", "6C")), [(0.8, True)], id="a-card-that-counts-alike"),
        pytest.param(replace(ROUND, player=("7H", "3S")), [(0.8, False)], id="a-card-that-counts-otherwise"),
        pytest.param(replace(ROUND, player=("7H", None)), [], id="a-card-that-was-not-read"),
        pytest.param(replace(ROUND, opened=90.0, closed=99.0), [(0.8, False)], id="no-such-round"),
    ],
)
def test_round_is_judged_by_its_likeliest_cards(said: RoundAccount, expected: list[tuple[float, bool]]) -> None:
    found = account(rounds=(replace(said, probability=0.8),))
    result = compare("one", account(), found).claims
    assert [(each.confidence, each.is_true) for each in result.rounds] == expected
    assert result.rounds_unread == 1 - len(expected)


def test_round_that_was_found_twice_was_said_wrongly_both_times() -> None:
    result = compare("one", account(), account(rounds=(ROUND, ROUND))).claims
    assert [each.is_true for each in result.rounds] == [False, False]


def test_bands_hold_their_lower_edge_and_the_last_one_everything_above() -> None:
    told = bands(claims((0.04, True), (0.05, False), (0.6, True), (0.799, False), (0.999, True), (1.0, True)))
    assert [len(band.claims) for band in told] == [1, 2, 0, 0, 0, 2]
    assert (told[1].share, told[2].share, told[2].interval) == (0.5, None, None)
    assert told[1].said == pytest.approx(0.6995)


def test_interval_is_wilsons() -> None:
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson(0, 8)[0] == 0.0


def test_calibration_error_is_the_gap_weighed_by_how_much_was_said() -> None:
    """Three at 0.9 of which two are so: 0.2333 off; one at 0.5 that is not: 0.5 off."""
    told = claims((0.9, True), (0.9, True), (0.9, False), (0.5, False))
    assert calibration_error(told) == pytest.approx(0.75 * (0.9 - 2 / 3) + 0.25 * 0.5)
    assert calibration_error([]) is None


def test_calibration_interval_draws_whole_recordings() -> None:
    right, wrong = claims((0.9, True), (0.9, True)), claims((0.9, False), (0.9, False), recording="two")
    assert calibration_interval(right) is None
    assert calibration_interval([*right, *wrong]) == pytest.approx((0.1, 0.9))


def test_lower_line_finds_more_and_alleges_more() -> None:
    said = Predictions(
        findings=(
            *claims((0.97, True), (0.7, True), (0.55, False)),
            Prediction(confidence=0.75, is_true=False, recording="clean", is_clean=True),
        )
    )
    by_line = {
        each.line: each for each in line_figures(PredictedPlay(predictions=said, n_true=4, clean_rounds=20, rounds=60))
    }
    assert [(by_line[at].found, by_line[at].false) for at in (0.99, 0.9, 0.7, 0.5)] == [(0, 0), (1, 0), (2, 1), (2, 2)]
    assert by_line[0.5].hourly.per_hour == 2.0


def test_without_clean_play_all_play_counts() -> None:
    said = Predictions(findings=tuple(claims((0.7, False))))
    assert line_figures(PredictedPlay(predictions=said, n_true=1, clean_rounds=0, rounds=40))[0].hourly.per_hour == 1.0


def test_tables_tell_bands_lines_and_rounds() -> None:
    found = account(incident(10.2, 0.97), doubtful=(incident(30.0, 0.3),))
    whole = combine([compare(name, account(incident(10.0)), found) for name in ("one", "two")])
    findings, lines, rounds = reliability_sheets(whole.predicted)
    assert findings.rows[0][:4] == ("5 to 60 %", "2", "30.0 %", "0 of 2 (0 %)")
    assert findings.rows[-1][0] == "expected calibration error"
    assert lines.rows[0][:3] == ("5 %", "2 of 2 (100 %)", "2")
    assert rounds.rows[0][:4] == ("99.9 % and more", "2", "100.0 %", "2 of 2 (100 %)")


def test_nothing_said_makes_no_tables() -> None:
    assert reliability_sheets(compare("one", account(), account(rounds=())).predicted) == []


def test_drawing_names_its_axes_and_shows_every_band() -> None:
    found = account(incident(10.2, 0.97), doubtful=(incident(30.0, 0.3),))
    drawn = ElementTree.fromstring(draw_reliability(compare("one", account(incident(10.0)), found).predicted))
    words = {text.text for text in drawn.iter(f"{SVG}text")}
    assert {"How sure it was said to be, in percent", "How often it was true", "Share of faults found"} <= words
    assert "95–99" in words


def test_names_of_thresholds_near_to_each_other_do_not_overlap() -> None:
    """Between 90 and 50 % nothing more is found here, and one false alert in eleven is added: points side by side."""
    found = [*claims(*[(0.95, True)] * 9), *claims(*[(0.92, False)] * 5), *claims((0.55, False), *[(0.06, False)] * 5)]
    play = PredictedPlay(predictions=Predictions(findings=tuple(found)), n_true=10, clean_rounds=0, rounds=400)
    names = [
        (float(text.attrib["x"]), float(text.attrib["y"]))
        for text in ElementTree.fromstring(draw_reliability(play)).iter(f"{SVG}text")
        if (text.text or "").startswith("line at")
    ]
    assert len(names) == 2
    assert abs(names[0][0] - names[1][0]) > 100 or abs(names[0][1] - names[1][1]) > 12


def test_words_in_a_drawing_are_escaped() -> None:
    panel = Panel("a < b", PanelAxis(title="x", ticks=()), PanelAxis(title="y", ticks=()))
    assert "a &lt; b" in draw_panels([panel])


@pytest.fixture
def watched(tmp_path: Path) -> tuple[Path, Path]:
    """A recording, and what a watch of it left."""
    recording, left = tmp_path / "shift", tmp_path / "out" / "shift"
    for folder in (recording, left):
        folder.mkdir(parents=True)
    write_table(recording)
    write_video(recording / "video.mp4")
    write_log(recording / "truth.jsonl", a_round())
    write_alerts(recording / "alerts.jsonl", LATE)
    write_log(left / "events.jsonl", a_round())
    write_alerts(left / "alerts.jsonl")
    write_alerts(left / "doubtful.jsonl", {**LATE, "confidence": 0.4})
    one = {"opened": 1.0, "closed": 9.0, "player": ["7H", "2S"], "banker": ["KD", "6C"], "winner": "player"}
    write_alerts(left / "rounds.jsonl", {**one, "otherwise": [{"player": [], "banker": [], "probability": 0.25}]})
    return recording, left


def test_rounds_and_doubts_of_a_former_watch_are_read(watched: tuple[Path, Path]) -> None:
    recording, left = watched
    found = load_found(left, load_table(recording / "table.yaml"))
    assert [each.probability for each in found.rounds] == [0.75]
    assert [each.confidence for each in found.doubtful] == [0.4]


def test_command_prints_and_draws_it(watched: tuple[Path, Path], tmp_path: Path) -> None:
    recording, left = watched
    drawing = tmp_path / "docs" / "reliability.svg"
    arguments = ["evaluate", str(recording), "--out", str(left.parent), "--reuse", "--drawing", str(drawing)]
    result = CliRunner().invoke(app, [*arguments, "--json"])
    assert result.exit_code == 0, result.output
    reliability = json.loads(result.stdout)[0]["reliability"]
    assert [each["true"] for each in reliability["findings"]["bands"] if each["said"]] == [1]
    assert reliability["lines"][0]["found"] == 1
    assert ElementTree.fromstring(drawing.read_text(encoding="utf-8")).tag == f"{SVG}svg"
