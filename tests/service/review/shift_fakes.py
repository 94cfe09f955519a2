"""Files of shifts that were never filmed, and small real ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.service.watch_fakes import SIZE_WH_PX
from thirdcard.service.review.files import RecordedFile
from thirdcard.vision.video.film_index import FilmIndex, FilmRun

EVENING = datetime(2026, 5, 4, 20, 0, tzinfo=UTC)


def recorded(name: str, begins_s: float, lasts_s: float, **changes: object) -> RecordedFile:
    """A file that begins so many seconds after the evening did."""
    runs, fault = changes.pop("runs", (FilmRun(0.0, lasts_s),)), changes.pop("fault", None)
    values: dict[str, object] = {
        "path": Path(f"/recordings/{name}"),
        "size_bytes": 1000,
        "fingerprint": f"{name:>064}",
        "began_at": EVENING + timedelta(seconds=begins_s),
        "told_by": "name",
        "other_clock": None,
        "index": FilmIndex(zero=0, step=1, step_s=0.04, runs=runs, packets=1, fault=fault),  # type: ignore[arg-type]
        "size_wh_px": SIZE_WH_PX,
        **changes,
    }
    return RecordedFile(**values)  # type: ignore[arg-type]
