"""A case as a PDF to print, to sign and to file: the content of its page, with pictures.

Sizes are in millimetres and points. The fonts are shipped, so that names in non-Latin scripts are rendered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fpdf import FPDF
from fpdf.fonts import FontFace
from PIL import Image

from thirdcard.service.alerts.alerts import AlertStory
from thirdcard.service.alerts.cases import CaseStory
from thirdcard.service.config.settings import RoomSettings
from thirdcard.service.web.pages.showing import build_environment

if TYPE_CHECKING:
    from thirdcard.service.web.pages.report import PackedFile

FONTS = Path(__file__).with_name("fonts")
TEXT, FAR = "DejaVu", "Droid"
INK, SOFT, RULE, BAD = (23, 32, 39), (91, 105, 114), (216, 223, 227), (201, 20, 42)
TONES = {"critical": BAD, "high": (184, 80, 10), "medium": (138, 99, 0), "low": (31, 122, 168), "info": SOFT}
LINE = 1.45
"""The line height relative to the font size."""
POINT_MM = 25.4 / 72
TALLEST_MM, TALLEST_PAIR_MM = 105.0, 58.0
TALLEST_LINES, LEAST_LETTERS = 12, 20
"""A text with more lines continues over pages; a line of the narrowest column usually has at least so many letters."""
MOST_LINES = 120
"""The most lines of a log; the archive has the complete log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFiles:
    """The files of a case."""

    files: Sequence[PackedFile]
    missing: Sequence[str]
    pictures: Mapping[int, Mapping[str, bytes]]
    """By alert and kind."""


def write_case_pdf(
    settings: RoomSettings,
    story: CaseStory,
    alerts: Sequence[AlertStory],
    beside: ReportFiles,
    *,
    signed: tuple[str, datetime],
) -> bytes:
    """The PDF; `signed` holds the exporting person and the time."""
    sheet = PdfSheet(f"Case {story.case.id}: {story.case.title}", signed[1])
    words: Mapping[str, Callable[..., Any]] = build_environment(settings).filters
    _write_head(sheet, words, settings, story, signed)
    _write_faults(sheet, beside)
    if story.notes:
        sheet.small_heading("Notes")
        sheet.rows(((words["moment"](note.at), note.who, note.text) for note in story.notes), (22, 14, 64))
    for told in alerts:
        _write_alert(sheet, words, told, beside.pictures.get(told.alert.id, {}))
    _write_files(sheet, beside.files)
    return bytes(sheet.output())


class PdfSheet(FPDF):
    """A4 pages with the case's name above and the page number below."""

    def __init__(self, title: str, at: datetime) -> None:
        super().__init__(format="A4")
        self.add_font(TEXT, "", FONTS / "DejaVuSans.ttf")
        self.add_font(TEXT, "B", FONTS / "DejaVuSans-Bold.ttf")
        self.add_font(FAR, "", FONTS / "DroidSansFallback.ttf")
        self.set_fallback_fonts([FAR], exact_match=False)
        self.set_margins(18, 18, 18)
        self.set_auto_page_break(True, margin=18)
        self.set_title(title)
        self.set_creator("Thirdcard")
        self.set_creation_date(at)
        self.set_lang("en")
        self._running_title = title
        self.add_page()

    def header(self) -> None:
        """The case's name, from the second page on."""
        if self.page_no() > 1:
            self.set_y(9)
            self.say(self._running_title, size=8, colour=SOFT)
            self.set_y(18)

    def footer(self) -> None:
        """The page number."""
        self.set_y(-13)
        self.set_font(TEXT, size=8)
        self.set_text_color(*SOFT)
        self.cell(0, 5, f"{self.page_no()} of {{nb}}", align="R")

    def say(self, text: str, *, size: float = 10, bold: bool = False, colour: tuple[int, int, int] = INK) -> None:
        """Write a paragraph."""
        self.set_font(TEXT, "B" if bold else "", size)
        self.set_text_color(*colour)
        self.multi_cell(0, size * POINT_MM * LINE, text, align="L", new_x="LMARGIN", new_y="NEXT")

    def heading(self, text: str, tone: tuple[int, int, int]) -> None:
        """Write the heading of an alert: a line in its colour, and its title."""
        if self.will_page_break(60):
            self.add_page()
        self.ln(7)
        self.set_draw_color(*tone)
        self.set_line_width(0.9)
        self.line(self.l_margin, self.get_y(), self.w - self.r_margin, self.get_y())
        self.ln(3)
        self.say(text, size=13, bold=True)

    def small_heading(self, text: str) -> None:
        """Write the heading of a section."""
        if self.will_page_break(20):
            self.add_page()
        self.ln(3.5)
        self.say(text, size=9.5, bold=True, colour=SOFT)
        self.ln(0.8)

    def rows(self, rows: Iterable[Sequence[str]], widths: tuple[int, ...], *, size: float = 8.5) -> None:
        """Write a list of rows; widths are in percent. A long text continues over pages."""
        together: list[Sequence[str]] = []
        for row in rows:
            if max(map(_lines_at_least, row)) <= TALLEST_LINES:
                together.append(row)
                continue
            self._draw_rows(together, widths, size)
            if together:
                self._rule()
            together = []
            self._flow(row, widths, size)
        self._draw_rows(together, widths, size)

    def _draw_rows(self, rows: Sequence[Sequence[str]], widths: tuple[int, ...], size: float) -> None:
        """Write rows that each fit on a page."""
        if not rows:
            return
        self.set_font(TEXT, size=size)
        self.set_text_color(*INK)
        self.set_draw_color(*RULE)
        self.set_line_width(0.15)
        with self.table(
            col_widths=widths,
            first_row_as_headings=False,
            borders_layout="HORIZONTAL_LINES",
            line_height=size * POINT_MM * LINE,
            padding=(0.5, 2, 0.5, 0),
            text_align="LEFT",
            v_align="TOP",
        ) as table:
            for row in rows:
                line = table.row()
                for n, text in enumerate(row):
                    line.cell(text, style=FontFace(color=SOFT) if n == 0 else None)

    def _flow(self, row: Sequence[str], widths: tuple[int, ...], size: float) -> None:
        """Write a row with a text that may exceed a page: short cells beside each other, then each long one."""
        if self.will_page_break(25):
            self.add_page()
        self.ln(0.5)
        top, lowest, height = self.get_y(), self.get_y(), size * POINT_MM * LINE
        edges = [sum(widths[:n]) / sum(widths) * self.epw for n in range(len(widths) + 1)]
        for n in sorted(range(len(row)), key=lambda n: _lines_at_least(row[n]) > TALLEST_LINES):
            is_long = _lines_at_least(row[n]) > TALLEST_LINES
            self.set_font(TEXT, size=size)
            self.set_text_color(*(SOFT if n == 0 else INK))
            self.set_xy(self.l_margin + edges[n], top)
            self.multi_cell(edges[n + 1] - edges[n] - 2, height, row[n], align="L", new_x="LMARGIN", new_y="NEXT")
            lowest = self.get_y() if is_long else max(lowest, self.get_y())
            top = lowest if is_long else top
        self.set_xy(self.l_margin, lowest + 0.5)
        self._rule()

    def _rule(self) -> None:
        """Draw a thin line between two rows."""
        self.set_draw_color(*RULE)
        self.set_line_width(0.15)
        self.line(self.l_margin, self.get_y(), self.w - self.r_margin, self.get_y())

    def pictures(self, shown: Sequence[bytes], captions: Sequence[str]) -> None:
        """Draw pictures side by side over the full page width, each with its caption."""
        gap = 4.0
        width = (self.epw - gap * (len(shown) - 1)) / len(shown)
        sizes = [_fitted(picture, width, TALLEST_MM if len(shown) == 1 else TALLEST_PAIR_MM) for picture in shown]
        height = max(size[1] for size in sizes)
        if self.will_page_break(height + 8):
            self.add_page()
        self.ln(2)
        top = self.get_y()
        for n, (picture, size) in enumerate(zip(shown, sizes, strict=True)):
            x = self.l_margin + n * (width + gap)
            self.image(BytesIO(picture), x=x, y=top, w=size[0], h=size[1], alt_text=captions[n])
            self.set_xy(x, top + height + 0.8)
            self.set_font(TEXT, size=8)
            self.set_text_color(*SOFT)
            self.cell(width, 4, captions[n])
        self.set_xy(self.l_margin, top + height + 6)


def _lines_at_least(text: str) -> int:
    """A lower estimate of the lines that a text takes in a narrow column."""
    return sum(1 + len(line) // LEAST_LETTERS for line in text.split("\n"))


def _is_readable(content: bytes) -> bool:
    """Whether a file is still a valid picture; changed files are listed among the files."""
    try:
        with Image.open(BytesIO(content)) as picture:
            picture.verify()
    except (OSError, SyntaxError):
        return False
    return True


def _fitted(content: bytes, width_mm: float, tallest_mm: float) -> tuple[float, float]:
    """The size in mm of a picture scaled to a width, limited by a height."""
    with Image.open(BytesIO(content)) as picture:
        wide, high = picture.size
    scale = min(width_mm / wide, tallest_mm / high)
    return wide * scale, high * scale


def _write_head(
    sheet: PdfSheet,
    words: Mapping[str, Callable[..., Any]],
    settings: RoomSettings,
    story: CaseStory,
    signed: tuple[str, datetime],
) -> None:
    case, (by, now) = story.case, signed
    sheet.say(case.title, size=19, bold=True)
    sheet.ln(1)
    sheet.say(
        f"Case {case.id}, {case.state}, opened by {case.opened_by} on {words['moment'](case.opened_at)}. Exported by"
        f" {by} on {words['moment'](now)} with Thirdcard {settings.version}. Times are {settings.time_zone}.",
        size=9,
        colour=SOFT,
    )


def _write_faults(sheet: PdfSheet, beside: ReportFiles) -> None:
    changed = [file.name for file in beside.files if file.is_as_kept is False]
    if changed:
        sheet.ln(2)
        sheet.say(f"Not as it was kept: {', '.join(changed)}; its hash is not that of the day it was kept.",
                  bold=True, colour=BAD)  # fmt: skip
    if beside.missing:
        sheet.ln(2)
        sheet.say(f"Not there: {'; '.join(beside.missing)}", bold=True, colour=BAD)


def _write_alert(
    sheet: PdfSheet, words: Mapping[str, Callable[..., Any]], told: AlertStory, pictures: Mapping[str, bytes]
) -> None:
    one, body = told.alert, told.alert.body
    sheet.heading(f"{words['title_of'](body['code'])}, table {one.table_id}", TONES.get(body["severity"], SOFT))
    sheet.say(f"{words['moment'](one.at)}, round {one.round}", size=9, colour=SOFT)
    sheet.ln(1)
    sheet.say(body["message"], size=11, bold=True)
    pictures = {kind: content for kind, content in pictures.items() if _is_readable(content)}
    if "still" in pictures:
        sheet.pictures([pictures["still"]], ["The moment of the fault"])
    if "before" in pictures and "after" in pictures:
        sheet.pictures([pictures["before"], pictures["after"]], ["Before", "After"])
    sheet.ln(1)
    sheet.rows(_facts(words, told), (20, 80), size=9)
    sheet.small_heading("History")
    sheet.rows(_history(words, told), (24, 16, 60))
    if told.log:
        sheet.small_heading("What the table did")
        lines = [(words["log_time"](line.at), words["event"](line.body)) for line in told.log[:MOST_LINES]]
        sheet.rows(lines, (16, 84), size=8)


def _facts(words: Mapping[str, Callable[..., Any]], told: AlertStory) -> list[tuple[str, str]]:
    one, body = told.alert, told.alert.body
    remedy, said = body["remedy"], words["rule_words"](body["rule"], body["rulebook"])
    by_rule = f" ({remedy['rule']})" if remedy["rule"] else ""
    ordered = f"{words['action'](remedy['action'])}{by_rule}: {remedy['text']}"
    wager = ", ".join(
        text
        for text in (
            f"seat {body['seat']}" if body["seat"] is not None else body["area"] or "",
            words["bet"](body["bet"]) if body["bet"] else "",
            words["money"](body["amount"]) if body["amount"] is not None else "",
        )
        if text
    )
    found = [
        ("Severity", body["severity"]),
        ("Rule broken", f"{body['rulebook']} {body['rule'] or '(no section on this)'}{f': {said}' if said else ''}"),
        ("Remedy", ordered),
        ("Dealer", one.dealer or ""),
        ("Wager", wager),
        ("Cards", " ".join(map(_card_text, body["cards"]))),
        ("Confidence", f"{body['confidence'] * 100:.0f} %"),
        ("State", words["state_word"](one.state) + (f", {one.owner}" if one.owner else "")),
    ]
    return [(name, text) for name, text in found if text]


def _card_text(card: str) -> str:
    """A card with its suit sign: `7♥` for `7H`."""
    return card[:-1] + {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}.get(card[-1], card[-1])


def _history(words: Mapping[str, Callable[..., Any]], told: AlertStory) -> list[tuple[str, str, str]]:
    found = [(words["moment"](told.alert.raised_at), "", "raised")]
    for change in told.changes:
        reason = f": {words['reason'](change.reason)}" if change.reason else ""
        note = f" “{change.note}”" if change.note else ""
        said = f"{words['state_word'](change.after)}{reason}{note}"
        found.append((words["moment"](change.at), change.who, said))
    return found


def _write_files(sheet: PdfSheet, files: Sequence[PackedFile]) -> None:
    if not files:
        return
    sheet.small_heading("Files, with their SHA-256")
    sheet.rows(((file.name, f"{file.size_bytes:,}".replace(",", " "), file.sha256) for file in files), (29, 10, 61),
               size=6.6)  # fmt: skip
