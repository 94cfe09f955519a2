"""Keep the frame that shows a corrected card, with the data needed to find the card in it, for the next training.

The frame is the camera's own, whole and lossless. No model runs here; `thirdcard corrections export` cuts the card out.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import cv2
from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.calibration.camera import format_calibration
from thirdcard.calibration.errors import CalibrationError
from thirdcard.service.config.data_folder import table_files
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.corrections.acts import correction_chain
from thirdcard.service.media.alert_media import CARD_RESTS_S
from thirdcard.service.media.clips import ClipError
from thirdcard.service.media.finding import Shown, alert_clips, recordings
from thirdcard.service.media.stills import Image, still_at
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.rounds.corrections import CARD, lines_of_round
from thirdcard.service.store import chain
from thirdcard.service.store.database import Database
from thirdcard.service.store.log_chains import chain_of_log
from thirdcard.service.store.round_schema import CorrectionRow
from thirdcard.service.store.schema import ChainLine, LogRow, RoundRow
from thirdcard.service.watch.recordings import TABLE_NAME

logger = logging.getLogger(__name__)

FOLDER = "corrections"
"""The folder's name below the evidence folder."""


class NoPictureError(ServiceError):
    """No picture of a corrected card can be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sight:
    """When and where the card was visible."""

    table_id: str
    at: datetime
    hand: str | None
    before: str | None
    shown: Shown


def keep_picture(database: Database, settings: RoomSettings, correction_id: int, *, now: datetime) -> None:
    """Keep the frame of a corrected card, or note why there is none; other corrections need no frame."""
    with database.reading() as session:
        row = session.get_one(CorrectionRow, correction_id)
        change, table_id = json.loads(row.body), row.table_id
        if change["kind"] != CARD:
            return
        try:
            sight: _Sight | None = _sight(session, settings, row, change)
            fault = ""
        except NoPictureError as error:
            sight, fault = None, str(error)
    kept: tuple[str, str, str] | None = None
    if sight is not None:
        try:
            kept = _write(settings, sight, correction_id, change)
        except (ServiceError, CalibrationError, OSError) as error:
            logger.warning("correction %d: no picture: %s", correction_id, error)
            fault = str(error)
    with database.writing() as session:
        row = session.get_one(CorrectionRow, correction_id)
        if kept is None:
            row.picture_state, row.picture_note = "failed", fault
            return
        row.picture_state, (row.picture, row.picture_sha256, row.picture_note) = "kept", kept
        sealed = {"correction": correction_id, "picture_sha256": row.picture_sha256}
        chain.append(session, correction_chain(table_id), [sealed], at=now)


def _sight(session: Session, settings: RoomSettings, row: CorrectionRow, change: dict[str, Any]) -> _Sight:
    """When and where the card is visible: a second after it was dealt or turned."""
    log = session.get_one(LogRow, row.log_id)
    wanted = select(ChainLine.body).where(ChainLine.chain == chain_of_log(log), ChainLine.seq == change["line"])
    line = json.loads(session.scalars(wanted).one())
    at = log.began_at + timedelta(seconds=line["t"] + CARD_RESTS_S)
    found = [
        *recordings(session, log.id, at, at + timedelta(milliseconds=1)),
        *alert_clips(session, settings.evidence, log.id, at, at + timedelta(milliseconds=1)),
    ]
    if not found:
        raise NoPictureError("no recording and no alert's clip shows the card")
    hand = line.get("hand") or _hand_of(session, row, line.get("card_id"))
    return _Sight(table_id=row.table_id, at=at, hand=hand, before=line.get("card"), shown=found[0])


def _hand_of(session: Session, row: CorrectionRow, card_id: str | None) -> str | None:
    """The hand of a card, from the lines that name one."""
    lines = lines_of_round(session, session.get_one(RoundRow, row.round_id))
    hands = [line.body.get("hand") for line in lines if line.body.get("card_id") == card_id and line.body.get("hand")]
    return None if not hands else str(hands[-1])


def _write(settings: RoomSettings, sight: _Sight, correction_id: int, change: dict[str, Any]) -> tuple[str, str, str]:
    """Write the frame; returns its path below the evidence folder, its SHA-256, and the note about it."""
    second_s = sight.shown.second_of(sight.at)
    still = still_at(sight.shown.path, second_s)
    if still is None:
        raise ClipError(f"{sight.shown.path.name}: holds no frame at {second_s:.1f} s")
    table = table_of(settings, sight.table_id, sight.shown.path.parent)
    note = {
        "video": sight.shown.path.name,
        "second_s": round(still.t, 3),
        "at": sight.at.isoformat(),
        "hand": sight.hand,
        "before": sight.before,
        "card": change["card"],
        "calibration": format_calibration(table.cameras[0].calibration),
        "size_mm": list(table.layout.size_mm),
        "card_size_mm": list(table.card_size_mm),
        "hands_mm": {area.hand or area.id: area.polygon_mm.tolist() for area in table.layout.of_kind("hand")},
    }
    data = _png(still.image_hw3)
    path = Path(FOLDER) / sight.table_id / f"{correction_id:08d}.png"
    (settings.evidence / path).parent.mkdir(parents=True, exist_ok=True)
    (settings.evidence / path).write_bytes(data)
    return path.as_posix(), hashlib.sha256(data).hexdigest(), chain.canonical(note)


def _png(image_hw3: Image) -> bytes:
    done, data = cv2.imencode(".png", image_hw3)
    if not done:
        raise ClipError("the frame could not be encoded")
    return data.tobytes()


def table_of(settings: RoomSettings, table_id: str, folder: Path) -> TableConfig:
    """The table's set-up: from the folder of its recording, else from the service's folder.

    Raises:
        NoPictureError: Neither has one, so the table's place in the frame is unknown.
        ServiceError: It cannot be used.
    """
    beside = folder / TABLE_NAME
    if beside.is_file():
        return load_table(beside)
    for path in table_files(settings.tables_folder):
        table = load_table(path)
        if table.id == table_id:
            return table
    raise NoPictureError(f"no table file tells how the camera of {table_id} stands")
