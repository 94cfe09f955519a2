"""Make what a person needs to judge an alert: a clip, a still of the moment, and the stack before and after.

Knows nothing of how the fault was found. Files are named by round, code and time of the alert.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from thirdcard.calibration.history import CameraHistory
from thirdcard.calibration.layout import Area, Layout
from thirdcard.rules.findings.alerts import Alert
from thirdcard.service.media.clip_span import RECORDED_CLIP
from thirdcard.service.media.clips import ClipError, ClipSpan, FilmFacts, cut_clip
from thirdcard.service.media.overlay import Outline, area_outline, crop_area, draw_overlay
from thirdcard.service.media.stills import Image, calmest, sample_span, save_picture, still_at

if TYPE_CHECKING:
    from thirdcard.service.media.stills import Crop

_logger = logging.getLogger(__name__)

BEFORE_WINDOW_S = (3.5, 0.7)
AFTER_WINDOW_S = (0.2, 3.0)
CROP_MARGIN_MM = 55.0
CARD_RESTS_S = 1.0
"""Seconds from leaving the shoe until a card lies at rest."""
DEALT_CODES = ("misdeal.order", "misdeal.third_card_not_due", "misdeal.extra_card", "misdeal.foreign", "exposed_card.")
CHANGED_STACK_CODES = ("late_bet.", "payout.")

SeenAt = Callable[[float], Sequence[Outline]]


def nothing_seen(_t: float) -> Sequence[Outline]:
    """No outlines, where nothing was recorded."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The files of one alert, relative to the output folder; None where there is no such picture."""

    from_s: float
    to_s: float
    clip: str | None = None
    still: str | None = None
    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class EvidenceKeeper:
    """Makes the evidence of a recording's alerts."""

    video: Path
    layout: Layout
    camera: CameraHistory
    folder: Path
    """The parent folder of `clips/`."""
    film: FilmFacts = field(default_factory=FilmFacts)
    """How the video is read."""

    def keep(self, alert: Alert, *, noticed_at: float, seen: SeenAt = nothing_seen) -> Evidence:
        """Write the files of an alert; a file that cannot be made is logged and left out.

        Args:
            alert: The alert.
            noticed_at: The stream time at which it was found.
            seen: Returns the outlines at a stream time, to draw onto the still.
        """
        (self.folder / "clips").mkdir(parents=True, exist_ok=True)
        stem = self._free_stem(alert)
        wanted = RECORDED_CLIP.span(alert.t, noticed_at=noticed_at)
        span = replace(wanted, from_s=max(0.0, wanted.from_s))
        clip = self._clip(f"{stem}.mp4", span, alert.t)
        still = self.still(f"{stem}.jpg", alert, seen)
        before, after = self.before_after(stem, alert)
        covered = span if clip is None else clip[1]
        return Evidence(
            from_s=round(covered.from_s, 3),
            to_s=round(covered.to_s, 3),
            clip=None if clip is None else clip[0],
            still=still,
            before=before,
            after=after,
        )

    def mend(self, evidence: Evidence) -> None:
        """Cut a clip again, now that a damaged stretch of film is known, so that browsers can play it."""
        if evidence.clip is not None:
            film = replace(self.film, is_damaged=True)
            with suppress(ClipError, OSError):
                half = self.folder / f"{evidence.clip}.part"
                cut_clip(self.video, half, ClipSpan(from_s=evidence.from_s, to_s=evidence.to_s), film)
                half.replace(self.folder / evidence.clip)

    def _free_stem(self, alert: Alert) -> str:
        """The base name, such as `clips/0004-late_bet.placed-83.2`, with a number where it is taken."""
        plain = f"clips/{alert.round or 0:04d}-{alert.code}-{alert.t:.1f}"
        stem, n = plain, 2
        while (self.folder / f"{stem}.mp4").exists() or (self.folder / f"{stem}.jpg").exists():
            stem, n = f"{plain}-{n}", n + 1
        return stem

    def _clip(self, name: str, span: ClipSpan, at_s: float) -> tuple[str, ClipSpan] | None:
        try:
            return name, cut_clip(self.video, self.folder / name, span, self.film, at_s=at_s)
        except (ClipError, OSError) as error:
            _logger.warning("no clip for %s: %s", name, error)
            return None

    def still(self, name: str, alert: Alert, seen: SeenAt = nothing_seen) -> str | None:
        """Write the marked picture of the moment as `name`; returns None where there is no frame."""
        try:
            still = still_at(self.video, _shown_t(alert), film=self.film)
        except ClipError as error:
            _logger.warning("no still for %s: %s", name, error)
            return None
        if still is None:
            return None
        outlines = (*seen(still.t), *_questioned_areas(alert, self.layout))
        save_picture(self.folder / name, draw_overlay(still.image_hw3, self.camera.at(still.t), self.layout, outlines))
        return name

    def before_after(self, stem: str, alert: Alert) -> tuple[str | None, str | None]:
        """Write the stack before and after as `STEM-before.jpg` and `STEM-after.jpg`; None where there is no
        picture."""
        area = find_area(self.layout, alert.area)
        if area is None or not shows_a_stack(alert):
            return None, None
        polygon = area_outline(area).polygon_mm

        def crop(image_hw3: Image) -> Image:
            return crop_area(image_hw3, self.camera.at(alert.t), polygon, margin_mm=CROP_MARGIN_MM)

        before = ClipSpan(from_s=alert.t - BEFORE_WINDOW_S[0], to_s=alert.t - BEFORE_WINDOW_S[1])
        after = ClipSpan(from_s=alert.t + AFTER_WINDOW_S[0], to_s=alert.t + AFTER_WINDOW_S[1])
        return self._calm_crop(f"{stem}-before.jpg", before, crop), self._calm_crop(f"{stem}-after.jpg", after, crop)

    def _calm_crop(self, name: str, span: ClipSpan, crop: Crop) -> str | None:
        try:
            picture = calmest(sample_span(self.video, span, crop, film=self.film))
        except ClipError as error:
            _logger.warning("no picture %s: %s", name, error)
            return None
        if picture is None:
            return None
        save_picture(self.folder / name, picture)
        return name


def shows_a_stack(alert: Alert) -> bool:
    """Whether the fault is shown by a stack before and after."""
    return alert.code.startswith(CHANGED_STACK_CODES)


def format_evidence(evidence: Evidence) -> Mapping[str, object]:
    """The `evidence` object of an alert's line: existing paths, and the time that they cover."""
    paths = {"clip": evidence.clip, "still": evidence.still, "before": evidence.before, "after": evidence.after}
    return {
        **{name: path for name, path in paths.items() if path is not None},
        "from": evidence.from_s,
        "to": evidence.to_s,
    }


def find_area(layout: Layout, area_id: str | None) -> Area | None:
    """The area with that id; None where the layout has none."""
    return next((area for area in layout.areas if area.id == area_id), None)


def _shown_t(alert: Alert) -> float:
    """The stream time for the still: for a fault of a card, once it lies at rest."""
    return alert.t + CARD_RESTS_S if alert.code.startswith(DEALT_CODES) else alert.t


def _questioned_areas(alert: Alert, layout: Layout) -> tuple[Outline, ...]:
    area = find_area(layout, alert.area)
    if area is not None:
        return (area_outline(area, in_question=True, text=alert.code.partition(".")[2].replace("_", " ")),)
    boxes = [area for area in layout.of_kind("hand") if alert.hand is not None and area.hand == alert.hand]
    return tuple(area_outline(box, in_question=True) for box in boxes)
