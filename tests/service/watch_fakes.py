"""A tiny table with a tiny video, and a watch that replays given reports instead of processing frames."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import av
import numpy as np
import yaml
from av.video.stream import VideoStream
from numpy.typing import NDArray

from thirdcard.rules.findings.alerts import Alert
from thirdcard.rules.game.cards import Card, parse_card
from thirdcard.rules.game.words import Remedy, Settling, Severity
from thirdcard.rules.log.events import Bet, Event, Outcome
from thirdcard.rules.round.records import Due, RoundRecord
from thirdcard.rules.round.round import RoundPhase, RoundState
from thirdcard.service.media.alert_media import Evidence
from thirdcard.service.watch.film_watch import Progress
from thirdcard.service.watch.recordings import Recording
from thirdcard.service.watch.result import Findings, WatchedAlert, WatchedTable

SIZE_WH_PX = (320, 192)
MM_PER_PX = 5.0
RATE_HZ = 10
LENGTH_S = 14.0
CHANGE_S = 7.0
"""From this time on something bright lies on the wagering area."""
AREA = "s3-banker"


def box(x0: int, y0: int, x1: int, y1: int) -> list[list[int]]:
    """A rectangle's corners in mm."""
    return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]]


AREA_MM = box(600, 700, 760, 860)

LAYOUT = {
    "name": "tiny",
    "size_mm": [1600, 960],
    "areas": [
        {"id": "player-box", "kind": "hand", "hand": "player", "polygon": box(300, 100, 700, 300)},
        {"id": "banker-box", "kind": "hand", "hand": "banker", "polygon": box(900, 100, 1300, 300)},
        {"id": AREA, "kind": "wager", "seat": 3, "bet": "banker", "polygon": AREA_MM},
        {"id": "s4-tie", "kind": "wager", "seat": 4, "bet": "tie", "polygon": [[900, 700], [1000, 700], [1000, 800]]},
    ],
}
CHIPS = {"diameter_mm": 39, "thickness_mm": 3.3, "chips": [{"value": 100, "name": "black", "colour": "#1c1c1c"}]}
CAMERA = {
    "image_size": list(SIZE_WH_PX),
    "camera_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "distortion": [0, 0, 0, 0, 0],
    "homography": [[MM_PER_PX, 0, 0], [0, MM_PER_PX, 0], [0, 0, 1]],
}


def make_progress(t: float, **changes: object) -> Progress:
    """One report of a watch, without news unless the test sets it."""
    state = RoundState(round=1, phase=RoundPhase.DEALING, player=(), banker=(), wagers={})
    values: dict[str, object] = {
        "t": t,
        "frame_index": int(t * RATE_HZ),
        "duration_s": LENGTH_S,
        "events": (),
        "alerts": (),
        "rounds": (),
        "state": state,
        "stage_seconds": {"decode": 1.0, "detect": 3.0},
        **changes,
    }
    return Progress(**values)  # type: ignore[arg-type]


def write_video(path: Path, *, codec: str = "libx264") -> Path:
    """A dark table on which something bright appears at `CHANGE_S`, with a key frame every 3 s and B-frames."""
    path.write_bytes(_encoded(path.suffix, codec))
    return path


@cache
def _encoded(suffix: str, codec: str) -> bytes:
    options = {"g": "30", "bf": "2", "preset": "ultrafast"} if codec == "libx264" else {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"video{suffix}"
        with av.open(str(path), "w") as container:
            stream = container.add_stream(codec, rate=RATE_HZ, options=options)
            assert isinstance(stream, VideoStream)
            stream.width, stream.height, stream.pix_fmt = *SIZE_WH_PX, "yuv420p"
            stream.codec_context.time_base = Fraction(1, RATE_HZ)
            for i in range(int(LENGTH_S * RATE_HZ)):
                frame = av.VideoFrame.from_ndarray(picture_at(i / RATE_HZ), format="bgr24")
                frame.pts = i
                container.mux(stream.encode(frame.reformat(format="yuv420p")))
            container.mux(stream.encode())
        return path.read_bytes()


def picture_at(t: float) -> NDArray[np.uint8]:
    """The table at `t`; a bar at its right edge grows with the time."""
    image = np.full((SIZE_WH_PX[1], SIZE_WH_PX[0], 3), 40, np.uint8)
    image[: int(t * 10), -20:] = 120
    if t >= CHANGE_S:
        x, y = (int(value / MM_PER_PX) for value in AREA_MM[0])
        image[y + 6 : y + 26, x + 6 : x + 26] = 250
    return image


def write_table(folder: Path, **changes: object) -> Path:
    """Write `table.yaml` and the files that it names; `changes` replace its keys."""
    (folder / "overhead.yaml").write_text(yaml.safe_dump(CAMERA), encoding="utf-8")
    table: dict[str, object] = {
        "id": "T1",
        "rulebook": "tas",
        "shoe": {"decks": 8, "device": "shoe"},
        "layout": LAYOUT,
        "chips": CHIPS,
        "cameras": [{"name": "overhead", "source": "video.mp4", "calibration": "overhead.yaml"}],
        **changes,
    }
    path = folder / "table.yaml"
    path.write_text(yaml.safe_dump({key: value for key, value in table.items() if value is not None}), encoding="utf-8")
    return path


def make_alert(**changes: object) -> Alert:
    """A late bet on seat 3's Banker."""
    values: dict[str, object] = {
        "t": CHANGE_S,
        "round": 1,
        "code": "late_bet.placed",
        "severity": Severity.HIGH,
        "rulebook": "tas",
        "rule": "6.3",
        "seat": 3,
        "bet": Bet.BANKER,
        "area": AREA,
        "amount": 500,
        "message": "Seat 3 placed 500 on Banker 2.4 s after betting closed.",
        "remedy": Remedy("void_wager", "6.3", "The wager is void."),
        "confidence": 0.97,
        **changes,
    }
    return Alert(**values)  # type: ignore[arg-type]


def cards(text: str) -> tuple[Card | None, ...]:
    """Cards from a text such as `7H ? 10C`, with `?` for an unread card."""
    return tuple(None if each == "?" else parse_card(each) for each in text.split())


def make_round(number: int, player: str, banker: str, *, at: float = 1.0, winner: str | None = "player") -> RoundRecord:
    """A round of ten seconds with one wager."""
    hands = cards(player), cards(banker)
    totals = [None if None in hand else sum(card.point_value for card in hand if card) % 10 for hand in hands]
    due = Due(area=AREA, seat=3, bet=Bet.BANKER, stake=500, outcome=Settling.WIN, pays=Fraction(475))
    return RoundRecord(
        round=number, opened=at, closed=at + 10.0, player=hands[0], banker=hands[1], player_total=totals[0],
        banker_total=totals[1], winner=None if winner is None else Outcome(winner), complete=None not in totals,
        void=False, due=(due,),
    )  # fmt: skip


def make_findings(
    alerts: Sequence[Alert] = (), rounds: Sequence[RoundRecord] = (), events: Sequence[Event] = (), **changes: object
) -> Findings:
    """The findings of a watch of the tiny table, without pictures."""
    values: dict[str, object] = {
        "table": WatchedTable(id="T1", rulebook="tas", options={"dealing_style": "A"}, video="video.mp4"),
        "duration_s": LENGTH_S,
        "frames": 140,
        "wall_s": 2.0,
        "events": tuple(events),
        "alerts": tuple(WatchedAlert(alert=alert, noticed_at=alert.t + 0.8) for alert in alerts),
        "rounds": tuple(rounds),
        "stage_seconds": {"decode": 0.5, "detect": 1.0},
        **changes,
    }
    return Findings(**values)  # type: ignore[arg-type]


def with_evidence(findings: Findings, evidence: Evidence) -> Findings:
    """The same findings, every alert with this evidence."""
    return replace(findings, alerts=tuple(replace(watched, evidence=evidence) for watched in findings.alerts))


def replay(*reports: Progress) -> Callable[[Recording], Iterator[Progress]]:
    """A watch that replays the given reports."""
    return lambda recording: iter(reports)
