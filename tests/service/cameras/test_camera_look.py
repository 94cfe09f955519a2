"""What a camera sends is measured, and what is wrong with it is said with what to do."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import cv2
import numpy as np
import pytest

from tests.repository import DEMO
from tests.rtsp_door import rtsp_door
from thirdcard.service.cameras.camera_look import (
    CameraLook,
    LookError,
    NoKeyFrameError,
    look_at_camera,
    sign_in_address,
)
from thirdcard.service.cameras.onvif import SignIn
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.vision.errors import SignInRefusedError, UnreadableVideoError
from thirdcard.vision.frames import Image

SIZE_WH_PX = (640, 360)
Picture = Callable[[np.random.Generator], Image]


def checks(rng: np.random.Generator) -> Image:
    """Sharp squares: a picture with detail."""
    y, x = np.mgrid[: SIZE_WH_PX[1], : SIZE_WH_PX[0]]
    image = np.where((x // 20 + y // 20) % 2, 170, 60).astype(np.uint8)
    return np.dstack([image] * 3)


def film(
    path: Path, draw: Picture = checks, *, rate: int = 15, group: int = 15, seconds: float = 3.0, crf: int = 18
) -> Path:
    """A film of pictures that `draw` makes."""
    rng = np.random.default_rng(1)
    options = {"g": str(group), "bf": "0", "sc_threshold": "0", "crf": str(crf), "preset": "veryfast"}
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=rate, options=options)
        stream.width, stream.height, stream.pix_fmt = *SIZE_WH_PX, "yuv420p"
        stream.codec_context.time_base = Fraction(1, rate)
        for number in range(round(seconds * rate)):
            frame = av.VideoFrame.from_ndarray(draw(rng), format="bgr24")
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def look(source: Path | str, seconds: float = 5.0, table: TableConfig | None = None) -> CameraLook:
    return look_at_camera(str(source), seconds=seconds, clock=time.monotonic, table=table)


def problems(seen: CameraLook) -> dict[str, str]:
    return {problem.key: f"{problem.grade}: {problem}" for problem in seen.problems}


def test_a_good_film_is_measured_and_nothing_is_wrong(tmp_path: Path) -> None:
    seen = look(film(tmp_path / "good.mp4"))
    assert (seen.codec, seen.size_wh_px) == ("h264", SIZE_WH_PX)
    assert seen.rate_hz == pytest.approx(15, rel=0.02)
    assert seen.key_apart_s == pytest.approx(1.0, abs=0.02)
    assert seen.bitrate_kbit_s is not None
    assert seen.bitrate_kbit_s > 1
    assert seen.picture.blur_px == pytest.approx(0.9, abs=0.3)
    assert problems(seen) == {}


@pytest.mark.parametrize("sigma", [1.5, 2.5])
def test_blur_is_measured_in_pixels(tmp_path: Path, sigma: float) -> None:
    def blurred(rng: np.random.Generator) -> Image:
        return np.asarray(cv2.GaussianBlur(checks(rng), (0, 0), sigma), np.uint8)

    seen = look(film(tmp_path / "blurred.mp4", blurred))
    assert seen.picture.blur_px == pytest.approx(np.hypot(0.8, sigma), rel=0.15)
    assert ("sharpness" in problems(seen)) == (sigma > 2)


def test_noise_is_measured_in_grey_levels(tmp_path: Path) -> None:
    def noisy(rng: np.random.Generator) -> Image:
        grey = checks(rng)[:, :, :1] + rng.normal(0, 12, (SIZE_WH_PX[1], SIZE_WH_PX[0], 1))
        return np.repeat(np.clip(grey, 0, 255), 3, axis=2).astype(np.uint8)

    seen = look(film(tmp_path / "noisy.mp4", noisy, crf=1, seconds=1))
    luma = 219 / 255  # films keep black at 16 and white at 235
    assert seen.picture.noise == pytest.approx(12 * luma, rel=0.12)
    assert "more light" in problems(seen)["noise"]


@pytest.mark.parametrize(
    ("draw", "film_options", "key", "says"),
    [
        pytest.param(lambda rng: checks(rng) // 12, {}, "brightness", "more light", id="dark"),
        pytest.param(
            lambda rng: np.where(checks(rng) > 100, 255, 60).astype(np.uint8), {}, "brightness", "exposure", id="glare"
        ),
        pytest.param(lambda rng: np.full_like(checks(rng), 90), {}, "sharpness", "covered", id="no detail"),
        pytest.param(checks, {"rate": 5, "group": 5}, "rate", "12 or more", id="few pictures"),
        pytest.param(checks, {"group": 40}, "key frames", "2.7 s", id="rare key frames"),
        pytest.param(checks, {"group": 900}, "key frames", "none more", id="one key frame"),
    ],
)
def test_what_is_wrong_is_said_with_what_to_do(
    tmp_path: Path, draw: Picture, film_options: dict[str, int], key: str, says: str
) -> None:
    seconds = 6.0 if key == "key frames" else 3.0
    told = problems(look(film(tmp_path / "film.mp4", draw, seconds=seconds, **film_options)))
    assert list(told) == [key]
    assert says in told[key]


def test_a_stream_without_key_frames_is_told_as_such(tmp_path: Path) -> None:
    whole, headless = film(tmp_path / "whole.ts", group=900), tmp_path / "headless.ts"
    with av.open(str(whole)) as source, av.open(str(headless), "w") as target:
        video = target.add_stream_from_template(source.streams.video[0])
        for packet in source.demux(video=0):
            if packet.size and not packet.is_keyframe:
                packet.stream = video
                target.mux(packet)
    with pytest.raises((NoKeyFrameError, UnreadableVideoError), match="key frame"):
        look(headless)


@pytest.mark.parametrize("status", ["401 Unauthorized", "403 Forbidden"])
def test_a_wrong_password_is_told_without_it(status: str) -> None:
    with rtsp_door(status) as door, pytest.raises(SignInRefusedError) as refused:
        address = f"rtsp://127.0.0.1:{door.port}/table"
        look(sign_in_address(address, SignIn(user="gast", password="ge:h@im")))
    assert str(refused.value) == f"{address}: the camera refuses user or password"
    assert door.passwords <= 1


def test_nobody_there_is_told_with_the_address() -> None:
    with rtsp_door() as door:
        pass
    with pytest.raises(UnreadableVideoError, match=f"rtsp://127.0.0.1:{door.port}/table: Connection refused"):
        look(f"rtsp://127.0.0.1:{door.port}/table")


def test_what_is_no_address_and_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LookError, match=r"10\.0\.0\.20: no such file; must be a film, or an address such as rtsp://"):
        look("10.0.0.20")


def test_a_password_goes_into_the_address_encoded_and_never_from_the_command_line() -> None:
    sign_in = SignIn(user="a@b", password="p/w?:")
    assert sign_in_address("rtsp://10.0.0.9/1", sign_in) == "rtsp://a%40b:p%2Fw%3F%3A@10.0.0.9/1"
    assert sign_in_address("rtsp://10.0.0.9/1", None) == "rtsp://10.0.0.9/1"
    assert sign_in_address("film.mp4", sign_in) == "film.mp4"
    with pytest.raises(LookError, match="--password-file") as refused:
        sign_in_address("rtsp://admin:geheim@10.0.0.9/1", None)
    assert "geheim" not in str(refused.value)


def test_the_table_says_whether_cards_and_chips_are_large_enough() -> None:
    seen = look(DEMO / "video.mp4", 2.0, load_table(DEMO / "table.yaml"))
    assert seen.problems == ()
    assert seen.grade is not None
    assert {place.area for place in seen.grade.places} >= {"player-box", "banker-box"}


def test_a_camera_that_hangs_too_high_is_told_in_pixels() -> None:
    table = load_table(DEMO / "table.yaml")
    camera = table.cameras[0]
    assert camera.calibration.tvec is not None
    high = replace(camera.calibration, tvec=camera.calibration.tvec * 3)
    told = look(DEMO / "video.mp4", 2.0, replace(table, cameras=(replace(camera, calibration=high),)))
    assert not told.is_fit
    assert "hang the camera nearer, or take more pixels" in problems(told)["image_size"]


def test_another_resolution_than_the_calibrated_one_is_wrong(tmp_path: Path) -> None:
    told = look(film(tmp_path / "small.mp4"), 2.0, load_table(DEMO / "table.yaml"))
    assert "1920 x 1080; set the camera so" in problems(told)["resolution"]
    assert not told.is_fit
