"""A network camera on a real server that asks for a digest sign-in: each codec and transport once."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.endurance.cameras import transcode
from tests.endurance.rtsp_camera import Make, NoCameraError, rtsp_camera
from tests.repository import DEMO
from thirdcard.calibration.camera import load_calibration
from thirdcard.service.config.table_file import CameraConfig
from thirdcard.service.live.camera import CameraReader, CameraState, Shot
from thirdcard.service.live.entrance import entrance_of
from thirdcard.service.ports.clock import now_utc

USER, PASSWORD = "watcher-7", "ge:h@im/99?"
PATIENCE_S = 60.0


def reader_of(url: str, folder: Path) -> CameraReader:
    path = DEMO / "overhead.yaml"
    camera = CameraConfig(
        name="overhead", source=url, is_live=True, calibration=load_calibration(path), calibration_path=path
    )
    entrance = entrance_of(url, "auto", folder, changed_at=now_utc(), now=now_utc)
    return CameraReader(camera, folder / "ring", now_utc, entrance)


@pytest.mark.parametrize(("codec", "transport"), [("h264", "tcp"), ("h264", "udp"), ("h265", "tcp"), ("h265", "udp")])
def test_camera_is_read_whatever_it_sends(tmp_path: Path, codec: str, transport: str) -> None:
    video = DEMO / "video.mp4"
    if codec == "h265":
        video = tmp_path / "short.mp4"
        transcode(DEMO / "video.mp4", video, until_s=4.0)
    make = Make(codec=codec, transport=transport, drop=0.002, user=USER, password=PASSWORD)
    shots: list[Shot] = []
    try:
        with rtsp_camera(video, make) as camera:
            reader = reader_of(camera.url, tmp_path)
            reader.start()
            deadline = time.monotonic() + PATIENCE_S
            while len(shots) < 30 and time.monotonic() < deadline:
                shots += reader.take(0.2)
            reader.stop()
    except NoCameraError as error:
        pytest.skip(str(error))
    assert len(shots) >= 30, reader.fault
    moments = [shot.at for shot in shots]
    assert moments == sorted(moments)


def test_wrong_password_is_told_and_not_asked_again(tmp_path: Path) -> None:
    try:
        with rtsp_camera(DEMO / "video.mp4", Make(user=USER, password=PASSWORD)) as camera:
            reader = reader_of(camera.url.replace(quote(PASSWORD, safe=""), "wrong"), tmp_path)
            reader.start()
            deadline = time.monotonic() + PATIENCE_S
            while reader.state is not CameraState.LOST and time.monotonic() < deadline:
                time.sleep(0.05)
            reader.stop()
    except NoCameraError as error:
        pytest.skip(str(error))
    assert reader.fault == "the camera refuses user or password; asks again in 2 min"
