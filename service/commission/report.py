"""Write the commissioning report: as JSON, as a page, and as a PDF."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from thirdcard.rules.game.cards import parse_card
from thirdcard.service.commission.card_error import SURE, ErrorEstimate
from thirdcard.service.commission.commissioning import TableCommission
from thirdcard.service.commission.consistency import CheckedRound
from thirdcard.service.commission.measures import CommissionFilm, percent
from thirdcard.service.commission.verdict import Fitness
from thirdcard.service.evaluate.cards import FollowedCard
from thirdcard.service.media.alert_media import CARD_RESTS_S
from thirdcard.service.media.clips import ClipError
from thirdcard.service.media.overlay import crop_area
from thirdcard.service.media.stills import save_picture, still_at
from thirdcard.service.ports.code_words import code_title
from thirdcard.service.watch import wording
from thirdcard.service.watch.report.media import embed
from thirdcard.service.watch.report.page import FOLDER as REPORT
from thirdcard.service.watch.result import WatchedAlert
from thirdcard.service.web.pages.pdf_report import BAD, SOFT, PdfSheet

PAGE, PAPER, VALUES = "commission.html", "commission.pdf", "commission.json"
CARDS = "cards"
"""The folder with pictures of the least certain cards."""
LEAST_SURE = 8
MARGIN_MM = 30.0
TONES = {Fitness.FIT: (20, 120, 70), Fitness.LIMITS: (184, 80, 10), Fitness.NOT_FIT: BAD}


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastSureCard:
    """One of the cards with the lowest confidence."""

    film: str
    t: float
    text: str
    """The place of the card, and how it was read."""
    picture: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAlert:
    """An alert for a person to check."""

    film: str
    watched: WatchedAlert
    still: Path | None

    @property
    def moment(self) -> str:
        """Its time in the film, as text."""
        return wording.clock(self.watched.alert.t)


def write_reports(commission: TableCommission, out: Path, *, now: datetime) -> None:
    """Write the page, PDF, JSON and the pictures of the least certain cards into an existing folder."""
    values = as_json(commission)
    (out / VALUES).write_text(json.dumps(values, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    cards = least_sure_cards(commission, out)
    alerts = [_shown(film, one) for film, one in commission.seen.alerts]
    (out / PAGE).write_text(render_page(commission, cards, alerts, now=now), encoding="utf-8")
    (out / PAPER).write_bytes(print_paper(commission, cards, alerts, now=now))


def as_json(commission: TableCommission) -> dict[str, Any]:
    """All measurements and the verdict as a mapping."""
    seen, verdict = commission.seen, commission.verdict
    return {
        "table": commission.table.id,
        "rulebook": commission.table.rulebook,
        "verdict": str(verdict.fitness),
        "reasons": list(verdict.reasons),
        "switched_off": dict(verdict.off),
        "films": [{"name": film.name, "seconds": round(film.findings.duration_s, 2)} for film in seen.films],
        "cards": {
            "shown": seen.cards.shown,
            "told": seen.cards.told,
            "sure": seen.cards.sure,
            "unread": seen.cards.unread,
            "px": _rounded(seen.sizes.card_px, 1),
        },
        "chips": {
            "changes": seen.chips.changes,
            "counted": seen.chips.counted,
            "valued": seen.chips.valued,
            "px": _rounded(seen.sizes.chip_px, 1),
        },
        "familiarity": _rounded(seen.familiarity, 3),
        "rounds": [
            {"film": film.name, "round": one.number, "contradictions": sorted(one.contradictions), "dealer": one.dealer}
            for film, rounds in zip(seen.films, seen.rounds, strict=True)
            for one in rounds
        ],
        "errors": {
            "sure_card": _estimate(seen.errors.sure),
            "card": _estimate(seen.errors.cards),
            "round": _estimate(seen.errors.rounds),
            "level": 0.95,
        },
        "blind": [
            {"film": film, "from": one.from_s, "to": one.to_s, "reason": one.reason} for film, one in seen.unseen
        ],
        "alerts": dict(seen.alerts_by_code),
        "setup": [dict(problem.as_json()) for problem in commission.check.problems],
    }


def figures(commission: TableCommission) -> list[tuple[str, str]]:
    """The measurements in words: pairs of a name and a line."""
    seen, errors = commission.seen, commission.seen.errors
    cards, chips = seen.cards, seen.chips
    agreeing = sum(one.is_consistent for one in seen.all_rounds)
    judged = sum(one.is_judged for one in seen.all_rounds)
    px = seen.sizes
    return [
        ("Watched", f"{wording.duration(seen.duration_s)} in {wording.counted(len(seen.films), 'film')}, "
                    f"{wording.counted(len(seen.all_rounds), 'round')}"),
        ("Cards", f"{cards.shown} lay open: {cards.sure} read surely ({percent(SURE, 1)} and more), "
                  f"{cards.told - cards.sure} less surely, {cards.unread} not read"),
        ("Read surely", "no card" if cards.sure_share is None else percent(cards.sure_share, 1)),
        ("Card width", "not known" if px.card_px is None else f"{px.card_px:.0f} px, {px.card_px_per_mm:.2f} px/mm"),
        ("Chips", f"{chips.changes} wagers put down or changed: {chips.counted} counted, {chips.valued} valued"),
        ("Chip width", "not known" if px.chip_px is None else f"{px.chip_px:.0f} px, {px.chip_px_per_mm:.2f} px/mm"),
        ("The deck", "not measured" if seen.familiarity is None
                     else f"{percent(seen.familiarity)} of its cards are sure at a single look"),
        ("Rounds that agree", f"{agreeing} of {len(seen.all_rounds)} with themselves; in {judged} every face was read"),
        ("Error, card read surely", estimate_words(errors.sure, "faces")),
        ("Error, any open card", estimate_words(errors.cards, "cards") + "; wrong, not read, or not found"),
        ("Error, round", estimate_words(errors.rounds, "rounds") + "; a card of it wrong, not read, or not found"),
        ("Blind", f"{wording.duration(seen.unseen_s)} of {wording.duration(seen.duration_s)}"),
    ]  # fmt: skip


def estimate_words(estimate: ErrorEstimate, what: str) -> str:
    """`0.10 % (95 %: 0.00 to 0.20 %) of 43 faces`."""
    if not estimate.of:
        return f"unknown: no {what}"
    low, high = 100 * estimate.low, 100 * estimate.high
    return f"{100 * estimate.expected:.2f} % (95 %: {low:.2f} to {high:.2f} %) of {estimate.of} {what}"


def verdict_words(commission: TableCommission) -> str:
    """The verdict as one sentence."""
    return f"Table {commission.table.id} is {commission.verdict.fitness}."


def least_sure_cards(commission: TableCommission, out: Path) -> list[LeastSureCard]:
    """The cards with the lowest confidence, or none, each with a picture of its hand's box where possible."""
    found: list[tuple[float, CommissionFilm, FollowedCard]] = []
    for film, rounds in zip(commission.seen.films, commission.seen.rounds, strict=True):
        cards = [card for one in rounds for card in one.cards if card.was_shown]
        found += [(0.0 if card.face is None else card.confidence or 0.0, film, card) for card in cards]
    found.sort(key=lambda one: one[0])
    folder = out / CARDS
    folder.mkdir(exist_ok=True)
    for old in folder.glob("[0-9][0-9].jpg"):
        old.unlink()
    shown = []
    for number, (sure, film, card) in enumerate(found[:LEAST_SURE], start=1):
        place = "no hand" if card.hand is None else card.hand.capitalize()
        told = (
            "not read"
            if card.face is None
            else f"read as {wording.card_text(parse_card(card.face))} at {percent(sure, 1)}"
        )
        t = (card.t if card.told_t is None else card.told_t) + CARD_RESTS_S
        picture = _picture(commission, film, card, t, folder / f"{number:02d}.jpg")
        shown.append(LeastSureCard(film=film.name, t=t, text=f"{place}: {told}", picture=picture))
    return shown


def render_page(
    commission: TableCommission, cards: Sequence[LeastSureCard], alerts: Sequence[ShownAlert], *, now: datetime
) -> str:
    """The page as HTML, with all pictures embedded."""
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters.update(clock=wording.clock, title_of=code_title, data=_data)
    by_code: dict[str, list[ShownAlert]] = {}
    for one in alerts:
        by_code.setdefault(one.watched.alert.code, []).append(one)
    return environment.from_string((Path(__file__).parent / "page.html").read_text(encoding="utf-8")).render(
        commission=commission,
        said=verdict_words(commission),
        figures=figures(commission),
        rounds=_contradicting(commission),
        by_code=by_code,
        cards=cards,
        places=_places(commission),
        now=f"{now:%Y-%m-%d %H:%M} UTC",
        style=Markup((REPORT / "page.css").read_text(encoding="utf-8")),
    )


def print_paper(
    commission: TableCommission, cards: Sequence[LeastSureCard], alerts: Sequence[ShownAlert], *, now: datetime
) -> bytes:
    """The report as a PDF, with boxes to tick for each alert."""
    sheet, verdict = PdfSheet(f"Commissioning of table {commission.table.id}", now), commission.verdict
    sheet.say(f"Commissioning of table {commission.table.id}", size=19, bold=True)
    films = ", ".join(film.name for film in commission.seen.films)
    sheet.say(f"{films}; made on {now:%Y-%m-%d %H:%M} UTC.", size=9, colour=SOFT)
    sheet.heading(verdict_words(commission), TONES[verdict.fitness])
    for reason in verdict.reasons:
        sheet.say(reason)
    if verdict.off:
        sheet.small_heading("Better switched off")
        sheet.rows([(code_title(code), why) for code, why in verdict.off.items()], (36, 64))
    sheet.small_heading("Measured")
    sheet.rows(figures(commission), (28, 72))
    for title, rows, widths in (
        ("Rounds that contradict themselves", _contradicting(commission), (24, 12, 64)),
        ("Could not be seen", _blind(commission), (24, 26, 50)),
        ("The set-up", [(str(one.grade), str(one)) for one in commission.check.problems], (14, 86)),
    ):
        if rows:
            sheet.small_heading(title)
            sheet.rows(rows, widths)
    if alerts:
        sheet.small_heading("Alerts, to be judged by a person: right or wrong?")
    for one in alerts:
        said = one.watched.alert
        sheet.say(f"☐ right  ☐ wrong   {said.code}, {one.film} {one.moment}: {said.message}", size=9)
        if one.still is not None:
            sheet.pictures([one.still.read_bytes()], [one.moment])
    pictured = [card for card in cards if card.picture is not None]
    if pictured:
        sheet.small_heading("The cards that were read least surely")
    for first in range(0, len(pictured), 2):
        pair = pictured[first : first + 2]
        sheet.pictures([card.picture.read_bytes() for card in pair if card.picture], [card.text for card in pair])
    if places := _places(commission):
        sheet.small_heading("How the camera sees each area")
        sheet.rows(places, (34, 22, 22, 22))
    return bytes(sheet.output())


def _contradicting(commission: TableCommission) -> list[tuple[str, str, str]]:
    """The contradictory rounds: film, round and contradictions."""
    return [
        (film.name, f"round {one.number}", _contradiction_words(one))
        for film, rounds in zip(commission.seen.films, commission.seen.rounds, strict=True)
        for one in rounds
        if not one.is_consistent
    ]


def _contradiction_words(checked: CheckedRound) -> str:
    what = ", ".join(sorted(checked.contradictions))
    if not checked.dealer:
        return f"{what}: a card was misread or not found, most likely"
    return f"{what}: {percent(checked.dealer, 1)} sure that the dealer erred, otherwise a card was misread or not found"


def _blind(commission: TableCommission) -> list[tuple[str, str, str]]:
    return [
        (film, f"{wording.clock(one.from_s)} to {wording.clock(one.to_s)}", one.reason)
        for film, one in commission.seen.unseen
    ]


def _places(commission: TableCommission) -> list[tuple[str, str, str, str]]:
    """How well the camera sees the card boxes and the wagering areas."""
    places = () if commission.check.camera is None else commission.check.camera.places
    return [
        (
            place.area,
            f"{place.px_per_mm:.2f} px/mm" if place.is_within else "not in the picture",
            "" if place.slant_deg is None else f"{place.slant_deg:.0f}° slant",
            "" if place.hidden_mm is None else f"{place.hidden_mm:.0f} mm hidden",
        )
        for place in places
        if place.kind in ("hand", "wager")
    ]


def _shown(film: CommissionFilm, watched: WatchedAlert) -> ShownAlert:
    name = None if watched.evidence is None else watched.evidence.still
    still = None if name is None or film.folder is None else film.folder / name
    return ShownAlert(film=film.name, watched=watched, still=still if still and still.is_file() else None)


def _picture(
    commission: TableCommission, film: CommissionFilm, card: FollowedCard, t: float, path: Path
) -> Path | None:
    if film.recording is None or film.recording.table.cameras[0].is_live:
        return None
    try:
        still = still_at(Path(film.recording.source), t)
    except ClipError:
        return None
    if still is None:
        return None
    camera = film.recording.table.cameras[0]
    boxes = [area for area in commission.table.layout.of_kind("hand") if card.hand in (None, area.hand)]
    around = [(float(x), float(y)) for area in boxes for x, y in area.polygon_mm]
    cut = crop_area(still.image_hw3, camera.calibration, around, margin_mm=MARGIN_MM)
    if not cut.size:
        return None
    save_picture(path, cut)
    return path


def _data(picture: Path) -> str:
    """A picture as a data address for the page."""
    medium = embed(picture.parent, (), last=[picture.name])[picture.name]
    return medium.address


def _estimate(estimate: ErrorEstimate) -> Mapping[str, float | int | None]:
    if not estimate.of:
        return {"of": 0, "expected": None, "low": None, "high": None}
    return {
        "of": estimate.of,
        "expected": round(estimate.expected, 5),
        "low": round(estimate.low, 5),
        "high": round(estimate.high, 5),
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
