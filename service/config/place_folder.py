"""The folder in which is kept how one live table's camera hangs, and the last fit of a camera that was moved.

What is kept belongs to the calibration that the table's files have: where somebody changes that, it counts no more.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from thirdcard.calibration.camera import Calibration, load_calibration, save_calibration
from thirdcard.calibration.errors import CalibrationError
from thirdcard.service.config.table_file import TableConfig

_HELD, _HELD_CALIBRATION, _REFERENCE = "held.json", "held.yaml", "reference.png"
_OFFER, _OFFER_CALIBRATION = "fit.json", "fit.yaml"
PICTURES = ("before", "after")
"""The layout over the moved camera's picture, by the calibration before and by the new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFitFacts:
    """What is said of a fit."""

    at: str
    text: str
    """In a sentence."""
    moved_mm: float
    within_mm: float
    is_used: bool
    """Whether the table is watched with it."""


@dataclass(frozen=True, slots=True)
class PlaceFolder:
    """One table's."""

    path: Path

    @property
    def reference(self) -> Path:
        """The picture for which the held calibration holds."""
        return self.path / _REFERENCE

    @property
    def offered(self) -> Path:
        """The calibration of the last fit."""
        return self.path / _OFFER_CALIBRATION

    def picture(self, which: str) -> Path:
        """One of PICTURES."""
        return self.path / f"{which}.jpg"

    def held(self, table: TableConfig) -> Calibration | None:
        """The calibration that the camera had last; None where none is kept, or it cannot be read.

        It may have become the table's own meanwhile: what it was fitted to holds on.
        """
        own = self.path / _HELD_CALIBRATION
        try:
            is_own = (self.path / _HELD).is_file() and _digest_of(own) == _digest(table)
            return load_calibration(own) if is_own or self._read(_HELD, table) is not None else None
        except (OSError, CalibrationError):
            return None

    def hold(self, table: TableConfig, calibration: Calibration, reference_png: bytes) -> None:
        """Keep a calibration and a picture for which it holds."""
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / _HELD).unlink(missing_ok=True)  # the three belong together: they count once all are there
        self.reference.write_bytes(reference_png)
        save_calibration(self.path / _HELD_CALIBRATION, calibration)
        self._write(_HELD, table, {})

    def fit(self, table: TableConfig) -> CameraFitFacts | None:
        """What is said of the last fit since the table's calibration was made; None where there was none."""
        facts = self._read(_OFFER, table)
        try:
            return None if facts is None else CameraFitFacts(**facts)
        except TypeError:
            return None

    def offer(self, table: TableConfig, calibration: Calibration, facts: CameraFitFacts) -> None:
        """Keep a fit."""
        self.path.mkdir(parents=True, exist_ok=True)
        save_calibration(self.offered, calibration)
        self._write(_OFFER, table, asdict(facts))

    def _read(self, name: str, table: TableConfig) -> dict[str, Any] | None:
        """A file's facts; None where it is of another calibration, or cannot be read."""
        try:
            facts = json.loads((self.path / name).read_text(encoding="utf-8"))
            base = facts.pop("base")
        except (OSError, ValueError, KeyError, AttributeError):
            return None
        return facts if base == _digest(table) else None

    def _write(self, name: str, table: TableConfig, facts: dict[str, object]) -> None:
        fresh = self.path / f".{name}"
        fresh.write_text(json.dumps({"base": _digest(table), **facts}, ensure_ascii=False), encoding="utf-8")
        fresh.replace(self.path / name)


def _digest(table: TableConfig) -> str:
    """Of the calibration that the table's files have."""
    return _digest_of(table.cameras[0].calibration_path)


def _digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
