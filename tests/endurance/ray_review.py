"""Review a shift on a Ray cluster of two nodes, kill a worker, remove a node, and compare with the local engine.

`python -m tests.endurance.ray_review SHIFT --out DIR [--segment-s 240]`
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.service.review.ray_floor import RayFloor
from thirdcard.service.config.data_folder import Home
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.review import segments
from thirdcard.service.review.engine import Engine
from thirdcard.service.review.local_engine import LocalEngine
from thirdcard.service.review.opening import open_shift
from thirdcard.service.review.ray_engine import RayEngine
from thirdcard.service.review.reviewing import Reviewer, ShiftOutcome
from thirdcard.service.review.segments import Segment
from thirdcard.service.review.shift import Shift, find_wanted

WRITTEN = ("events.jsonl", "alerts.jsonl", "rounds.jsonl", "segments/*.json")


@dataclass(slots=True)
class Breaker:
    """Kills a worker once the watch is under way, and removes a node in the second half of the shift."""

    floor: RayFloor | None = None
    lost: list[str] = field(default_factory=list)
    outcomes: list[ShiftOutcome] = field(default_factory=list)

    def begin(self, shift: Shift, segments: Sequence[Segment], done: Collection[int]) -> None:
        """Print how long the shift is, and break nothing yet."""
        print(f"{shift.table.id}: {shift.lasts_s:.0f} s of film, {len(segments)} segments, {len(done)} done")

    def advance(self, shift: Shift, number: int, t: float) -> None:
        """Kill the worker or remove the node if its time has come."""
        if self.floor is None:
            return
        if not self.lost and self.floor.kill_worker("ray::_watch") is not None:
            self.lost.append(f"a worker at {t:.0f} s")
        elif len(self.lost) == 1 and t > shift.lasts_s / 2:
            self.floor.lose_node()
            self.lost.append(f"a node at {t:.0f} s")

    def finish(self, shift: Shift, outcome: ShiftOutcome) -> None:
        """Note the outcome of a shift that is in the store."""
        self.outcomes.append(outcome)


def review(target: Path, home: Home, engine: Engine, breaker: Breaker) -> tuple[float, dict[str, bytes]]:
    """Review into a home of its own; return the seconds that it took, and the content of each written file."""
    home.make()
    database = home.open_database({})
    try:
        shifts = [open_shift(wanted, ZoneInfo("UTC")) for wanted in find_wanted([target], None)]
        begun = time.monotonic()
        reviewer = Reviewer(home=home, database=database, engine=engine, now=now_utc, processes=os.cpu_count() or 1)
        reviewer.review(shifts, breaker)
        lasted_s = time.monotonic() - begun
        again = Breaker()
        reviewer.review(shifts, again)
        assert all(outcome.was_there for outcome in again.outcomes), "the shift was entered twice"
    finally:
        database.close()
    reviews, evidence = home.folder / "reviews", home.evidence
    paths = [path for pattern in WRITTEN for path in reviews.glob(f"*/{pattern}")]
    paths += [path for path in evidence.rglob("*") if path.is_file()]
    return lasted_s, {path.relative_to(home.folder).as_posix(): path.read_bytes() for path in paths}


def main() -> int:
    """Review with both engines and compare; return exit status 1 if they differ or nothing was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("shift", type=Path, help="a folder with table.yaml and recordings")
    parser.add_argument("--out", type=Path, required=True, help="an empty folder for both homes")
    parser.add_argument("--local", type=Path, help="a home that already has the local review of this shift")
    parser.add_argument("--segment-s", type=float, default=segments.SEGMENT_S, help="length of a segment in seconds")
    arguments = parser.parse_args()
    segments.SEGMENT_S = arguments.segment_s
    with RayFloor() as floor:
        breaker = Breaker(floor)
        ray_s, on_ray = review(arguments.shift, Home(arguments.out / "ray"), RayEngine(floor.address), breaker)
    local_s, local = review(
        arguments.shift, Home(arguments.local or arguments.out / "local"), LocalEngine(2), Breaker()
    )
    other = sorted(name for name in on_ray.keys() | local.keys() if on_ray.get(name) != local.get(name))
    told = {"ray_s": round(ray_s, 1), "local_s": round(local_s, 1), "lost": breaker.lost, "files": len(local)}
    print(json.dumps({**told, "differ": other}))
    return 1 if other or len(breaker.lost) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
