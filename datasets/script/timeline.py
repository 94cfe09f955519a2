"""All that is on a table through a recording; the scene at any time is a pure function of time.

Knows nothing of the game: it holds spans, each a thing that keeps its look for a while and moves along a path.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from thirdcard.datasets.scene.model import ArmObject, CardObject, ChipStack, CutCardObject, Scene
from thirdcard.datasets.script.motion import Path, smooth

FOREVER = float("inf")


@dataclass(slots=True)
class CardSpan:
    """A card that shows one side for a while."""

    object_id: str
    card: str
    face_up: bool
    path: Path
    start: float
    end: float = FOREVER
    layer: float = 0.0
    """Later layers lie above earlier ones."""
    turning: tuple[float, float] | None = None
    """Begin and end of its turn onto the other side."""
    curl_mm: float = 0.0

    def at(self, t: float) -> CardObject:
        pose = self.path.at(t)
        return CardObject(
            object_id=self.object_id,
            card=self.card,
            face_up=self.face_up,
            at_mm=pose.at_mm,
            angle_deg=pose.angle_deg,
            height_mm=pose.height_mm,
            turn=smooth((t - self.turning[0]) / (self.turning[1] - self.turning[0])) if self.turning else 0.0,
            curl_mm=self.curl_mm,
        )


@dataclass(slots=True)
class StackSpan:
    """A stack that holds the same chips for a while."""

    object_id: str
    chips: tuple[int, ...]
    path: Path
    start: float
    end: float = FOREVER
    seed: int = 0
    area: str | None = None

    def at(self, t: float) -> ChipStack:
        pose = self.path.at(t)
        return ChipStack(
            object_id=self.object_id,
            at_mm=pose.at_mm,
            chips=self.chips,
            height_mm=pose.height_mm,
            seed=self.seed,
            area=self.area,
        )


@dataclass(slots=True)
class CutCardSpan:
    """A cutting card from when it leaves the shoe until it goes back."""

    object_id: str
    path: Path
    start: float
    end: float = FOREVER

    def at(self, t: float) -> CutCardObject:
        pose = self.path.at(t)
        return CutCardObject(
            object_id=self.object_id, at_mm=pose.at_mm, angle_deg=pose.angle_deg, height_mm=pose.height_mm
        )


@dataclass(slots=True)
class ArmSpan:
    """One arm through the whole recording."""

    object_id: str
    owner: str
    path: Path
    base: Path
    poses: list[tuple[float, str]]
    """The pose of the hand from each time on."""
    hidden: tuple[float, float, float, float]
    """x0, y0, x1, y1: an arm whose finger tips are outside is not in the scene."""
    seed: int = 0

    def at(self, t: float) -> ArmObject | None:
        pose = self.path.at(t)
        x0, y0, x1, y1 = self.hidden
        if not (x0 <= pose.x_mm <= x1 and y0 <= pose.y_mm <= y1):
            return None
        index = bisect_right(self.poses, t, key=lambda entry: entry[0])
        return ArmObject(
            object_id=self.object_id,
            owner=self.owner,
            tip_mm=pose.at_mm,
            base_mm=self.base.at(t).at_mm,
            height_mm=pose.height_mm,
            pose=self.poses[max(0, index - 1)][1],
            seed=self.seed,
        )


@dataclass(slots=True)
class Timeline:
    """All spans of a recording, with the lamp and the discard rack."""

    cards: list[CardSpan] = field(default_factory=list)
    stacks: list[StackSpan] = field(default_factory=list)
    arms: list[ArmSpan] = field(default_factory=list)
    cut_cards: list[CutCardSpan] = field(default_factory=list)
    lamp: list[tuple[float, bool]] = field(default_factory=list)
    discards: list[tuple[float, int]] = field(default_factory=list)
    end: float = 0.0
    """When the recording ends."""

    def scene_at(self, t: float) -> Scene:
        """Return the scene on the table at `t`."""
        cards = sorted((span for span in self.cards if span.start <= t < span.end), key=lambda span: span.layer)
        return Scene(
            t=t,
            cards=tuple(span.at(t) for span in cards),
            stacks=tuple(span.at(t) for span in self.stacks if span.start <= t < span.end),
            arms=tuple(arm for arm in (span.at(t) for span in self.arms) if arm is not None),
            cut_cards=tuple(span.at(t) for span in self.cut_cards if span.start <= t < span.end),
            lamp_lit=bool(_latest(self.lamp, t)),
            discard_count=int(_latest(self.discards, t)),
        )


def _latest(changes: Sequence[tuple[float, int | bool]], t: float) -> int | bool:
    index = bisect_right(changes, t, key=lambda entry: entry[0])
    return changes[index - 1][1] if index else 0
