"""Faults put into a recording: each is what the watch calls it, and the copy's truth reports it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.service.watch_fakes import write_table, write_video
from tests.vision.drawn_clips import CLOTH_MM, clip, straight_down
from thirdcard.calibration.layout import load_layout
from thirdcard.datasets.errors import DatasetsError
from thirdcard.datasets.script.errors import RecordingWriteError
from thirdcard.datasets.script.faults import CameraFault, FaultMaker, Spell, parse_spell
from thirdcard.datasets.script.spoil import between_and_amid, load_source, spoil_recording
from thirdcard.service.cli.entry import app
from thirdcard.vision.frames import Frame
from thirdcard.vision.health.camera_health import CameraHealth
from thirdcard.vision.observations import CameraRefitted, PictureCleared, PictureFaulted
from thirdcard.vision.plane.change_gate import SMALL_WH_PX
from thirdcard.vision.video.video import VideoReader

LATE = {"t": 6.0, "round": 1, "code": "late_bet.placed", "seat": 3, "hand": None}
CALL = {"t": 5.0, "type": "no_more_bets", "source": "signal"}


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    folder = tmp_path / "shift"
    folder.mkdir()
    write_table(folder)
    write_video(folder / "video.mp4")
    write_lines(folder / "truth.jsonl", [{"t": 1.0, "type": "bets_opened"}, CALL])
    write_lines(folder / "signals.jsonl", [{"t": 1.0, "type": "bets_opened"}, CALL])
    write_lines(folder / "alerts.jsonl", [LATE])
    return folder


def write_lines(path: Path, lines: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def read_lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def spoiled(fault: CameraFault) -> Iterator[Frame]:
    """A drawn clip with the fault from 5 to 9 s."""
    maker, spell = FaultMaker(straight_down(), load_layout("mini-7", Path())), Spell(fault, 5.0, 9.0)
    for frame in clip(12.0):
        image = maker.spoil(frame.image, frame.t, fault if spell.is_at(frame.t) else None)
        yield Frame(frame.index, frame.t, image)


@pytest.mark.parametrize("fault", list(CameraFault))
def test_watch_calls_a_fault_what_it_is(fault: CameraFault) -> None:
    health = CameraHealth(straight_down(), CLOTH_MM)
    told = [each for frame in spoiled(fault) for each in health.update(frame, frame.small(SMALL_WH_PX))]
    begun, *_ = told
    assert isinstance(begun, PictureFaulted) and str(begun.fault) == str(fault)
    assert begun.t == pytest.approx(5.0, abs=0.45)
    if fault is CameraFault.MOVED:  # it is fitted anew where it hangs, and once more where it hung before
        assert [type(each) for each in told] == [PictureFaulted, CameraRefitted, PictureCleared] * 2
        assert told[3].t == pytest.approx(9.0, abs=0.45)
    else:
        _, ended = told
        assert isinstance(ended, PictureCleared) and ended.t == pytest.approx(9.0, abs=0.45)


def test_good_picture_is_left_as_it_is() -> None:
    image = np.full((9, 16, 3), 77, np.uint8)
    assert FaultMaker(straight_down(), load_layout("mini-7", Path())).spoil(image, 1.0, None) is image


def test_spell_is_read_from_words() -> None:
    assert parse_spell("dark@20+8.5") == Spell(CameraFault.DARK, 20.0, 28.5)


@pytest.mark.parametrize("text", ["foggy@20+8", "dark", "dark@x+8", "dark@20", "dark@-1+8", "dark@5+0"])
def test_spell_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(DatasetsError, match="--fault = "):
        parse_spell(text)


def test_copy_has_the_fault_in_picture_and_truth(recording: Path, tmp_path: Path) -> None:
    spoil_recording(load_source(recording), tmp_path / "copy", [Spell(CameraFault.DARK, 5.0, 8.0)])
    with VideoReader(tmp_path / "copy" / "video.mp4") as reader, VideoReader(recording / "video.mp4") as source:
        levels = {round(frame.t, 1): frame.luma.mean() / other.luma.mean() for frame, other in zip(reader, source)}  # noqa: B905
    assert levels[4.9] == pytest.approx(1.0, abs=0.1) and levels[8.0] == pytest.approx(1.0, abs=0.1)
    assert max(levels[5.0], levels[7.9]) < 0.4
    truth = [(line["t"], line["type"], line.get("fault")) for line in read_lines(tmp_path / "copy" / "truth.jsonl")]
    assert truth[-2:] == [(5.0, "camera_obstructed", "dark"), (8.0, "camera_back", None)]


def test_alert_that_nobody_can_see_is_tolerated_and_the_cameras_is_due(recording: Path, tmp_path: Path) -> None:
    spoil_recording(load_source(recording), tmp_path / "copy", [Spell(CameraFault.FROZEN, 5.0, 8.0)])
    assert [line["code"] for line in read_lines(tmp_path / "copy" / "alerts.jsonl")] == ["camera.lost"]
    (tolerated,) = read_lines(tmp_path / "copy" / "tolerated.jsonl")
    assert (tolerated["code"], tolerated["from"], tolerated["to"]) == ("late_bet.placed", 4.0, 8.0)


def test_copy_that_begins_later_has_all_its_times_moved(recording: Path, tmp_path: Path) -> None:
    spoil_recording(load_source(recording), tmp_path / "copy", [], begin_s=4.0)
    assert read_lines(tmp_path / "copy" / "signals.jsonl") == [{**CALL, "t": 1.0}]
    assert [line["t"] for line in read_lines(tmp_path / "copy" / "alerts.jsonl")] == [2.0]
    with VideoReader(tmp_path / "copy" / "video.mp4") as reader, VideoReader(recording / "video.mp4") as source:
        assert sum(1 for _ in reader) == sum(1 for _ in source) - 40


def test_fault_lies_between_rounds_and_amid_a_deal(recording: Path) -> None:
    truth: list[dict[str, object]] = []
    for n in range(4):
        deal = [{"t": 20.0 * n + 8 + i, "type": "card_dealt", "card_id": f"{n}{i}", "hand": "player"} for i in range(4)]
        truth += [*deal, {"t": 20.0 * n + 18, "type": "round_closed"}]
    write_lines(recording / "truth.jsonl", truth)
    between, amid = between_and_amid(load_source(recording), CameraFault.GLARE)
    assert (between.from_s, between.to_s) == (18.0, 26.0)
    assert (amid.from_s, amid.to_s) == (49.3, 57.3)


def test_recording_of_too_few_rounds_wants_its_faults_named(recording: Path) -> None:
    with pytest.raises(RecordingWriteError, match="name each --fault"):
        between_and_amid(load_source(recording), CameraFault.DARK)


def test_folder_without_a_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordingWriteError, match="must be a folder"):
        load_source(tmp_path)


def test_recording_is_not_written_over(recording: Path) -> None:
    with pytest.raises(RecordingWriteError, match="another folder"):
        spoil_recording(load_source(recording), recording, [])


def test_command_says_what_it_put_where(recording: Path, tmp_path: Path) -> None:
    words = ["spoil", str(recording), "--out", str(tmp_path / "copies"), "--fault", "dark@5+3"]
    told = CliRunner().invoke(app, words)
    assert told.exit_code == 0 and "dark from 5.0 to 8.0 s" in told.output
    assert (tmp_path / "copies" / "shift" / "video.mp4").is_file()
