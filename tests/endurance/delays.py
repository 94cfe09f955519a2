"""Measure the time from a fault at a live table to its alert on the stream or on a page.

`python -m tests.endurance.delays --alerts 20 --tables 2 --out DIR`; needs GStreamer's RTSP server and, with `--page`,
Chromium. Each table has a camera that plays the shipped recording, whose faults are known, and devices that report what
they reported then.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import httpx

from tests.endurance.cuts import show_camera
from tests.endurance.ears import Ear, Heard, NoBrowserError, begin, require_browser
from tests.endurance.live_room import LiveRoom, furnish_room
from tests.endurance.rtsp_camera import NoCameraError, RtspCamera, rtsp_camera
from thirdcard.service.watch.recordings import SIGNALS_NAME
from thirdcard.service.web.demo_room import RECORDING

PASS_S = 100.0
"""The longest that one pass of the recording may take, with the return to its beginning."""
WITHIN_S = 10.0
"""An alert that is later than this belongs to another fault."""


def main() -> int:
    """Measure the delays and print the report; return exit status 1 if an alert never came."""
    options = _parser().parse_args()
    folder = options.out or Path(tempfile.mkdtemp(prefix="delays-"))
    tables = [f"T{number}" for number in range(1, options.tables + 1)]
    try:
        if options.page:
            require_browser()
        with ExitStack() as stack:
            cameras = {table: stack.enter_context(rtsp_camera(RECORDING / "video.mp4")) for table in tables}
            report = run_delays(folder, cameras, options.alerts, is_on_page=options.page)
    except (NoCameraError, NoBrowserError) as error:
        print(f"skipped: {error}")
        return 0
    (folder / "report.json").write_text(json.dumps(report, indent=1), encoding="utf-8")
    print(json.dumps(report, indent=1))
    return 1 if report["missed"] else 0


def run_delays(folder: Path, cameras: dict[str, RtspCamera], alerts: int, *, is_on_page: bool) -> dict[str, object]:
    """Let the tables play until at least `alerts` alerts are due; return the report."""
    room, faults = furnish_room(folder / "room", tables=len(cameras)), read_faults()
    for table, camera in cameras.items():
        show_camera(room, table, camera.url)
    room.start()
    ear, ended = Ear(room), threading.Event()
    try:
        room.wait_until_watched()
        listening = begin(ear.on_page if is_on_page else ear.on_stream, ear)
        for table, camera in cameras.items():
            threading.Thread(target=report_as_filmed, args=(room, table, camera, ended), daemon=True).start()
        skipped = {table: len(camera.began) for table, camera in cameras.items()}  # no device reported then
        passes = -(-alerts // (len(faults) * len(cameras)))
        _wait_for_passes(cameras, skipped, passes)
        if is_on_page:
            ear.stopping.set()
            listening.join(60)
    finally:
        ended.set()
        room.stop()
    due = [
        (table, began + t, code)
        for table, camera in cameras.items()
        for began in camera.began[skipped[table] : skipped[table] + passes]
        for t, code in faults
    ]
    return sum_up(due, ear.heard)


def read_faults() -> list[tuple[float, str]]:
    """Return the recording's faults: seconds from its beginning, and the alert's code."""
    lines = (RECORDING / "alerts.jsonl").read_text(encoding="utf-8").splitlines()
    return [(alert["t"], alert["code"]) for alert in map(json.loads, lines)]


def report_as_filmed(room: LiveRoom, table: str, camera: RtspCamera, ended: threading.Event) -> None:
    """Send the reports of the recording's devices over the API, at their times, in each pass of the recording."""
    lines = [json.loads(line) for line in (RECORDING / SIGNALS_NAME).read_text(encoding="utf-8").splitlines()]
    headers = {"Authorization": f"Bearer {room.tokens['operator']}"}
    address, played = f"{room.address}/api/tables/{table}/signals", len(camera.began)
    while not ended.wait(0.02):
        if len(camera.began) == played:
            continue
        began, played = camera.began[-1], len(camera.began)
        for line in lines:
            if ended.wait(max(began + line["t"] - time.time(), 0.0)) or len(camera.began) != played:
                break
            body = {name: value for name, value in line.items() if name != "t"}
            httpx.post(address, json=body, headers=headers, timeout=30).raise_for_status()


def sum_up(due: list[tuple[str, float, str]], heard: list[Heard]) -> dict[str, object]:
    """Return the report: the delays of the alerts that were due, in seconds, and the alerts that never came."""
    delays, missed, left = [], [], list(heard)
    for table, at, code in sorted(due, key=lambda fault: fault[1]):
        fits = [one for one in left if (one.table, one.code) == (table, code) and 0 <= one.at - at < WITHIN_S]
        if not fits:
            missed.append(f"{table} {code}")
            continue
        left.remove(fits[0])
        delays.append(round(fits[0].at - at, 3))
    ordered = sorted(delays)
    return {
        "due": len(due),
        "reported": len(delays),
        "missed": missed,
        "others reported": sorted(one.code for one in left if not one.code.startswith("camera.")),
        "median_s": ordered[len(ordered) // 2] if ordered else None,
        "p95_s": ordered[int(0.95 * (len(ordered) - 1))] if ordered else None,
        "longest_s": ordered[-1] if ordered else None,
        "delays_s": delays,
    }


def _wait_for_passes(cameras: dict[str, RtspCamera], skipped: dict[str, int], passes: int) -> None:
    deadline = time.monotonic() + (passes + 2) * PASS_S
    while time.monotonic() < deadline:
        if all(len(camera.began) > skipped[table] + passes for table, camera in cameras.items()):
            return
        time.sleep(0.5)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.endurance.delays", description=__doc__)
    parser.add_argument("--alerts", type=int, default=20, help="wait for at least so many alerts")
    parser.add_argument("--tables", type=int, default=2, choices=range(1, 5), help="the number of live tables")
    parser.add_argument("--page", action="store_true", help="measure in a browser, not on the stream")
    parser.add_argument("--out", type=Path, default=None, help="a new folder that keeps everything")
    return parser


if __name__ == "__main__":
    sys.exit(main())
