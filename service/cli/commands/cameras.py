"""`thirdcard cameras`: which cameras the network has, and what one of them sends."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from thirdcard.service.ports.errors import ServiceError

if TYPE_CHECKING:
    from thirdcard.service.cameras.camera_look import CameraLook
    from thirdcard.service.cameras.discovery import FoundCamera
    from thirdcard.service.cameras.onvif import CameraAnswer, CameraStream, SignIn
    from thirdcard.service.config.table_file import TableConfig

USER_VARIABLE, PASSWORD_VARIABLE = "THIRDCARD_CAMERA_USER", "THIRDCARD_CAMERA_PASSWORD"
STILL_ENDINGS = (".png", ".jpg", ".jpeg")
STILL_QUALITY = 95
"""JPEG quality: markers' corners are found as exactly as in the camera's own picture."""
CLOCK_OFF_S = 2.0
"""The largest clock error in seconds: a clock set by NTP is right to some hundredths, but cameras report whole
seconds."""


class CameraSignInError(ServiceError):
    """The user or password for cameras is missing."""


def cameras(
    address: Annotated[
        str | None,
        typer.Argument(metavar="[ADDRESS|FILM]", help="A camera's stream (rtsp://…, http://…) or a film, to look at."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            help="A table.yaml: are its cards and chips large enough? Without ADDRESS its own camera is looked at."
        ),
    ] = None,
    user: Annotated[str | None, typer.Option(help=f"Whom the cameras know; else {USER_VARIABLE} names him.")] = None,
    password_file: Annotated[
        Path | None,
        typer.Option(help=f"A file whose first line is the password; else {PASSWORD_VARIABLE} holds it."),
    ] = None,
    ask: Annotated[
        str | None, typer.Option(metavar="HOST[:PORT]", help="Ask this machine alone, in another network too.")
    ] = None,
    seconds: Annotated[
        float, typer.Option(min=1, max=60, help="How long answers are waited for, or a stream is looked at.")
    ] = 4.0,
    transport: Annotated[str, typer.Option(help="Over which an RTSP camera is to send: tcp, udp or auto.")] = "tcp",
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of text.")] = False,
    picture: Annotated[
        Path | None, typer.Option(help="Write the last picture to this file, to calibrate or enrol by (.png, .jpg).")
    ] = None,
) -> None:
    """Find cameras on the network, or look at one: stream, light, sharpness, and whether cards are large enough.

    Without ADDRESS every ONVIF camera that answers is listed, and with a user and password its streams. With ADDRESS
    exit status 1 where something is wrong with what it sends. Passwords are never printed.
    """
    from thirdcard.vision.video.network import TRANSPORTS

    if picture is not None and picture.suffix.lower() not in STILL_ENDINGS:
        raise typer.BadParameter(f"--picture = {picture}; must end in {', '.join(STILL_ENDINGS)}")
    if transport not in TRANSPORTS:
        raise typer.BadParameter(f"--transport = {transport}; must be {', '.join(TRANSPORTS)}")
    sign_in = read_sign_in(user, password_file)
    if address is None and table is None:
        if picture is not None:
            raise typer.BadParameter("--picture needs an address, a film, or --table FILE")
        _list_cameras(ask, sign_in, seconds, as_json=as_json)
        return
    look = _looked(address, table, sign_in, seconds, transport)
    if picture is not None:
        _write_picture(picture, look, [None if address is None or "://" in address else Path(address), table])
    if as_json:
        typer.echo(json.dumps(_look_as_json(look), ensure_ascii=False, indent=2))
    else:
        _tell_look(look)
    if not look.is_fit:
        raise typer.Exit(1)


def read_sign_in(user: str | None, password_file: Path | None) -> SignIn | None:
    """The user name and password from the options or the environment; None where neither gives them."""
    from thirdcard.service.cameras.onvif import SignIn

    user = user or os.environ.get(USER_VARIABLE)
    if password_file is not None:
        lines = password_file.read_text(encoding="utf-8").splitlines()
        if not lines or not lines[0]:
            raise CameraSignInError(f"--password-file = {password_file}; its first line must be the password")
        password: str | None = lines[0]
    else:
        password = os.environ.get(PASSWORD_VARIABLE)
    if user is None and password is None:
        return None
    if user is None:
        raise CameraSignInError(f"--user is missing; must go with a password ({USER_VARIABLE} may name the user too)")
    if password is None:
        raise CameraSignInError(f"--user = {user}; needs --password-file FILE, or the password in {PASSWORD_VARIABLE}")
    return SignIn(user=user, password=password)


def _list_cameras(ask: str | None, sign_in: SignIn | None, seconds: float, *, as_json: bool) -> None:
    from thirdcard.service.cameras.discovery import FoundCamera, find_cameras

    asked = None if ask is None else _read_host(ask)
    found = find_cameras(wait_s=seconds, clock=time.monotonic, ask=asked)
    if not found and asked is not None and sign_in is not None:
        usual = f"http://{asked[0]}/onvif/device_service"  # the usual path in ONVIF's core specification
        found = [FoundCamera(address=asked[0], name="", model="", location="", services=(usual,))]
    told = [_asked_streams(camera, sign_in) for camera in found]
    if as_json:
        items = [_camera_as_json(*each) for each in zip(found, told, strict=True)]
        typer.echo(json.dumps(items, ensure_ascii=False, indent=2))
        return
    for camera, answer in zip(found, told, strict=True):
        _tell_camera(camera, answer)
    if not found:
        typer.echo(
            f"No camera answered within {seconds:g} s. Is this machine in the cameras' network, and is ONVIF turned on "
            "in them? In another network: --ask ADDRESS"
        )
    elif sign_in is None:
        typer.echo(f"Their streams: --user NAME --password-file FILE, or {USER_VARIABLE} and {PASSWORD_VARIABLE}")


def _read_host(text: str) -> tuple[str, int]:
    import socket

    from thirdcard.service.cameras.discovery import PORT

    host, _, port = text.partition(":")
    if not host or (port and not (port.isdecimal() and 0 < int(port) < 65536)):
        raise typer.BadParameter(
            f"--ask = {text}; must be an address or name, and a port where it is another than {PORT}"
        )
    try:
        return socket.gethostbyname(host), int(port or PORT)
    except OSError as error:
        raise typer.BadParameter(f"--ask = {text}; no such machine: {error.strerror}") from error


def _asked_streams(camera: FoundCamera, sign_in: SignIn | None) -> CameraAnswer | str | None:
    """The camera's description of its streams, or why there is none; None where it was not asked."""
    from thirdcard.service.cameras.onvif import OnvifError, ask_camera
    from thirdcard.service.ports.clock import now_utc
    from thirdcard.vision.errors import SignInRefusedError

    if sign_in is None:
        return None
    if not camera.services:
        return "names no service at its own address; its streams cannot be asked for"
    try:
        return ask_camera(camera.services[0], sign_in, now=now_utc)
    except (OnvifError, SignInRefusedError) as error:
        return str(error)


def _tell_camera(camera: FoundCamera, answer: CameraAnswer | str | None) -> None:
    words = [camera.name, camera.model if camera.model != camera.name else "", camera.location]
    typer.echo("  ".join([camera.address, *filter(None, words)]))
    if isinstance(answer, str):
        typer.echo(f"  {answer}")
    elif answer is not None:
        for stream in answer.streams:
            typer.echo(f"  {stream.address}  {_stream_words(stream)}")
        if answer.clock_off_s is not None and abs(answer.clock_off_s) > CLOCK_OFF_S:
            typer.echo(f"  its clock is {answer.clock_off_s:+.0f} s off; set NTP in the camera")


def _stream_words(stream: CameraStream) -> str:
    words = [stream.codec or ""]
    if stream.size_wh_px is not None:
        words.append(f"{stream.size_wh_px[0]} x {stream.size_wh_px[1]}")
    if stream.rate_hz is not None:
        words.append(f"{stream.rate_hz:g} pictures/s")
    if stream.bitrate_kbit_s is not None:
        words.append(f"at most {stream.bitrate_kbit_s:g} kbit/s")
    if stream.key_every_frames is not None:
        words.append(f"key frame every {stream.key_every_frames:g}")
    return ", ".join(filter(None, [*words, stream.name]))


def _camera_as_json(camera: FoundCamera, answer: CameraAnswer | str | None) -> dict[str, object]:
    told: dict[str, object] = {"streams": None, "clock_off_s": None, "problem": None}
    if isinstance(answer, str):
        told["problem"] = answer
    elif answer is not None:
        told |= {"streams": [asdict(stream) for stream in answer.streams], "clock_off_s": answer.clock_off_s}
    return {"address": camera.address, "name": camera.name, "model": camera.model, "location": camera.location, **told}


def _looked(
    address: str | None, table: Path | None, sign_in: SignIn | None, seconds: float, transport: str
) -> CameraLook:
    from thirdcard.service.cameras.camera_look import look_at_camera, sign_in_address
    from thirdcard.service.config.table_file import load_table
    from thirdcard.service.setup.table_check import find_table_file

    config: TableConfig | None = None if table is None else load_table(find_table_file(table))
    if address is None:
        assert config is not None, "one of them is there"
        source = config.cameras[0].source
    else:
        source = sign_in_address(address, sign_in)
    return look_at_camera(source, seconds=seconds, clock=time.monotonic, transport=transport, table=config)


def _write_picture(path: Path, look: CameraLook, read: Sequence[Path | None]) -> None:
    """Write the last picture of a look to a file."""
    import cv2

    from thirdcard.service.config.output_files import written

    with written(path, option="--picture", inputs=read) as draft:
        quality = [cv2.IMWRITE_JPEG_QUALITY, STILL_QUALITY] if path.suffix.lower() != ".png" else []
        draft.write_bytes(cv2.imencode(path.suffix, look.image, quality)[1].tobytes())
    typer.echo(f"Written: {path}", err=True)


def _tell_look(look: CameraLook) -> None:
    from thirdcard.service.cli.commands.check import tell_camera

    rate = "rate unknown" if look.rate_hz is None else f"{look.rate_hz:.1f} pictures/s"
    key = "no second key frame" if look.key_apart_s is None else f"a key frame every {look.key_apart_s:.1f} s"
    bits = "" if look.bitrate_kbit_s is None else f", {look.bitrate_kbit_s:.0f} kbit/s"
    typer.echo(f"{look.address}: {look.codec}, {look.size_wh_px[0]} x {look.size_wh_px[1]}, {rate}{bits}, {key}")
    picture = look.picture
    blur = "no detail" if picture.blur_px is None else f"edges spread over {picture.blur_px:.1f} px"
    noise = "" if picture.noise is None else f", noise {picture.noise:.1f}"
    typer.echo(f"Light: mean {picture.level:.0f}, brightest {picture.brightest:.0f} of 255; {blur}{noise}")
    for problem in look.problems:
        typer.echo(f"{problem.grade}: {problem}")
    if look.grade is not None:
        tell_camera(look.grade)
    if not look.problems:
        typer.echo("Nothing wrong")


def _look_as_json(look: CameraLook) -> dict[str, object]:
    from thirdcard.service.cli.commands.check import camera_as_json

    return {
        "address": look.address,
        "codec": look.codec,
        "size_px": list(look.size_wh_px),
        "rate_hz": look.rate_hz,
        "bitrate_kbit_s": look.bitrate_kbit_s,
        "key_apart_s": look.key_apart_s,
        "interruptions": look.interruptions,
        "picture": asdict(look.picture),
        "fit": look.is_fit,
        "problems": [problem.as_json() for problem in look.problems],
        "camera": camera_as_json(look.grade),
    }
