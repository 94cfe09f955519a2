"""Tables that are fed as logs: the camera shows an empty cloth, and devices report each card and wager of rounds that
are written here, most of them with a fault.
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
"""Nothing is to be seen on it: it only fills the rings, and costs these tables little to look at."""
KEY_FRAMES = 4
"""From one key frame of the still film to the next."""
RETRY_S = 0.3
SUITS = "CDHS"
FAULTS = ("late_bet.placed", "misdeal.order", "misdeal.wrong_result")
"""Certain by the reports alone, whatever the camera could not see meanwhile."""
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
"""Over and over; each second one says that the camera sees again."""
ROUND_S = 5.0
"""A round from its first line to its last."""

Line = dict[str, Any]


def make_still_film(path: Path, *, minutes: float) -> None:
    """The empty table before the shipped recording's first round: one group of pictures again and again."""
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
    """Tables of that film, where cards are dealt face up and counted on the devices."""
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
    """The lines of a round, and when each is reported, in seconds from its beginning."""
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
    """Deals in this round alone."""
    taken_after_s: float
    """The longest that the service took to take one of the round's lines: their order is lost where that is longer than
    its log waits for what comes late."""


@dataclass(slots=True)
class Feeder:
    """The devices of one table; reports what the service does not take again until it does."""

    room: LiveRoom
    table: str
    rounds: int
    """With a fault, after one without."""
    camera_lines: int
    cycle_s: float
    fed: list[FedFault] = field(default_factory=list)
    told: int = 0
    """Of the camera's lines."""
    refused: list[str] = field(default_factory=list)
    """Answers that there should not be."""
    again: int = 0
    """Reports that were sent once more."""

    def run(self) -> None:
        """From the first round to the last."""
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
        """The camera's share of lines after this round; after the last one all that are left."""
        due = 2 * round(self.camera_lines / 2 * number / self.rounds)
        while self.told < due:
            self._report(http, {**next(camera), "camera": "overhead"}, datetime.now(UTC))
            self.told += 1
            time.sleep(0.2)

    def _report(self, http: httpx.Client, line: Line, at: datetime) -> float:
        """Report until it is taken; gives how long after its moment that was."""
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
    """All feeders at work."""

    feeders: list[Feeder]
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Each in a thread, none at the same moment as another."""
        gap_s = self.feeders[0].cycle_s / len(self.feeders)
        for number, feeder in enumerate(self.feeders):
            thread = threading.Thread(target=_begin_after, args=(number * gap_s, feeder), daemon=True)
            thread.start()
            self._threads.append(thread)

    def is_over(self) -> bool:
        """Whether all was reported."""
        return not any(thread.is_alive() for thread in self._threads)

    @property
    def done(self) -> float:
        """Which part of the rounds is over."""
        return sum(len(feeder.fed) for feeder in self.feeders) / max(sum(feeder.rounds for feeder in self.feeders), 1)


def _begin_after(seconds: float, feeder: Feeder) -> None:
    time.sleep(seconds)
    feeder.run()


def shares(whole: int, among: int) -> list[int]:
    """A number in even parts that differ by two at most; `whole` is even."""
    pairs, rest = divmod(whole // 2, among)
    return [2 * (pairs + (number < rest)) for number in range(among)]
