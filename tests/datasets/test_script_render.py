"""A script rendered to a recording: its files, its frames, and that they come out the same each time."""

from __future__ import annotations

import json
from pathlib import Path

import av
import numpy as np
import pytest
import yaml

from tests.datasets.scenarios import HERE, SMALL_CAMERA, clean_round, play, script_of
from thirdcard.datasets.script.camera import hang_camera
from thirdcard.datasets.script.errors import RecordingWriteError
from thirdcard.datasets.script.recording import load_cloth
from thirdcard.datasets.script.render import moments_of, render_script
from thirdcard.datasets.script.script import Camera, Video
from thirdcard.datasets.script.video import write_video
from thirdcard.service.config.table_file import load_table

SCENARIO = {
    "table": {"rulebook": "tas", "limits": {"minimum": 25}},
    "deck": "machine:1",
    "seed": 4,
    "camera": SMALL_CAMERA,
    "video": {"fps": 10, "mbit_s": 0.5},
    "pace": 0.6,
    "card_gap_s": 0.7,
    "rounds": [{"cards": "P 8H 10D | B KS 7D", "wagers": [{"seat": 3, "bet": "player", "value": 100}]}],
}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("render")
    (folder / "scenario.yaml").write_text(yaml.safe_dump(SCENARIO), encoding="utf-8")
    told: list[tuple[int, int]] = []
    rendered = render_script(
        folder / "scenario.yaml", folder / "out", lambda done, count: told.append((done, count)), processes=2
    )
    assert told[-1] == (rendered.frames, rendered.frames)
    return rendered.folder


def test_recording_has_every_file_and_a_table_that_loads(recording: Path) -> None:
    names = {path.name for path in recording.iterdir()}

    assert names == {
        "video.mp4", "table.yaml", "layout.yaml", "chips.yaml", "overhead.yaml", "signals.jsonl", "truth.jsonl",
        "alerts.jsonl", "tolerated.jsonl", "objects.jsonl", "script.yaml",
    }  # fmt: skip
    assert load_table(recording / "table.yaml").layout.name == "mini-7"


def test_video_lasts_as_long_as_the_truth(recording: Path) -> None:
    last = json.loads((recording / "truth.jsonl").read_text(encoding="utf-8").splitlines()[-1])["t"]

    with av.open(str(recording / "video.mp4")) as container:
        stream = container.streams.video[0]
        times = [float(frame.time) for frame in container.decode(stream)]
        assert (stream.codec_context.name, stream.width, stream.height) == ("h264", 480, 270)

    assert times[0] == 0.0
    assert np.allclose(np.diff(times), 0.1, atol=1e-3)
    assert last < times[-1] < last + 3.0


def test_objects_show_the_cards_where_the_camera_sees_them(recording: Path) -> None:
    lines = [json.loads(line) for line in (recording / "objects.jsonl").read_text(encoding="utf-8").splitlines()]
    faces = {found["card"] for line in lines for found in line["objects"] if found["kind"] == "card"}

    assert faces >= {"8H", "10D", "KS", "7D"}
    assert lines[1]["frame"] == 5 and lines[1]["t"] == 0.5


def test_moments_are_one_where_nothing_moves_and_several_where_something_does() -> None:
    played = play(script_of(clean_round()))
    dealt = next(line["t"] for line in played.chronicle.truth() if line["type"] == "card_dealt")

    assert len(moments_of(played.timeline, 0.2, blur=True)) == 1
    assert len(moments_of(played.timeline, dealt + 0.3, blur=True)) == 2
    assert len(moments_of(played.timeline, dealt + 0.3, blur=False)) == 1


@pytest.mark.parametrize("side", ["players", "dealer", "left", "right"])
def test_camera_sees_the_whole_cloth_with_the_dealer_above(side: str) -> None:
    layout = load_cloth(script_of({}), HERE)
    width, depth = layout.size_mm
    wanted = Camera.model_validate({"tilt_deg": 18, "tilted_from": side, "k1": -0.12, "height_mm": 2200})

    camera = hang_camera(wanted, layout, 5)
    corners = camera.image_from_layout(np.array([[0, 0], [width, 0], [width, depth], [0, depth]], dtype=float))

    assert (corners >= 0).all() and (corners < np.array(camera.image_size_wh_px)).all()
    assert corners[0, 1] < corners[3, 1] and corners[0, 0] < corners[1, 0]
    assert camera.camera_centre_mm is not None and camera.camera_centre_mm[2] == pytest.approx(-2200)


def test_video_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    blank = np.zeros((64, 64, 3), np.uint8)
    with pytest.raises(RecordingWriteError, match=r"video.mp4: .*must be a file that can be written"):
        write_video(tmp_path / "absent" / "video.mp4", Video(), [blank], (64, 64))
