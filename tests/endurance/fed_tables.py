"""Tables without play before the camera: it shows an empty cloth, and devices report each card and wager.

The rounds are written here; all but the first have a fault.
"""

from __future__ import annotations

import itertools
import shutil
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import httpx
import yaml

from tests.endurance.clients import AWAY
from tests.endurance.live_room import LiveRoom
from thirdcard.service.config.data_folder import Home
from thirdcard.service.web.demo_room import RECORDING

FPS = 2
"""Frames a second of the still film. It shows nothing: it only fills the rings, and to look at it costs little."""
KEY_FRAMES = 4
"""The number of frames from one key frame of the still film to the next."""
RETRY_S = 0.3
SUITS = "CDHS"
FAULTS = ("late_bet.placed", "misdeal.order", "misdeal.wrong_result")
"""Faults that are certain from the reports alone, whatever the camera could not see."""
CAMERA_LINES: tuple[Mapping[str, str], ...] = (
    {"type": "camera_lost", "fault": "frozen"},
    {"type": "camera_back"},
    {"type": "camera_lost", "fault": "overloaded"},
    {"type": "camera_back"},
    {"type": "camera_obstructed"},
    {"type": "camera_back"},
    {"type": "camera_lost", "fault": "no_picture"},
    {"type": "camera_back"},
    {"type": "camera_moved"},
    {"type": "camera_back"},
)
"""Sent in turn, again and again. Every second line reports that the camera sees again."""
ROUND_S = 5.0
"""The seconds from a round's first line to its last."""

Line = dict[str, Any]


def make_still_film(path: Path, *, minutes: float) -> None:
    """Write a film of the empty table before the shipped recording's first round: one group of pictures, repeated."""
    with av.open(str(RECORDING / "video.mp4")) as source:
        first = next(source.decode(video=0))
    with av.open(str(path), "w") as film:
        stream = film.add_stream("libx264", rate=FPS, options={"g": str(KEY_FRAMES), "bf": "0", "crf": "26"})
        stream.width, stream.height, stream.pix_fmt = first.width, first.height, "yuv420p"
        stream.time_base = tick = Fraction(1, FPS)
        packets = []
        for number in range(KEY_FRAMES):
            picture = first.reformat(format="yuv420p")
            picture.pts, picture.time_base, picture.pict_type = number, tick, 0
            packets += stream.encode(picture)
        packets += stream.encode(None)
        group = [(bytes(packet), packet.is_keyframe) for packet in packets]
        for number in range(round(minutes * 60 * FPS)):
            content, is_key = group[number % KEY_FRAMES]
            packet = av.Packet(content)
            packet.pts = packet.dts = number
            packet.time_base, packet.is_keyframe, packet.stream = tick, is_key, stream
            film.mux(packet)


def furnish_fed_tables(home: Home, film: Path, names: Sequence[str]) -> None:
    """Write the files of tables that look at that film and deal face up (style A)."""
    folder = home.folder / "recordings" / "fed"
    folder.mkdir(parents=True)
    for path in RECORDING.glob("*.yaml"):
        shutil.copy(path, folder / path.name)
    table = yaml.safe_load((RECORDING / "table.yaml").read_text(encoding="utf-8"))
    table["options"]["dealing_style"] = "A"
    for key in ("layout", "chips"):
        table[key] = str(folder / table[key])
    table["cameras"][0] |= {"source": str(film), "calibration": str(folder / "overhead.yaml")}
    for name in names:
        path = home.tables / f"{name}.yaml"
        path.write_text(yaml.safe_dump(table | {"id": name}, sort_keys=False), encoding="utf-8")


def round_lines(number: int, fault: str | None) -> list[tuple[float, Line]]:
    """Return the lines of a round, each with its time in seconds from the round's beginning."""
    suit, other = SUITS[number % 4], SUITS[(number + 1) % 4]
    dealt = (f"9{suit}", f"4{suit}", f"K{other}", f"2{other}")
    result = {"player": 9, "banker": 6, "winner": "banker" if fault == "misdeal.wrong_result" else "player"}
    cards = [f"r{number}-{place}" for place in range(4)]
    late = {"area": "s3-player", "seat": 3, "bet": "player"}
    lines: list[tuple[float, Line]] = [(0.0, {"type": "bets_opened"}), (0.8, {"type": "no_more_bets"})]
    if fault == "late_bet.placed":
        lines.append((1.2, {"type": "wager_changed", **late, "before": 0, "after": 500, "by": "seat:3"}))
    for place, (card_id, card) in enumerate(zip(cards, dealt, strict=True)):
        is_astray = fault == "misdeal.order" and place == 1
        hand = "player" if is_astray else ("player", "banker")[place % 2]
        line = {"type": "card_dealt", "card_id": card_id, "hand": hand, "card": card, "face_up": True}
        lines.append((1.6 + 0.3 * place, line))
        if is_astray:
            lines.append((1.7 + 0.3 * place, {"type": "card_moved", "card_id": card_id, "hand": "banker"}))
    lines.append((3.2, {"type": "result_announced", **result}))
    if fault == "late_bet.placed":
        lines.append((3.6, {"type": "wager_settled", **late, "action": "returned", "amount": 500}))
        lines.append((3.7, {"type": "wager_changed", **late, "before": 500, "after": 0, "by": "dealer"}))
    lines += [(4.2, {"type": "card_removed", "card_id": card_id, "to": "discard"}) for card_id in cards]
    return [*lines, (ROUND_S, {"type": "round_closed"})]


@dataclass(frozen=True, slots=True)
class FedFault:
    """A fault that was reported."""

    table: str
    code: str
    dealer: str
    """A dealer who deals in this round only."""
    taken_after_s: float
    """The longest delay, in seconds, with which the service took a line of the round. The lines' order is lost if it is
    longer than the log waits for late reports."""


@dataclass(slots=True)
class Feeder:
    """The devices of one table. A report that the service does not take is sent again until it does."""

    room: LiveRoom
    table: str
    rounds: int
    """The number of rounds with a fault; one round without a fault comes first."""
    camera_lines: int
    cycle_s: float
    fed: list[FedFault] = field(default_factory=list)
    told: int = 0
    """The number of the camera's lines that were reported."""
    refused: list[str] = field(default_factory=list)
    """Answers that were not expected."""
    again: int = 0
    """The number of reports that had to be sent again."""

    def run(self) -> None:
        """Report all rounds, from the first to the last."""
        headers = {"Authorization": f"Bearer {self.room.tokens['operator']}"}
        with httpx.Client(base_url=self.room.address, headers=headers, timeout=30) as http:
            camera = itertools.cycle(CAMERA_LINES)
            for number in range(self.rounds + 1):
                began = time.monotonic()
                fault = FAULTS[(number - 1) % len(FAULTS)] if number else None
                began_at = datetime.now(UTC)
                dealer = f"{self.table}-{number:03d}"
                taken_after_s = self._report(http, {"type": "dealer_changed", "dealer": dealer}, began_at)
                for after_s, line in round_lines(number, fault):
                    time.sleep(max(began + after_s - time.monotonic(), 0.0))
                    at = began_at + timedelta(seconds=after_s)
                    taken_after_s = max(self._report(http, line, at), taken_after_s)
                if fault is not None:
                    self.fed.append(FedFault(self.table, fault, dealer, round(taken_after_s, 2)))
                self._report_camera(http, camera, number)
                time.sleep(max(began + self.cycle_s - time.monotonic(), 0.0))

    def _report_camera(self, http: httpx.Client, camera: Iterator[Mapping[str, str]], number: int) -> None:
        """Report the camera's lines that are due after this round; after the last round, all that are left."""
        due = 2 * round(self.camera_lines / 2 * number / self.rounds)
        while self.told < due:
            self._report(http, {**next(camera), "camera": "overhead"}, datetime.now(UTC))
            self.told += 1
            time.sleep(0.2)

    def _report(self, http: httpx.Client, line: Line, at: datetime) -> float:
        """Report a line until it is taken; return the seconds from its time until then."""
        body = {**line, "at": at.isoformat()}
        while not self._is_answered(http, body):
            self.again += 1
            time.sleep(RETRY_S)
        return (datetime.now(UTC) - at).total_seconds()

    def _is_answered(self, http: httpx.Client, body: Line) -> bool:
        try:
            answer = http.post(f"/api/tables/{self.table}/signals", json=body)
        except httpx.HTTPError:
            return False
        if not answer.is_success and answer.status_code not in AWAY:
            self.refused.append(f"{self.table}: {body['type']}: {answer.status_code} {answer.text[:200]}")
        return answer.status_code not in AWAY


@dataclass(slots=True)
class Feeding:
    """All feeders, each in a thread."""

    feeders: list[Feeder]
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Start the feeders, spread over one cycle so that no two begin a round at the same time."""
        gap_s = self.feeders[0].cycle_s / len(self.feeders)
        for number, feeder in enumerate(self.feeders):
            thread = threading.Thread(target=_begin_after, args=(number * gap_s, feeder), daemon=True)
            thread.start()
            self._threads.append(thread)

    def is_over(self) -> bool:
        """Return whether everything was reported."""
        return not any(thread.is_alive() for thread in self._threads)

    @property
    def done(self) -> float:
        """The share of the rounds with a fault that are over."""
        return sum(len(feeder.fed) for feeder in self.feeders) / max(sum(feeder.rounds for feeder in self.feeders), 1)


def _begin_after(seconds: float, feeder: Feeder) -> None:
    time.sleep(seconds)
    feeder.run()


def shares(whole: int, among: int) -> list[int]:
    """Return an even number split into even parts that differ by at most two."""
    pairs, rest = divmod(whole // 2, among)
    return [2 * (pairs + (number < rest)) for number in range(among)]
