"""The folder that describes where a live table's camera is, and the last refit after it was moved.

Its content belongs to the calibration in the table's files; it is ignored once that changes.
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
"""The layout drawn into the moved camera's picture, with the old and with the new calibration."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraFitFacts:
    """The facts of a refit."""

    at: str
    text: str
    """As a sentence."""
    moved_mm: float
    within_mm: float
    is_used: bool
    """Whether the table is watched with it."""


@dataclass(frozen=True, slots=True)
class PlaceFolder:
    """The folder of one table."""

    path: Path

    @property
    def reference(self) -> Path:
        """The picture that the current calibration belongs to."""
        return self.path / _REFERENCE

    @property
    def offered(self) -> Path:
        """The calibration of the last refit."""
        return self.path / _OFFER_CALIBRATION

    def picture(self, which: str) -> Path:
        """The path of one of PICTURES."""
        return self.path / f"{which}.jpg"

    def held(self, table: TableConfig) -> Calibration | None:
        """The camera's latest calibration; None where none is stored, or it cannot be read.

        It also counts if it has become the table's own calibration meanwhile.
        """
        own = self.path / _HELD_CALIBRATION
        try:
            is_own = (self.path / _HELD).is_file() and _digest_of(own) == _digest(table)
            return load_calibration(own) if is_own or self._read(_HELD, table) is not None else None
        except (OSError, CalibrationError):
            return None

    def hold(self, table: TableConfig, calibration: Calibration, reference_png: bytes) -> None:
        """Store a calibration and the picture that it belongs to."""
        self.path.mkdir(parents=True, exist_ok=True)
        (self.path / _HELD).unlink(missing_ok=True)  # the three files belong together: they count only once all exist
        self.reference.write_bytes(reference_png)
        save_calibration(self.path / _HELD_CALIBRATION, calibration)
        self._write(_HELD, table, {})

    def fit(self, table: TableConfig) -> CameraFitFacts | None:
        """The facts of the last refit of the table's present calibration; None where there was none."""
        facts = self._read(_OFFER, table)
        try:
            return None if facts is None else CameraFitFacts(**facts)
        except TypeError:
            return None

    def offer(self, table: TableConfig, calibration: Calibration, facts: CameraFitFacts) -> None:
        """Store a refit."""
        self.path.mkdir(parents=True, exist_ok=True)
        save_calibration(self.offered, calibration)
        self._write(_OFFER, table, asdict(facts))

    def _read(self, name: str, table: TableConfig) -> dict[str, Any] | None:
        """The facts in a file; None where it belongs to another calibration, or cannot be read."""
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
    """The SHA-256 of the calibration in the table's files."""
    return _digest_of(table.cameras[0].calibration_path)


def _digest_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
