"""Files of shifts that were never filmed, and small real ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.service.watch_fakes import SIZE_WH_PX
from thirdcard.service.review.files import RecordedFile, Run

EVENING = datetime(2026, 5, 4, 20, 0, tzinfo=UTC)


def recorded(name: str, begins_s: float, lasts_s: float, **changes: object) -> RecordedFile:
    """A file that begins so many seconds after the evening did."""
    values: dict[str, object] = {
        "path": Path(f"/recordings/{name}"),
        "size_bytes": 1000,
        "fingerprint": f"{name:>064}",
        "began_at": EVENING + timedelta(seconds=begins_s),
        "told_by": "name",
        "other_clock": None,
        "runs": (Run(from_s=0.0, to_s=lasts_s),),
        "size_wh_px": SIZE_WH_PX,
        **changes,
    }
    return RecordedFile(**values)  # type: ignore[arg-type]
