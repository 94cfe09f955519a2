"""Commands from what is typed to what comes out, where nothing heavy is behind them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from tests.service.watch_fakes import make_alert, make_progress, make_round, replay, write_table, write_video
from thirdcard.rules.log.events import CameraLost
from thirdcard.service.cli.commands.export import SCRIPTS as EXPORTED
from thirdcard.service.cli.commands.recognise import format_image
from thirdcard.service.cli.commands.rulebook_arguments import parse_options
from thirdcard.service.cli.commands.train import SCRIPTS as TRAINED
from thirdcard.service.cli.commands.train import Trained
from thirdcard.service.cli.commands.training_scripts import opencv_distributions
from thirdcard.service.cli.entry import app
from thirdcard.service.watch.film_watch import Progress
from thirdcard.service.watch.recordings import Recording
from thirdcard.vision.photo.recognised import Recognised

SQUARE = np.array([[0.0, 0.0], [60.04, 0.0], [60.0, 84.0], [0.0, 84.0]])


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def note_in(taken: list[Recording]) -> Callable[[Recording], Iterator[Progress]]:
    """A watch that sees nothing, but remembers what it was given."""

    def watch(recording: Recording) -> Iterator[Progress]:
        taken.append(recording)
        return iter(())

    return watch


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    folder = tmp_path / "recording"
    folder.mkdir()
    write_table(folder)
    write_video(folder / "video.mp4")
    return folder


def test_watch_says_what_it_found_and_where_the_report_is(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = [make_progress(8.0, alerts=(make_alert(),)), make_progress(14.0, rounds=(make_round(1, "7H 2S", "KD"),))]
    monkeypatch.setattr("thirdcard.service.watch.recording_run._pipeline", replay(*reports))
    result = run("watch", recording, "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    for part in ("ALERT", "1 round (Player 1) and 1 alert in 14 s", f"Report: {tmp_path / 'out' / 'report.html'}"):
        assert part in result.stdout


def test_watch_that_breaks_off_keeps_what_it_saw_and_exits_1(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = make_progress(9.0, events=(CameraLost(t=9.0, camera="overhead"),), broken="video.mp4: breaks after 9.00 s")
    monkeypatch.setattr(
        "thirdcard.service.watch.recording_run._pipeline", replay(make_progress(8.0, alerts=(make_alert(),)), last)
    )
    result = run("watch", recording, "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert result.stderr.splitlines() == ["thirdcard: video.mp4: breaks after 9.00 s"]
    assert "camera_lost" in (tmp_path / "out" / "events.jsonl").read_text(encoding="utf-8")
    assert len((tmp_path / "out" / "alerts.jsonl").read_text(encoding="utf-8").splitlines()) == 1


def test_watch_quiet_says_nothing(recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "thirdcard.service.watch.recording_run._pipeline", replay(make_progress(8.0, alerts=(make_alert(),)))
    )
    result = run("watch", recording, "--out", tmp_path / "out", "--quiet")
    assert (result.exit_code, result.output) == (0, "")


def test_watch_of_a_video_takes_table_and_signals_as_typed(
    recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[Recording] = []
    signals = tmp_path / "devices.jsonl"
    signals.write_text("", encoding="utf-8")
    monkeypatch.setattr("thirdcard.service.watch.recording_run._pipeline", note_in(taken))
    arguments = ("--table", recording / "table.yaml", "--signals", signals, "--out", tmp_path / "out")
    assert run("watch", recording / "video.mp4", *arguments).exit_code == 0
    assert (taken[0].source, taken[0].signals) == (str(recording / "video.mp4"), signals)


def test_signals_beside_the_video_are_found(recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[Recording] = []
    (recording / "signals.jsonl").write_text("", encoding="utf-8")
    monkeypatch.setattr("thirdcard.service.watch.recording_run._pipeline", note_in(taken))
    assert run("watch", recording, "--out", tmp_path / "out").exit_code == 0
    assert taken[0].signals == recording / "signals.jsonl"


def test_recognise_line_is_the_contract_s() -> None:
    found = [
        Recognised("card", "7H", True, 0.98765, SQUARE),
        Recognised("card", None, False, 0.5, SQUARE),
        Recognised("chips", None, True, 0.7, SQUARE),
    ]
    line = json.loads(json.dumps(format_image(Path("a.jpg"), found)))
    assert line["image"] == "a.jpg"
    assert line["objects"][0] == {
        "kind": "card",
        "card": "7H",
        "face_up": True,
        "confidence": 0.9877,
        "polygon": [[0.0, 0.0], [60.0, 0.0], [60.0, 84.0], [0.0, 84.0]],
    }
    assert line["objects"][1]["card"] is None
    assert "card" not in line["objects"][2]


@pytest.mark.parametrize(
    ("text", "value"),
    [("a=true", True), ("a=9", 9), ("a=null", None), ("a=six_half", "six_half"), ("a=[1", "[1"), ("a=1.5", "1.5")],
)
def test_options_are_read_as_yaml_reads_them(text: str, value: object) -> None:
    assert parse_options([text]) == {"a": value}


@pytest.mark.parametrize("command", ["train", "export"])
def test_training_without_its_libraries_says_what_to_install(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("thirdcard.service.cli.commands.training_scripts.find_spec", lambda name: None)
    result = run(command, "reader", "x.pt")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "torch, onnx not installed" in result.stderr


def test_training_with_two_opencvs_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    scripts = "thirdcard.service.cli.commands.training_scripts"
    monkeypatch.setattr(f"{scripts}.find_spec", lambda name: name)
    monkeypatch.setattr(f"{scripts}.opencv_distributions", lambda: ["opencv-python", "opencv-python-headless"])
    result = run("train", "reader")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "opencv-python and opencv-python-headless are installed; must be one alone" in result.stderr


def test_opencvs_are_found_by_the_records_of_their_installation() -> None:
    def find(name: str) -> None:
        if name not in ("opencv-python", "opencv-contrib-python-headless"):
            raise PackageNotFoundError(name)

    assert opencv_distributions(find) == ["opencv-python", "opencv-contrib-python-headless"]
    assert opencv_distributions() == ["opencv-python-headless"]


def test_exporting_a_model_hands_the_service_s_folder_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    handed = []
    monkeypatch.setattr(
        "thirdcard.service.cli.commands.export.run_script", lambda module, settings: handed.append(settings)
    )
    assert run("export", "stack-height", "last.pt", "--home", tmp_path, "--", "--force").exit_code == 0
    assert handed == [["last.pt", "--force", "--home", str(tmp_path)]]
    refused = run("export", "reader", "last.pt", "--out", tmp_path)
    assert (refused.exit_code, refused.stderr.count("\n")) == (2, 1)


def test_serve_refuses_broken_models_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THIRDCARD_MODELS", "")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "registry.yaml").write_text("guage: {}\n", encoding="utf-8")
    result = run("serve", "--home", tmp_path)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "models/registry.yaml: guage: unknown model; allowed chip_faces" in result.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::", "thirdcard.example"])
def test_serve_refuses_plain_http_beyond_this_machine(tmp_path: Path, host: str) -> None:
    result = run("serve", "--home", tmp_path / "home", "--host", host)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert f"host = {host}; passwords and pictures would cross the network" in result.stderr


@pytest.mark.parametrize(
    "allowed",
    [
        ("--host", "0.0.0.0", "--insecure"),
        ("--host", "0.0.0.0", "--trust-proxy", "10.0.0.0/8"),
        ("--host", "127.0.0.2"),
        ("--host", "::1"),
        ("--host", "localhost"),
    ],
)
def test_serve_listens_where_passwords_are_safe_or_it_is_told_to(tmp_path: Path, allowed: tuple[str, ...]) -> None:
    result = run("serve", "--home", tmp_path / "home", *allowed)
    assert result.exit_code == 2
    assert "nobody can sign in; add a user" in result.stderr


def test_all_that_can_be_trained_can_be_exported() -> None:
    assert set(TRAINED) == set(EXPORTED) == set(Trained)
    assert all(find_spec(module) is not None for module in (*TRAINED.values(), *EXPORTED.values()))


def test_training_hands_its_options_on(monkeypatch: pytest.MonkeyPatch) -> None:
    handed = []
    monkeypatch.setattr(
        "thirdcard.service.cli.commands.train.run_script", lambda module, settings: handed.append((module, settings))
    )
    assert run("train", "detector", "--", "--device", "0", "--minutes", "60").exit_code == 0
    assert handed == [("thirdcard.models.detector.detector_train", ["--device", "0", "--minutes", "60"])]
