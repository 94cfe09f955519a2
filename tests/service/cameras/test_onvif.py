"""A camera tells its streams to who knows its password, and to nobody else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.service.cameras.onvif_camera import PASSWORD, SKEW, USER, OnvifCamera, onvif_camera
from thirdcard.service.cameras.onvif import CameraAnswer, OnvifError, SignIn, ask_camera
from thirdcard.vision.errors import SignInRefusedError

RIGHT = SignIn(user=USER, password=PASSWORD)


def ask(camera: OnvifCamera, sign_in: SignIn = RIGHT) -> CameraAnswer:
    return ask_camera(camera.service, sign_in, now=lambda: datetime.now(UTC))


def test_streams_are_told_the_largest_first_without_passwords() -> None:
    with onvif_camera() as camera:
        main, small = ask(camera).streams
    assert (main.name, main.codec, main.size_wh_px, main.rate_hz) == ("main", "hevc", (3840, 2160), 25)
    assert (main.bitrate_kbit_s, main.key_every_frames) == (8192, 50)
    assert main.address == "rtsp://10.0.0.9/main?channel=1"
    assert (small.codec, small.size_wh_px, small.rate_hz) == ("h264", (640, 360), 12.5)


def test_a_camera_with_the_first_media_service_is_understood() -> None:
    with onvif_camera(OnvifCamera(version=1)) as camera:
        (small,) = ask(camera).streams
    assert (small.size_wh_px, small.key_every_frames) == ((640, 360), 25)
    assert small.address == "rtsp://10.0.0.9/small?channel=1"
    assert camera.asked[:3] == ["GetSystemDateAndTime", "GetServices", "GetCapabilities"]


def test_a_clock_that_is_wrong_keeps_nobody_out_and_is_told() -> None:
    with onvif_camera() as camera:
        off = ask(camera).clock_off_s
    assert off == pytest.approx(SKEW.total_seconds(), abs=2.5)


def test_a_camera_that_wants_http_digest_gets_it() -> None:
    with onvif_camera(OnvifCamera(wants_http_digest=True)) as camera:
        assert len(ask(camera).streams) == 2


@pytest.mark.parametrize("sign_in", [SignIn(user=USER, password="wrong"), SignIn(user="who", password=PASSWORD)])
def test_a_wrong_password_is_sent_once_and_told_without_it(sign_in: SignIn) -> None:
    with onvif_camera() as camera, pytest.raises(SignInRefusedError) as refused:
        ask(camera, sign_in)
    assert str(refused.value) == f"{camera.service}: the camera refuses user or password"
    assert camera.asked == ["GetSystemDateAndTime", "GetServices"]
    assert camera.signed_in == []
    assert sign_in.password not in repr(sign_in)


@pytest.mark.parametrize(
    ("says", "told"),
    [
        pytest.param(b"<html>hello</html>", "is it a camera that knows ONVIF", id="a web page"),
        pytest.param(b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "the answer is no XML", id="entities"),
        pytest.param(b"<a>" * 400_000, "the answer is no XML", id="without end"),
    ],
)
def test_nonsense_is_told_as_such(says: bytes, told: str) -> None:
    with onvif_camera(OnvifCamera(says=says)) as camera, pytest.raises(OnvifError, match=told):
        ask(camera)


def test_a_camera_that_is_gone_does_not_answer() -> None:
    with onvif_camera() as camera:
        pass
    with pytest.raises(OnvifError, match="does not answer"):
        ask(camera)
