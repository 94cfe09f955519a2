"""No command writes over what it reads, and what it writes is whole or is not there."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.service.watch_fakes import write_table, write_video
from thirdcard.calibration.layout import LAYOUT_FOLDER
from thirdcard.rules.rulebook.load import rulebook_text
from thirdcard.service.cli.entry import app
from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.output_files import (
    OutputPathError,
    refuse_folder,
    refuse_inputs,
    refuse_standard_output,
    written,
)
from thirdcard.service.config.rulebook_files import shipped_files

ROUND = [
    {"t": 1.0, "type": "bets_opened"},
    {"t": 2.0, "type": "no_more_bets"},
    *(
        {"t": 3.0 + i, "type": "card_dealt", "card_id": f"c{i}", "hand": hand, "card": card, "face_up": True}
        for i, (hand, card) in enumerate((("player", "9H"), ("banker", "6C"), ("player", "KD"), ("banker", "QS")))
    ),
    {"t": 9.0, "type": "result_announced", "player": 9, "banker": 6, "winner": "player"},
    {"t": 10.0, "type": "round_closed"},
]
LOG = "".join(json.dumps(line) + "\n" for line in ROUND)


def run(*arguments: object, given: bytes | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=given)


def refused(result: Result, text: str) -> bool:
    """Whether it was refused in one line with that text."""
    lines = result.stderr.splitlines()
    return result.exit_code == 2 and len(lines) == 1 and text in lines[0]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "events.jsonl"
    path.write_text(LOG, encoding="utf-8")
    return path


def same(log: Path) -> Path:
    return log


def roundabout(log: Path) -> Path:
    (log.parent / "sub").mkdir()
    return log.parent / "sub" / ".." / log.name


def soft_link(log: Path) -> Path:
    (log.parent / "rounds.jsonl").symlink_to(log)
    return log.parent / "rounds.jsonl"


def hard_link(log: Path) -> Path:
    os.link(log, log.parent / "rounds.jsonl")
    return log.parent / "rounds.jsonl"


@pytest.mark.parametrize("name", [same, roundabout, soft_link, hard_link])
def test_rounds_are_never_written_over_the_log(log: Path, name: Callable[[Path], Path]) -> None:
    result = run("referee", log, "--rulebook", "tas", "--rounds", name(log))
    assert refused(result, "must be another file than those that are read")
    assert log.read_text(encoding="utf-8") == LOG


@pytest.mark.parametrize("name", ["table.yaml", "chips.yaml", "layout.yaml"])
def test_rounds_are_never_written_over_a_table_s_files(log: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "chips.yaml").write_text(
        "diameter_mm: 39\nthickness_mm: 3.3\nchips:\n- {value: 25, name: green, colour: '#00ff00'}\n", encoding="utf-8"
    )
    shutil.copyfile(LAYOUT_FOLDER / "mini-7.yaml", tmp_path / "layout.yaml")
    (tmp_path / "table.yaml").write_text(
        "id: T\nrulebook: tas\nchips: chips.yaml\nlayout: layout.yaml\n", encoding="utf-8"
    )
    before = (tmp_path / name).read_bytes()
    result = run("referee", log, "--table", tmp_path / "table.yaml", "--rounds", tmp_path / name)
    assert refused(result, "--rounds = ")
    assert (tmp_path / name).read_bytes() == before


def test_rounds_of_a_log_that_is_refused_leave_what_was_there(log: Path, tmp_path: Path) -> None:
    rounds = tmp_path / "rounds.jsonl"
    rounds.write_text("before\n", encoding="utf-8")
    log.write_text(LOG + LOG, encoding="utf-8")
    assert refused(run("referee", log, "--rulebook", "tas", "--rounds", rounds), "line 9")
    assert rounds.read_text(encoding="utf-8") == "before\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.jsonl", "rounds.jsonl"]


def test_rounds_are_moved_to_their_place_whole(log: Path, tmp_path: Path) -> None:
    rounds = tmp_path / "rounds.jsonl"
    rounds.write_text("before\n", encoding="utf-8")
    rounds.chmod(0o640)
    assert run("referee", log, "--rulebook", "tas", "--rounds", rounds).exit_code == 0
    assert json.loads(rounds.read_text(encoding="utf-8"))["winner"] == "player"
    assert rounds.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.jsonl", "rounds.jsonl"]


@pytest.mark.parametrize("place", ["missing/rounds.jsonl", "sub"])
def test_rounds_that_cannot_be_written_are_told_in_one_line(log: Path, tmp_path: Path, place: str) -> None:
    (tmp_path / "sub").mkdir()
    result = run("referee", log, "--rulebook", "tas", "--rounds", tmp_path / place)
    assert refused(result, f"--rounds = {tmp_path / place}; must be a file that can be written")
    assert not list((tmp_path / "sub").iterdir())


def test_rounds_may_go_to_a_device(log: Path) -> None:
    assert run("referee", log, "--rulebook", "tas", "--rounds", os.devnull).exit_code == 0
    assert not Path(os.devnull).is_file()


def test_standard_input_in_another_encoding_is_told_in_one_line() -> None:
    assert refused(run("referee", "-", "--rulebook", "tas", given=b'{"t": 1, "type": "\xff"}\n'), "no text in UTF-8")
    assert run("referee", "-", "--rulebook", "tas", given=LOG.encode()).exit_code == 0


def test_what_is_open_is_known_too(log: Path, tmp_path: Path) -> None:
    with log.open() as read:
        with pytest.raises(OutputPathError, match="--rounds = "):
            refuse_inputs([log], option="--rounds", inputs=[read.fileno()])
        refuse_inputs([tmp_path / "other"], option="--rounds", inputs=[read.fileno(), None])
    refuse_standard_output([log, None])


def test_folder_that_is_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutputPathError, match="must be another folder"):
        refuse_folder(tmp_path / ".", option="--out", read=[tmp_path])
    refuse_folder(tmp_path / "other", option="--out", read=[tmp_path, None])


def test_draft_of_several_files_goes_over_no_input(tmp_path: Path) -> None:
    beside = tmp_path / "cards.npz"
    beside.write_text("read", encoding="utf-8")
    with pytest.raises(OutputPathError), written(tmp_path / "cards.yaml", option="--out", inputs=[beside]) as draft:
        draft.write_text("a", encoding="utf-8")
        draft.with_suffix(".npz").write_text("b", encoding="utf-8")
    assert beside.read_text(encoding="utf-8") == "read"
    assert [path.name for path in tmp_path.iterdir()] == ["cards.npz"]


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    folder = tmp_path / "recording"
    folder.mkdir()
    write_table(folder)
    write_video(folder / "video.mp4")
    for name in ("truth.jsonl", "alerts.jsonl"):
        (folder / name).write_text("", encoding="utf-8")
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_watch_writes_over_none_of_its_files(recording: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "events.jsonl").write_text('{"t": 1.0, "type": "bets_opened"}\n', encoding="utf-8")
    before = contents(out)
    result = run("watch", recording, "--signals", out / "events.jsonl", "--out", out)
    assert refused(result, "must be another file than those that are read")
    assert contents(out) == before
    (out / "clips").mkdir()
    write_video(out / "clips" / "0001-x.mp4")
    source = ("watch", out / "clips" / "0001-x.mp4", "--table", recording / "table.yaml", "--out", out)
    assert refused(run(*source), "must be another file")
    assert (out / "clips" / "0001-x.mp4").is_file()


@pytest.mark.parametrize(
    "options", [("--out", ".."), ("--markdown", "table.yaml"), ("--pictures", "."), ("--markdown", "truth.jsonl")]
)
def test_evaluate_writes_over_no_recording(recording: Path, options: tuple[str, str]) -> None:
    before = contents(recording)
    assert refused(run("evaluate", recording, options[0], recording / options[1]), f"{options[0]} = ")
    assert contents(recording) == before


def test_render_writes_into_no_folder_of_scripts(tmp_path: Path) -> None:
    (tmp_path / "table").mkdir()
    script = tmp_path / "table" / "table.yaml"
    script.write_text("rounds: []\n", encoding="utf-8")
    assert refused(run("render", script, "--out", tmp_path), "--out = ")
    assert script.read_text(encoding="utf-8") == "rounds: []\n"
    assert refused(run("render", "--school", tmp_path, "--decks", tmp_path), "--school = ")


def test_spoil_copies_over_no_recording(recording: Path) -> None:
    (recording / "shown").symlink_to(recording)
    before = contents(recording)
    assert refused(run("spoil", recording, "--fault", "dark@1+1", "--out", recording / ".."), "--out = ")
    assert contents(recording) == before


@pytest.mark.parametrize("option", ["--out", "--drawn"])
@pytest.mark.parametrize("name", ["video.mp4", "overhead.yaml", "table.yaml"])
def test_calibrate_writes_over_none_of_its_files(recording: Path, option: str, name: str) -> None:
    before = contents(recording)
    result = run("calibrate", recording / "video.mp4", "--table", recording / "table.yaml", option, recording / name)
    assert refused(result, f"{option} = ")
    assert contents(recording) == before


@pytest.mark.parametrize("option", ["--out", "--drawn"])
@pytest.mark.parametrize("name", ["video.mp4", "table.yaml"])
def test_enrol_writes_over_none_of_its_files(recording: Path, option: str, name: str) -> None:
    before = contents(recording)
    assert refused(run("enrol", "cards", recording, option, recording / name), f"{option} = ")
    assert contents(recording) == before


@pytest.mark.parametrize("name", ["thirdcard.db", "house.yaml", "tables/B07.yaml", "evidence/x.csv", "."])
def test_figures_are_never_written_over_the_service_s_files(tmp_path: Path, name: str) -> None:
    Home(tmp_path).make()
    (tmp_path / "house.yaml").write_text("time_zone: UTC\n", encoding="utf-8")
    result = run("analytics", "--home", tmp_path, "--format", "csv", "--out", tmp_path / name)
    assert refused(result, "must not be among the service's own files")
    assert (tmp_path / "house.yaml").read_text(encoding="utf-8") == "time_zone: UTC\n"


def test_figures_may_be_written_beside_the_service_s_files(tmp_path: Path) -> None:
    Home(tmp_path).make()
    assert run("analytics", "--home", tmp_path, "--format", "csv", "--out", tmp_path / "f.csv").exit_code == 0
    assert (tmp_path / "f.csv").is_file()


@pytest.mark.parametrize("command", [("export",), ("corrections", "export")])
def test_data_is_never_written_among_the_evidence(tmp_path: Path, command: tuple[str, ...]) -> None:
    Home(tmp_path).make()
    result = run(*command, "--home", tmp_path, "--out", tmp_path / "evidence")
    assert refused(result, "must not be among the service's own files")


def test_schemas_are_moved_to_their_place(tmp_path: Path) -> None:
    assert run("schema", "table", "--out", tmp_path).exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["table.json"]


def test_rounds_are_never_written_over_a_rulebook(log: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(rulebook_text("tas"), encoding="utf-8")
    assert refused(run("referee", log, "--rulebook", own, "--rounds", own), "--rounds = ")
    assert own.read_text(encoding="utf-8") == rulebook_text("tas")


def test_page_is_never_written_over_a_rulebook_that_comes_with_the_program() -> None:
    before = shipped_files()[0].read_bytes()
    assert refused(run("rulebooks", "page", "--write", shipped_files()[0]), "--write = ")
    assert shipped_files()[0].read_bytes() == before
