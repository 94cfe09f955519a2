"""Cut the card of a log line out of the video, for the person who corrects it.

A log does not say where a card lay. The detector examines the frame a second after the line: a card that was not there
before, or lay differently, is the one, if its place has changed; its reading decides between several. If none is found,
the picture shows the hand's box, or the whole table. Nothing is written; recent pictures are cached.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import cv2
import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.calibration.errors import CalibrationError
from thirdcard.service.alerts.evidence_files import EvidenceMissingError
from thirdcard.service.alerts.room import Room
from thirdcard.service.alerts.table_recording import has_kept
from thirdcard.service.config.table_file import TableConfig
from thirdcard.service.corrections.card_pictures import NoPictureError, table_of
from thirdcard.service.corrections.export import MARGIN_MM, CardModels, is_in
from thirdcard.service.media.alert_media import CARD_RESTS_S
from thirdcard.service.media.clips import ClipError
from thirdcard.service.media.finding import alert_clips, recordings
from thirdcard.service.media.overlay import area_box
from thirdcard.service.media.stills import Image, Still, still_at
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store import audit, chain
from thirdcard.service.store.log_chains import chain_of, chain_of_log
from thirdcard.service.store.people import Person
from thirdcard.service.store.schema import ChainLine, LogRow, RoundRow
from thirdcard.vision.detections import CARD_BACK, CARD_FACE
from thirdcard.vision.errors import VisionError
from thirdcard.vision.inference.crops import card_crop
from thirdcard.vision.plane.change_gate import CHANGE_LEVELS, largest
from thirdcard.vision.plane.rectify import Rectifier

logger = logging.getLogger(__name__)

RESTS_S = (CARD_RESTS_S, 1.6, 0.5, 2.6)
"""Seconds after its line at which a card is looked for: a hand rarely covers it at all of these times."""
BEFORE_S = 0.7
"""Seconds before its line at which a card did not lie there, or lay differently: a deal or a turn takes less."""
CONFIRM_S = 0.2
"""Seconds after which a detection must be confirmed: some prints look like a card's back in one frame, but not
in two."""
SAME_MM = 30.0
"""Two detections within half a card's width are the same card."""
STILL_MM = 8.0
"""A card at rest is found again within this distance; a sliding one moves further in that time."""
CHANGED_SHARE = 0.3
"""Where less of a place has changed, no card was laid: the rim of a card beside it covers less, and all of a card's
back differs from the cloth. Chosen by hand."""
AROUND_CARD_MM = 70.0
AROUND_HAND_MM = 40.0
FILM_BEFORE, FILM_AFTER = timedelta(seconds=3), timedelta(seconds=4)
"""The span cut from the stored video: all times that are examined, and a key frame before them."""
JPEG_QUALITY = 95
"""A pip is some ten pixels large, so a crop needs a higher quality than a still."""
MOST_KEPT = 100
"""The most cached pictures: a card has 20 KB, a whole table 500, so 50 MB at most."""

Corners = NDArray[np.float64]
Shows = Literal["card", "hand", "table"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardLine:
    """A log line about a card."""

    table_id: str
    log_id: int
    line: int
    t: float
    """Seconds since the log's beginning."""
    at: datetime
    hand: str | None
    """None where it lay in no hand's box."""
    name: str | None
    """The face as read; None where it was not read, or lay face down."""
    is_face_up: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardCrop:
    """A picture of a card."""

    shows: Shows
    shown_at: datetime
    """The time of the frame."""
    jpeg: bytes
    box_px: tuple[int, int, int, int]
    """The part of the frame in pixels: left, top, right, bottom; right and bottom are exclusive."""
    outline_px: tuple[tuple[float, float], ...]
    """The card's corners in pixels of the picture; empty where it was not found."""
    source: str
    """The video that it was cut from, in words."""
    second_s: float
    """The frame's time in that video, seconds."""

    @property
    def tag(self) -> str:
        """The entity tag: it changes with the picture."""
        return hashlib.sha256(self.jpeg).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Film:
    path: Path
    line_s: float
    """The time of the line in this video, seconds."""
    source: str


@dataclass(slots=True)
class CardCrops:
    """A service's cache of card pictures, and the models that find cards, loaded on first use."""

    _kept: OrderedDict[tuple[object, ...], CardCrop] = field(default_factory=OrderedDict)
    _eyes: CardModels | None = None
    _looking: threading.Lock = field(default_factory=threading.Lock)

    def show(self, room: Room, card: CardLine) -> CardCrop:
        """The card from the first video that shows its time.

        Raises:
            EvidenceMissingError: No video shows it; the text says why.
        """
        fault = None
        for film in _films(room, card):
            try:
                return self._of_film(room, film, card)
            except OSError as error:
                fault = fault or f"{film.path.name}: is not where it was, or cannot be read ({error.strerror})"
            except (ClipError, NoPictureError) as error:
                fault = fault or str(error)
            except (ServiceError, CalibrationError, VisionError) as error:
                logger.warning("table %s, line %d: its card cannot be shown: %s", card.table_id, card.line, error)
                fault = fault or "the table's file or the models cannot be used; the service's log tells more"
        raise EvidenceMissingError(
            "No film of this card is kept any more: no recording, no alert's clip and nothing of the table's camera."
            if fault is None
            else f"The card cannot be shown: {fault}"
        )

    def _of_film(self, room: Room, film: _Film, card: CardLine) -> CardCrop:
        facts = film.path.stat()
        key = (card.log_id, card.line, str(film.path), facts.st_size, facts.st_mtime_ns)
        with self._looking:
            if key not in self._kept:
                self._eyes = self._eyes or CardModels.open()
                table = table_of(room.settings, card.table_id, film.path.parent)
                self._kept[key] = _Finder(film, card, table, self._eyes).look()
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]


def find_card_line(session: Session, person: Person, round_id: int, line: int) -> CardLine | None:
    """A round's line about a card, as it was written; None where it is none, or the person may not see it."""
    row = session.get(RoundRow, round_id)
    if row is None or not person.may_see(row.table_id) or not row.first_line <= line <= row.last_line:
        return None
    log = session.get_one(LogRow, row.log_id)
    wanted = select(ChainLine.body).where(ChainLine.chain == chain_of_log(log), ChainLine.seq == line)
    body: dict[str, Any] = json.loads(session.scalars(wanted).one())
    if "card" not in body:
        return None
    return CardLine(
        table_id=row.table_id,
        log_id=row.log_id,
        line=line,
        t=body["t"],
        at=log.began_at + timedelta(seconds=body["t"]),
        hand=_hand_at(session, row, line, body),
        name=body["card"],
        is_face_up=body.get("face_up"),
    )


def _hand_at(session: Session, row: RoundRow, line: int, body: dict[str, Any]) -> str | None:
    """The hand of the card at that line: from the line itself, or the last earlier line about the card's place."""
    if "hand" in body or "card_id" not in body:
        return body.get("hand")
    said = (
        json.loads(one.body) for one in chain.read(session, chain_of(session, row), first=row.first_line, last=line)
    )
    hands = [one["hand"] for one in said if one.get("card_id") == body["card_id"] and "hand" in one]
    return hands[-1] if hands else None


def note_look(room: Room, person: Person, round_id: int, line: int) -> None:
    """Record in the audit that a person sees a card's picture."""
    target = f"round:{round_id}"
    if room.sights.is_new(person.name, f"{target}/card"):
        with room.database.writing(is_shown=False) as session:
            audit.note(session, person.name, "evidence.seen", target, at=room.clock(), kind="card", line=line)
        room.sights.remember(person.name, f"{target}/card")


def _films(room: Room, card: CardLine) -> Iterator[_Film]:
    """The videos that may show the card, the best first."""
    at, end, ring = card.at, card.at + timedelta(seconds=RESTS_S[0]), room.settings.ring / card.table_id
    with room.database.reading() as session:
        whole = recordings(session, card.log_id, at, end)
        clips = alert_clips(session, room.settings.evidence, card.log_id, at, end)
    for shown in whole:
        yield _Film(path=shown.path, line_s=shown.second_of(at), source=shown.path.name)
    if has_kept(room, card.table_id, at, end):
        try:
            cut = room.cuts.get_kept(ring, at - FILM_BEFORE, at + FILM_AFTER)
        except (ClipError, OSError) as error:
            logger.warning("table %s: what is kept of its camera cannot be cut: %s", card.table_id, error)
        else:
            yield _Film(
                path=cut.path, line_s=at.timestamp() - cut.covers.from_s, source="what is kept of the table's camera"
            )
    for shown in clips:
        if shown.path.is_file():
            yield _Film(path=shown.path, line_s=shown.second_of(at), source=f"the clip of alert {shown.alert}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The place of a detected card."""

    corners_mm: Corners
    label: int

    def is_of(self, others: Sequence[_Place], *, near_mm: float = SAME_MM) -> bool:
        """Whether one of these has the same place and the same side up."""
        middle = self.corners_mm.mean(axis=0)
        return any(
            other.label == self.label and np.linalg.norm(other.corners_mm.mean(axis=0) - middle) < near_mm
            for other in others
        )


class _Finder:
    """Finds one card in the frames of its video."""

    def __init__(self, film: _Film, card: CardLine, table: TableConfig, eyes: CardModels) -> None:
        self.film, self.card, self.table, self.eyes = film, card, table, eyes
        self.calibration = table.cameras[0].calibration
        self.hands = {area.hand: area.polygon_mm for area in table.layout.of_kind("hand")}
        self._rectifier = Rectifier(self.calibration, table.layout.size_mm)

    @property
    def box_mm(self) -> Corners | None:
        """The box of the card's hand, in mm of the layout; None where it lay elsewhere."""
        return self.hands.get(self.card.hand)

    def look(self) -> CardCrop:
        """Find the card and cut its picture; raises ClipError where the video has no frame of that time."""
        before = still_at(self.film.path, self.film.line_s - BEFORE_S)
        was = None if before is None else self._cards_in(before.image_hw3)
        first: Still | None = None
        for rest_s in RESTS_S:
            still = still_at(self.film.path, self.film.line_s + rest_s)
            later = still_at(self.film.path, self.film.line_s + rest_s + CONFIRM_S)
            if still is None or later is None:
                continue
            first = first or still
            place = self._find(still.image_hw3, was, before)
            if place is not None and place.is_of(self._cards_in(later.image_hw3), near_mm=STILL_MM):
                return self._sight(still, place.corners_mm)
        if first is None:
            raise ClipError(f"{self.film.path.name}: holds no frame at {self.film.line_s:.1f} s")
        return self._sight(first, None)

    def _cards_in(self, image: Image) -> list[_Place]:
        """The cards in its hand's box, else those on the cloth outside the hands' boxes."""
        box, size = self.box_mm, self.table.layout.size_mm
        region = (0.0, 0.0, *size) if box is None else (*(box.min(axis=0) - MARGIN_MM), *(box.max(axis=0) + MARGIN_MM))
        found = self.eyes.detector.detect_regions(image, self._rectifier, [region]).of(CARD_FACE, CARD_BACK)
        places = [
            _Place(corners_mm=one, label=int(label)) for one, label in zip(found.corners_mm, found.label, strict=True)
        ]
        return [one for one in places if self._may_be(one.corners_mm.mean(axis=0))]

    def _may_be(self, middle_mm: Corners) -> bool:
        if self.box_mm is not None:
            return is_in(middle_mm, self.box_mm)
        return not any(is_in(middle_mm, box, margin_mm=0.0) for box in self.hands.values())

    def _find(self, image: Image, was: Sequence[_Place] | None, before: Still | None) -> _Place | None:
        """The card; None where none matches, or it is ambiguous."""
        up = self.card.is_face_up if self.card.is_face_up is not None else (self.card.name is not None or None)
        wanted = (CARD_FACE, CARD_BACK) if up is None else (CARD_FACE,) if up else (CARD_BACK,)
        places = [one for one in self._cards_in(image) if one.label in wanted]
        if self.card.name is None:
            places = [one for one in places if self._has_changed(one, before, image)]
        fresh = places if was is None else [one for one in places if not one.is_of(was)]
        if was is not None and len(fresh) == 1:
            return fresh[0]
        return self._told_apart(image, fresh or places)

    def _has_changed(self, place: _Place, before: Still | None, image: Image) -> bool:
        """Whether a place is seen to differ from the frame before: print that is taken for a back does not."""
        frames = [image] if before is None else [image, before.image_hw3]
        crops = [card_crop(each, self.calibration, place.corners_mm) for each in frames]
        seen = [crop.astype(np.float32) for crop in crops if crop is not None]
        return len(seen) == 2 and bool(np.mean(largest(np.abs(seen[0] - seen[1])) > CHANGE_LEVELS) >= CHANGED_SHARE)

    def _told_apart(self, image: Image, places: Sequence[_Place]) -> _Place | None:
        """The card that reads as the line says; without a face in the line, the only one."""
        if self.card.name is None:
            return places[0] if len(places) == 1 else None
        crops = [(one, card_crop(image, self.calibration, one.corners_mm)) for one in places]
        seen = [(one, crop) for one, crop in crops if crop is not None]
        if not seen or self.card.name not in self.eyes.reader.labels:
            return None
        sure = self.eyes.reader.read([crop for _, crop in seen]).log_probs
        is_it = sure.argmax(axis=1) == self.eyes.reader.labels.index(self.card.name)
        return seen[int(np.argmax(is_it))][0] if is_it.any() else None

    def _sight(self, still: Still, corners_mm: Corners | None) -> CardCrop:
        height, width = still.image_hw3.shape[:2]
        polygon, margin_mm = (self.box_mm, AROUND_HAND_MM) if corners_mm is None else (corners_mm, AROUND_CARD_MM)
        box = (0, 0, width, height)
        if polygon is not None:
            box = area_box((height, width), self.calibration, polygon.tolist(), margin_mm=margin_mm)
        x0, y0, x1, y1 = box
        done, data = cv2.imencode(".jpg", still.image_hw3[y0:y1, x0:x1], [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
        if not done:
            raise ClipError("the picture could not be encoded")
        outline = () if corners_mm is None else np.asarray(self.calibration.image_from_layout(corners_mm)) - (x0, y0)
        return CardCrop(
            shows="card" if corners_mm is not None else "table" if polygon is None else "hand",
            shown_at=self.card.at + timedelta(seconds=still.t - self.film.line_s),
            jpeg=data.tobytes(),
            box_px=box,
            outline_px=tuple((round(float(x), 1), round(float(y), 1)) for x, y in outline),
            source=self.film.source,
            second_s=still.t,
        )
