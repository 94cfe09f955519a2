"""Fake files of shifts, and fake results of comparing their pictures."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.service.watch_fakes import SIZE_WH_PX
from thirdcard.service.review.clocks import NAME, Claim
from thirdcard.service.review.files import RecordedFile
from thirdcard.service.review.sameness import NO_WORD, OTHERS, Likeness
from thirdcard.vision.video.film_index import FilmIndex, FilmRun

EVENING = datetime(2026, 5, 4, 20, 0, tzinfo=UTC)


def recorded(name: str, begins_s: float, lasts_s: float, **changes: object) -> RecordedFile:
    """A file that begins this many seconds after the evening, dated by its name by default."""
    began_at = EVENING + timedelta(seconds=begins_s)
    told_by = str(changes.get("told_by", NAME))
    runs, fault = changes.pop("runs", (FilmRun(0.0, lasts_s),)), changes.pop("fault", None)
    values: dict[str, object] = {
        "path": Path(f"/recordings/{name}"),
        "size_bytes": 1000,
        "fingerprint": f"{name:>064}",
        "began_at": began_at,
        "told_by": told_by,
        "claims": (Claim(told_by=told_by, at=began_at),),
        "index": FilmIndex(zero=0, step=1, step_s=0.04, runs=runs, packets=1, fault=fault),  # type: ignore[arg-type]
        "size_wh_px": SIZE_WH_PX,
        **changes,
    }
    return RecordedFile(**values)  # type: ignore[arg-type]


def same_by_clock(_first: RecordedFile, _second: RecordedFile, lag_s: float) -> Likeness:
    """Pictures that agree with the clocks."""
    return Likeness(lag_s)


def all_others(_first: RecordedFile, _second: RecordedFile, _lag_s: float) -> Likeness:
    """Pictures that are never the same."""
    return OTHERS


def still(_first: RecordedFile, _second: RecordedFile, _lag_s: float) -> Likeness:
    """Pictures in which nothing moves."""
    return NO_WORD
