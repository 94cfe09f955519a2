"""`thirdcard cameras`, as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import pytest
from typer.testing import CliRunner, Result

from tests.endurance.rtsp_camera import Make, NoCameraError, rtsp_camera
from tests.repository import DEMO
from tests.rtsp_door import rtsp_door
from tests.service.cameras.onvif_camera import PASSWORD, USER, OnvifCamera, onvif_camera
from thirdcard.calibration.camera import load_calibration
from thirdcard.service.cli.entry import app

ENVIRONMENT = {"THIRDCARD_CAMERA_USER": USER, "THIRDCARD_CAMERA_PASSWORD": PASSWORD}


def run(*arguments: object, environment: dict[str, str] | None = None) -> Result:
    told = CliRunner().invoke(app, ["cameras", *map(str, arguments)], env=environment)
    assert PASSWORD not in told.output
    assert "Traceback" not in told.output
    return told


def test_cameras_are_listed_with_their_streams(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text(f"{PASSWORD}\n", encoding="utf-8")
    with onvif_camera() as camera:
        asked = ("--ask", f"127.0.0.1:{camera.udp_port}", "--seconds", "1")
        told = run(*asked, "--user", USER, "--password-file", secret)
    assert told.exit_code == 0
    lines = told.stdout.splitlines()
    assert lines[0] == "127.0.0.1  Overhead B07  DOME-4K  pit 3"
    assert lines[1] == (
        "  rtsp://10.0.0.9/main?channel=1  "
        "hevc, 3840 x 2160, 25 pictures/s, at most 8192 kbit/s, key frame every 50, main"
    )
    assert "set NTP in the camera" in lines[3]


def test_without_a_password_streams_are_not_asked_for() -> None:
    with onvif_camera() as camera:
        told = run("--ask", f"127.0.0.1:{camera.udp_port}", "--seconds", "1")
    assert "Overhead B07" in told.stdout
    assert "--password-file" in told.stdout
    assert camera.asked == []


def test_json_holds_the_same_and_what_went_wrong() -> None:
    asked = ("--seconds", "1", "--json")
    with onvif_camera() as camera:
        told = run("--ask", f"127.0.0.1:{camera.udp_port}", *asked, environment=ENVIRONMENT)
        wrong = run(
            "--ask",
            f"127.0.0.1:{camera.udp_port}",
            *asked,
            environment={**ENVIRONMENT, "THIRDCARD_CAMERA_PASSWORD": "other"},
        )
    (right,) = json.loads(told.stdout)
    assert [stream["size_wh_px"] for stream in right["streams"]] == [[3840, 2160], [640, 360]]
    (refused,) = json.loads(wrong.stdout)
    assert refused["streams"] is None
    assert refused["problem"].endswith("the camera refuses user or password")


def test_a_service_elsewhere_gets_no_password() -> None:
    with onvif_camera(OnvifCamera(services="http://127.0.0.2:1/onvif")) as camera:
        told = run("--ask", f"127.0.0.1:{camera.udp_port}", "--seconds", "1", environment=ENVIRONMENT)
    assert "names no service at its own address" in told.stdout
    assert camera.asked == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--user", "x"], "--password-file FILE"),
        (["--ask", "127.0.0.1:0"], "--ask = 127.0.0.1:0; must be an address or name"),
        (["--transport", "pigeon"], "must be tcp, udp, auto"),
        (["rtsp://a:b@10.0.0.9/1"], "stand in the address"),
        (["nowhere.mp4"], "no such file; must be a film"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(arguments: list[str], says: str) -> None:
    told = run(*arguments)
    assert told.exit_code == 2
    assert says in told.stderr
    assert len(told.stderr.splitlines()) == 1


def test_a_password_file_without_a_password_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n", encoding="utf-8")
    told = run("--user", "x", "--password-file", tmp_path / "empty")
    assert (told.exit_code, "its first line must be the password" in told.stderr) == (2, True)


def test_a_film_is_looked_at_beside_its_table() -> None:
    told = run(DEMO / "video.mp4", "--table", DEMO, "--seconds", "2")
    assert told.exit_code == 0
    assert "h264, 1920 x 1080, 15.0 pictures/s" in told.stdout
    assert "player-box" in told.stdout
    as_json = json.loads(run("--table", DEMO, "--seconds", "1", "--json").stdout)
    assert as_json["fit"] is True
    assert as_json["camera"]["areas"][0]["px_per_mm"] > 0.6


def test_a_refused_password_is_one_line() -> None:
    with rtsp_door() as door:
        told = run(f"rtsp://127.0.0.1:{door.port}/table", environment=ENVIRONMENT)
    assert told.exit_code == 2
    assert told.stderr == f"thirdcard: rtsp://127.0.0.1:{door.port}/table: the camera refuses user or password\n"


def test_a_real_camera_is_looked_at() -> None:
    try:
        with rtsp_camera(DEMO / "video.mp4", Make(user=USER, password=PASSWORD)) as camera:
            address = camera.url.replace(camera.sign_in, "")
            told = run(address, "--seconds", "3", "--json", environment=ENVIRONMENT)
    except NoCameraError as error:
        pytest.skip(str(error))
    seen = json.loads(told.stdout)
    assert seen["address"] == address
    assert seen["size_px"] == [1920, 1080]
    assert seen["rate_hz"] == pytest.approx(15, rel=0.1)


def test_picture_of_a_film_is_written_to_calibrate_by(tmp_path: Path) -> None:
    picture = tmp_path / "now.png"
    told = run(DEMO / "video.mp4", "--seconds", "1", "--picture", picture)
    assert told.exit_code == 0, told.output
    seen = cv2.imread(str(picture))
    assert seen is not None
    assert seen.shape[1::-1] == tuple(load_calibration(DEMO / "overhead.yaml").image_size_wh_px)
    assert "must end in .png" in run(DEMO / "video.mp4", "--picture", tmp_path / "now.gif").output
    assert "needs an address" in run("--picture", picture).output
