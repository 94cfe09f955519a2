"""Whole accounts compared: rounds, wagers, files, tables and the command."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.service.evaluate.test_evaluate_cards import hand
from tests.service.watch_fakes import write_table, write_video
from thirdcard.rules.game.words import Bet
from thirdcard.rules.log.events import BetsOpened, CameraLost, RoundClosed, Side, WagerChanged, format_event
from thirdcard.rules.log.events import Event as LogEvent
from thirdcard.service.cli.entry import app
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.evaluate.accounts import TruthError, load_truth
from thirdcard.service.evaluate.comparison import compare, compare_wagers, exact_rounds
from thirdcard.service.evaluate.tables import format_json, format_markdown, put_section, sheets_of

LATE = {"t": 6.0, "round": 1, "code": "late_bet.placed", "seat": 3, "hand": None, "message": "Seat 3 was late."}


def change(t: float, before: int | None, after: int | None, by: str = "seat:3") -> WagerChanged:
    return WagerChanged(t=t, area="s3-banker", seat=3, bet=Bet.BANKER, before=before, after=after, by=by)


def a_round() -> list[LogEvent]:
    """Player 7 and 2 against Banker K and 6."""
    dealt = [*hand("7H 2S", at=3.0), *hand("KD 6C", Side.BANKER, at=3.5)]
    return [BetsOpened(t=1.0), change(2.0, 0, 500), *sorted(dealt, key=lambda event: event.t), RoundClosed(t=9.0)]


def write_log(path: Path, events: list[LogEvent]) -> None:
    path.write_text("".join(json.dumps(format_event(event)) + "\n" for event in events), encoding="utf-8")


def write_alerts(path: Path, *alerts: Mapping[str, object]) -> None:
    path.write_text("".join(json.dumps(alert) + "\n" for alert in alerts), encoding="utf-8")


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    folder = tmp_path / "shift"
    folder.mkdir()
    write_table(folder)
    write_video(folder / "video.mp4")
    write_log(folder / "truth.jsonl", a_round())
    write_alerts(folder / "alerts.jsonl", LATE)
    return folder


@pytest.fixture
def table(recording: Path) -> TableConfig:
    return load_table(recording / "table.yaml")


def test_truth_judges_its_own_rounds(recording: Path, table: TableConfig) -> None:
    truth = load_truth(recording, table)
    assert [(each.player, each.winner) for each in truth.rounds] == [(("7H", "2S"), "player")]
    assert truth.incidents[0].seat == 3


def test_truth_compared_with_itself_is_perfect(recording: Path, table: TableConfig) -> None:
    truth = load_truth(recording, table)
    result = compare("shift", truth, truth)
    assert (result.incidents.precision, result.incidents.recall, result.rounds_exact) == (1.0, 1.0, 1)
    assert (result.cards.right, result.cards.total, result.wagers.found) == (4, 4, 1)


def test_a_wrong_card_spoils_the_round(recording: Path, table: TableConfig) -> None:
    truth = load_truth(recording, table)
    spoilt = [*hand("7H 3S", at=3.0), *hand("KD 6C", Side.BANKER, at=3.5)]
    write_log(recording / "truth.jsonl", [BetsOpened(t=1.0), *sorted(spoilt, key=lambda e: e.t), RoundClosed(t=9.0)])
    found = load_truth(recording, table)
    result = compare("shift", truth, found)
    assert (result.rounds_exact, result.cards.right, len(result.cards.wrong), result.wagers.found) == (0, 3, 1, 0)


def test_exact_rounds_want_one_found_round_each(recording: Path, table: TableConfig) -> None:
    rounds = load_truth(recording, table).rounds
    assert len(exact_rounds(rounds, rounds)) == 1
    assert exact_rounds(rounds, [*rounds, *rounds]) == []
    assert exact_rounds(rounds, []) == []


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param([change(2.5, 0, 500)], (1, 0, 1), id="found"),
        pytest.param([change(2.5, 0, None)], (1, 0, 1), id="value-not-read"),
        pytest.param([change(2.5, 0, 500, by="dealer")], (1, 0, 0), id="wrong-hand"),
        pytest.param([change(2.5, 500, 0)], (0, 1, 0), id="wrong-direction"),
        pytest.param([change(9.0, 0, 500)], (0, 1, 0), id="too-late"),
        pytest.param([change(2.5, 0, 500), change(3.0, 500, 600)], (1, 1, 1), id="one-too-many"),
    ],
)
def test_wager_changes(found: list[WagerChanged], expected: tuple[int, int, int]) -> None:
    counts = compare_wagers([change(2.0, 0, 500)], found)
    assert (counts.found, counts.false, counts.by_right) == expected


def test_time_that_could_not_be_seen_is_counted(recording: Path, table: TableConfig) -> None:
    truth = load_truth(recording, table)
    write_log(recording / "truth.jsonl", [CameraLost(t=4.0, camera="overhead"), RoundClosed(t=9.0)])
    assert compare("shift", truth, load_truth(recording, table)).unseen_s == 5.0


def test_recording_without_truth_is_refused(recording: Path, table: TableConfig) -> None:
    (recording / "truth.jsonl").unlink()
    with pytest.raises(TruthError, match=r"holds no truth\.jsonl"):
        load_truth(recording, table)


@pytest.mark.parametrize(
    ("name", "text"),
    [pytest.param("truth.jsonl", "{]\n{}\n", id="log"), pytest.param("alerts.jsonl", "{}\n", id="alerts")],
)
def test_truth_that_cannot_be_read_names_the_line(recording: Path, table: TableConfig, name: str, text: str) -> None:
    (recording / name).write_text(text, encoding="utf-8")
    with pytest.raises(TruthError, match=rf"{name}: line 1"):
        load_truth(recording, table)


def test_tables_name_every_recording_code_and_fault(recording: Path, table: TableConfig) -> None:
    truth = load_truth(recording, table)
    write_alerts(recording / "alerts.jsonl", {**LATE, "code": "misdeal.order", "message": "A | wrong order."})
    text = format_markdown(
        sheets_of([compare("one", truth, load_truth(recording, table)), compare("two", truth, truth)])
    )
    for part in (
        "| one |",
        "| two |",
        "| all |",
        "missed late_bet.placed",
        "false misdeal.order",
        "A \\| wrong order.",
    ):
        assert part in text


def test_section_of_a_file_is_written_anew_and_the_rest_kept(tmp_path: Path) -> None:
    path = tmp_path / "docs" / "accuracy.md"
    put_section(path, "own", "first")
    path.write_text("# Accuracy\n\n" + path.read_text(encoding="utf-8") + "\nThe end.\n", encoding="utf-8")
    put_section(path, "own", "second")
    put_section(path, "photographs", "third")
    text = path.read_text(encoding="utf-8")
    assert "first" not in text
    assert text.index("# Accuracy") < text.index("second") < text.index("The end.") < text.index("third")


def test_command_compares_what_a_former_watch_left(recording: Path, tmp_path: Path) -> None:
    left = tmp_path / "out" / "shift"
    left.mkdir(parents=True)
    write_log(left / "events.jsonl", a_round())
    write_alerts(left / "alerts.jsonl", {**LATE, "t": 6.5, "noticed_at": 7.0})
    arguments = ["evaluate", str(recording), "--out", str(tmp_path / "out"), "--reuse"]
    result = CliRunner().invoke(app, [*arguments, "--json", "--markdown", str(tmp_path / "accuracy.md")])
    assert result.exit_code == 0, result.output
    figures = json.loads(result.stdout)[0]
    assert (figures["alerts"]["recall"], figures["alerts"]["delay_median_s"]) == (1.0, 1.0)
    assert "thirdcard evaluate shift" in (tmp_path / "accuracy.md").read_text(encoding="utf-8")


def test_json_of_a_comparison_can_be_written(recording: Path, table: TableConfig) -> None:
    truth = load_truth(recording, table)
    mapping = json.loads(json.dumps(format_json(compare("one", truth, truth))))
    assert mapping["cards"] == {"shown": 4, "right": 4, "unread": 0, "missed": 0, "extra": 0, "wrong": []}
