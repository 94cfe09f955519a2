"""Moving things: the pose of each as a pure function of time.

Knows nothing of cards, wagers or pixels. Millimetres of the layout plane, degrees, seconds of stream time.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Pose:
    """The position, rotation and height of a thing."""

    x_mm: float
    y_mm: float
    angle_deg: float = 0.0
    height_mm: float = 0.0

    @property
    def at_mm(self) -> Point:
        return (self.x_mm, self.y_mm)


@dataclass(frozen=True, slots=True)
class Key:
    """A pose that is reached at a time."""

    t: float
    pose: Pose


@dataclass(frozen=True, slots=True)
class Path:
    """Poses in order of time; between two of them the thing accelerates and slows down smoothly."""

    keys: tuple[Key, ...]

    def at(self, t: float) -> Pose:
        """Return the pose at `t`; before the first key the first pose, after the last key the last."""
        index = bisect_right(self.keys, t, key=lambda key: key.t)
        if index == 0:
            return self.keys[0].pose
        if index == len(self.keys):
            return self.keys[-1].pose
        before, after = self.keys[index - 1], self.keys[index]
        return blend(before.pose, after.pose, smooth((t - before.t) / (after.t - before.t)))

    def then(self, *keys: Key) -> Path:
        """Return this path with more keys; keys at or before the last time are pushed just behind it."""
        merged = list(self.keys)
        for key in keys:
            t = max(key.t, merged[-1].t + 1e-3) if merged else key.t
            merged.append(replace(key, t=t))
        return Path(tuple(merged))

    @property
    def end(self) -> Key:
        return self.keys[-1]


def path_of(keys: Iterable[tuple[float, Pose]]) -> Path:
    """Return a path through the given times and poses."""
    return Path(()).then(*(Key(t, pose) for t, pose in keys))


def smooth(share: float) -> float:
    """Return an ease-in, ease-out share: s²(3 − 2s)."""
    share = min(1.0, max(0.0, share))
    return share * share * (3.0 - 2.0 * share)


def blend(first: Pose, second: Pose, share: float) -> Pose:
    """Interpolate between two poses; 0 gives the first."""
    keep = 1.0 - share
    return Pose(
        keep * first.x_mm + share * second.x_mm,
        keep * first.y_mm + share * second.y_mm,
        keep * first.angle_deg + share * second.angle_deg,
        keep * first.height_mm + share * second.height_mm,
    )
