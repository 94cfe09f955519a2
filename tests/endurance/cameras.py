"""Watch through network cameras of several kinds: cut off, silent, restarted, slow, and with a wrong password.

`python -m tests.endurance.cameras --out DIR`; needs GStreamer's RTSP server. Each camera asks for a digest sign-in and
sends H.264 or H.265, over TCP or over UDP with 2 % of its packets lost. The loss ends before the last pass of the film.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from fractions import Fraction
from pathlib import Path
from urllib.parse import quote

import av
import httpx
import yaml
from sqlalchemy import select

from tests.endurance.cuts import LIVE, state_of
from tests.endurance.live_room import LiveRoom, furnish_room
from tests.endurance.rtsp_camera import Cut, Make, NoCameraError, RtspCamera, rtsp_camera
from thirdcard.service.live.camera import DAMAGED
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.store import chain
from thirdcard.service.store.log_chains import log_chain
from thirdcard.service.store.schema import AlertRow
from thirdcard.service.web.demo_room import RECORDING

USER, PASSWORD, WRONG = "watcher-7", "ge:h@im/99?", "fals-ch-31"
SECRETS = (USER, PASSWORD, quote(PASSWORD, safe=""), WRONG)
SETTLED_S, CUT_S = 15.0, 6.0
SLOW_BYTES_PER_S = 40_000.0
"""A quarter of the rate of the shipped recording."""
PASS_S = 84.0
"""The seconds of one pass of the recording, with the delay of its last alert."""
PATIENCE_S = 120.0


@dataclass(slots=True)
class Outcome:
    """The result for one camera."""

    make: str
    states: dict[str, list[str]] = field(default_factory=dict)
    """The states that its table showed during each disturbance, by the disturbance's name."""
    alleged: list[str] = field(default_factory=list)
    """Codes of alerts about the times of the disturbances, except those about the camera itself."""
    found: list[str] = field(default_factory=list)
    """Codes of the alerts in the undisturbed pass at the end."""
    found_lossy: list[str] = field(default_factory=list)
    """Codes of the alerts in the pass before that one, with lost packets; empty over TCP."""
    faults: dict[str, int] = field(default_factory=dict)
    """The number of log lines that report lost sight, by fault."""
    refused_words: str = ""
    passwords_written: list[str] = field(default_factory=list)
    """Files that contain a secret."""


def main() -> int:
    """Test the cameras; return exit status 1 if one raised a false alert or its password was written to a file."""
    options = _parser().parse_args()
    folder = options.out or Path(tempfile.mkdtemp(prefix="cameras-"))
    folder.mkdir(parents=True, exist_ok=True)
    outcomes = []
    try:
        for make in makes(options.codecs, options.transports, options.drop):
            outcomes.append(try_camera(folder, make))
            print(json.dumps(asdict(outcomes[-1])), flush=True)
    except NoCameraError as error:
        print(f"skipped: {error}")
        return 0
    (folder / "report.json").write_text(json.dumps([asdict(one) for one in outcomes], indent=1), encoding="utf-8")
    return 1 if any(one.alleged or one.passwords_written for one in outcomes) else 0


def makes(codecs: list[str], transports: list[str], drop: float) -> Iterator[Make]:
    """Yield the cameras to test."""
    for codec in codecs:
        for transport in transports:
            lost = drop if transport == "udp" else 0.0
            yield Make(codec=codec, transport=transport, drop=lost, user=USER, password=PASSWORD)


def video_of(folder: Path, codec: str) -> Path:
    """Return the path of the shipped recording in that codec."""
    if codec == "h264":
        return RECORDING / "video.mp4"
    target = folder / f"{codec}.mp4"
    if not target.is_file():
        transcode(RECORDING / "video.mp4", target)
    return target


def transcode(source: Path, target: Path, *, until_s: float = 1e9) -> None:
    """Encode a film's frames in H.265, with a key frame every two seconds."""
    with av.open(str(source)) as read, av.open(str(target), "w") as written:
        film = read.streams.video[0]
        rate = film.average_rate or Fraction(15)
        coded = written.add_stream("libx265", rate=rate)
        coded.width, coded.height, coded.pix_fmt = film.width, film.height, "yuv420p"
        coded.options = {"preset": "ultrafast", "x265-params": f"log-level=none:keyint={2 * round(rate)}:bframes=0"}
        for frame in read.decode(film):
            if frame.time is not None and frame.time > until_s:
                break
            written.mux(coded.encode(frame))
        written.mux(coded.encode(None))


def try_camera(folder: Path, make: Make) -> Outcome:
    """Return the result of testing one camera in a room of its own."""
    outcome = Outcome(f"{make.codec} over {make.transport}, {make.drop:.0%} lost")
    room = furnish_room(folder / f"{make.codec}-{make.transport}", tables=1)
    with rtsp_camera(video_of(folder, make.codec), make) as camera:
        point_at(room, camera.url)
        room.start()
        try:
            wait_until_told(room)
            for what in ("cut", "silent", "restarted", *(["slow"] if make.transport == "tcp" else [])):
                disturb(room, camera, what, outcome)
            sign_in_wrongly(room, camera, outcome)
            if make.drop:
                began = now_utc()
                wait_for_pass(camera)
                outcome.found_lossy = alleged(room, began, now_utc())
                camera.lose_no_more()
            began = now_utc()
            wait_for_pass(camera)
            outcome.found = alleged(room, began, now_utc())
            room.stop()
        finally:
            if room.process is not None and room.process.poll() is None:
                room.kill_all()
    outcome.faults = log_faults(room)
    outcome.passwords_written = files_with_secrets(room)
    return outcome


def wait_for_pass(camera: RtspCamera) -> None:
    """Wait until the recording has been started again and played to its end.

    Raises:
        TimeoutError: It was not started again.
    """
    passes, deadline = len(camera.began), time.monotonic() + PASS_S + PATIENCE_S
    while len(camera.began) == passes:
        if time.monotonic() > deadline:
            raise TimeoutError("the service did not ask the camera to play again")
        time.sleep(0.2)
    time.sleep(PASS_S)


def point_at(room: LiveRoom, url: str) -> None:
    """Point the table at this camera, and let the service choose the transport."""
    path = room.home.tables / f"{LIVE}.yaml"
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    settings["cameras"][0] |= {"source": url, "transport": "auto"}
    path.write_text(yaml.safe_dump(settings | {"loop": False}, sort_keys=False), encoding="utf-8")


def disturb(room: LiveRoom, camera: RtspCamera, what: str, outcome: Outcome) -> None:
    """Disturb a playing camera, wait until its table is watched again, and note what happened."""
    time.sleep(SETTLED_S)
    began = now_utc()
    match what:
        case "cut":
            camera.gate.close(Cut.REFUSED)
        case "silent":
            camera.gate.close(Cut.SILENT)
        case "restarted":
            camera.restart()
        case "slow":
            camera.gate.slow_bytes_per_s = SLOW_BYTES_PER_S
    seen = states_until(room, CUT_S)
    camera.gate.slow_bytes_per_s = None
    if what in ("cut", "silent"):
        camera.gate.open()
    outcome.states[what] = seen + states_until(room, PATIENCE_S, wanted="playing")
    outcome.alleged += [code for code in alleged(room, began, now_utc()) if not code.startswith("camera.")]


def sign_in_wrongly(room: LiveRoom, camera: RtspCamera, outcome: Outcome) -> None:
    """Start the table with a wrong password, then with the right one, and note what happened."""
    began = now_utc()
    room.stop()
    point_at(room, camera.url.replace(quote(PASSWORD, safe=""), WRONG))
    room.start()
    outcome.states["wrong password"] = states_until(room, PATIENCE_S, wanted="lost")
    outcome.refused_words = str(state_of(room, LIVE)["fault"])
    room.stop()
    point_at(room, camera.url)
    room.start()
    wait_until_told(room)
    outcome.alleged += [code for code in alleged(room, began, now_utc()) if not code.startswith("camera.")]


def wait_until_told(room: LiveRoom) -> None:
    """Wait until the table plays or reports damaged pictures. A lossy stream may give nothing but damaged ones.

    Raises:
        TimeoutError: It reports neither.
    """
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            state = state_of(room, LIVE)
        except httpx.HTTPError:
            state = {}
        if state.get("camera") == "playing" or DAMAGED in str(state.get("fault")):
            return
        time.sleep(0.1)
    raise TimeoutError(f"table {LIVE} neither plays nor reports why after {PATIENCE_S:.0f} s; see {room.log}")


def states_until(room: LiveRoom, patience_s: float, *, wanted: str | None = None) -> list[str]:
    """Return the states that the table shows, in order, until it shows the wanted one or the time is over."""
    seen: list[str] = []
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        try:
            table = state_of(room, LIVE)
            state = "damaged" if DAMAGED in str(table["fault"]) else str(table["camera"])
        except httpx.HTTPError:
            state = "down"
        if seen[-1:] != [state]:
            seen.append(state)
        if state == wanted or (wanted == "playing" and state == "damaged"):
            break
        time.sleep(0.1)
    return seen


def alleged(room: LiveRoom, began: datetime, ended: datetime) -> list[str]:
    """Return the codes of the alerts of that time."""
    database = room.open_database()
    wanted = select(AlertRow.code).where(AlertRow.at >= began, AlertRow.at <= ended).order_by(AlertRow.id)
    with database.reading() as session:
        codes = list(session.scalars(wanted))
    database.close()
    return codes


def log_faults(room: LiveRoom) -> dict[str, int]:
    """Return the number of log lines that report lost sight, by fault."""
    database = room.open_database()
    with database.reading() as session:
        lines = [json.loads(line.body) for line in chain.read(session, log_chain(LIVE))]
    database.close()
    faults = [str(line.get("fault")) for line in lines if line["type"] == "camera_lost"]
    return {fault: faults.count(fault) for fault in sorted(set(faults))}


def files_with_secrets(room: LiveRoom) -> list[str]:
    """Return the paths of written files that contain a secret, except the table's own file."""
    written = [path for path in room.home.folder.rglob("*") if path.is_file() and path.parent != room.home.tables]
    return [str(path) for path in written if any(secret.encode() in path.read_bytes() for secret in SECRETS)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.cameras", description=__doc__)
    parser.add_argument("--codecs", nargs="+", default=["h264", "h265"], choices=["h264", "h265"])
    parser.add_argument("--transports", nargs="+", default=["tcp", "udp"], choices=["tcp", "udp"])
    parser.add_argument("--drop", type=float, default=0.02, help="share of the packets lost over UDP")
    parser.add_argument("--out", type=Path, default=None, help="a new folder that keeps everything")
    return parser


if __name__ == "__main__":
    sys.exit(main())
