"""Find what to watch: a recording's folder, or a video with a table file.

Checks, before a long run begins, that the video can be read and that the calibration is for its size.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from thirdcard.service.config.table_file import TableConfig, is_live_source, load_table
from thirdcard.service.ports.errors import ServiceError, TableError
from thirdcard.vision.addresses import public_address
from thirdcard.vision.video.container import VideoInfo
from thirdcard.vision.video.video import holds_size, probe

TABLE_NAME = "table.yaml"
SIGNALS_NAME = "signals.jsonl"


class RecordingError(ServiceError):
    """The target is neither a recording nor a video with a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A table and its video."""

    table: TableConfig
    """The source of its first camera is the video."""
    name: str
    """The name for display."""
    folder: Path | None
    """The folder that may hold the ground truth; None for a single video."""
    signals: Path | None
    """The log of the devices' reports; None where there is none."""
    rate_hz: float | None = None
    """The frame rate of a film without time stamps; None to take the film's own."""

    @property
    def source(self) -> str:
        """The video's path or address."""
        return self.table.cameras[0].source


def find_recording(target: str, *, table: Path | None = None, signals: Path | None = None) -> Recording:
    """The recording that `target` refers to: a folder with a table file, or a source used with `table`.

    Raises:
        RecordingError: It is neither.
        ServiceError: The table's files are not usable.
    """
    path = Path(target)
    if signals is not None and not signals.is_file():
        raise RecordingError(f"--signals = {signals}; no such file")
    if path.is_dir():
        config = load_table(table or _table_of(path))
        beside = path / SIGNALS_NAME
        folder: Path | None = path
    else:
        config, folder = _table_for_source(target, table), None
        beside = Path(config.cameras[0].source).with_name(SIGNALS_NAME)
    found = signals or (beside if beside.is_file() and not config.cameras[0].is_live else None)
    name = path.resolve().name if path.is_dir() else Path(public_address(target)).stem
    return Recording(table=config, name=name, folder=folder, signals=found)


def check_video(table: TableConfig) -> VideoInfo | None:
    """The properties of the video; None for a live source, which is not opened.

    Raises:
        UnreadableVideoError: The video is missing, broken from its start, or of a codec that cannot be read.
        TableError: The calibration is for another size of picture.
    """
    camera = table.cameras[0]
    if camera.is_live:
        return None
    wanted = camera.calibration.image_size_wh_px
    info = probe(camera.source, wanted)
    if tuple(info.size_wh_px) != wanted and not holds_size(camera.source, wanted):
        width, height = info.size_wh_px
        raise TableError(
            str(camera.calibration_path),
            "image_size",
            value=list(camera.calibration.image_size_wh_px),
            allowed=f"must be [{width}, {height}], the size of {public_address(camera.source)}",
        )
    return info


def _table_of(folder: Path) -> Path:
    path = folder / TABLE_NAME
    if not path.is_file():
        raise RecordingError(f"{folder}: holds no {TABLE_NAME}; allowed: a recording's folder, or a video with --table")
    return path


def _table_for_source(target: str, table: Path | None) -> TableConfig:
    if not is_live_source(target) and not Path(target).is_file():
        allowed = "a recording's folder, or a video with --table"
        raise RecordingError(f"{public_address(target)}: no such file or folder; allowed: {allowed}")
    if table is None:
        raise RecordingError(f"{public_address(target)}: a video needs --table with the {TABLE_NAME} of its table")
    return load_table(table).with_source(target)
