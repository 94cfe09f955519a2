"""The report: one page that holds everything found, needs nothing from outside, and parses."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.service.watch_fakes import cards, make_alert, make_findings, make_round, with_evidence
from thirdcard.rules.log.events import (
    Bet,
    CameraBack,
    CameraLost,
    CardDealt,
    Event,
    NoMoreBets,
    Side,
    Source,
    WagerChanged,
)
from thirdcard.service.media.alert_media import Evidence
from thirdcard.service.watch.report import write_report
from thirdcard.service.watch.report.media import embed
from thirdcard.service.watch.report.playing_cards import draw_card, draw_hand
from thirdcard.service.watch.report.report_timeline import LONGEST_ROW_S, lay_out

VOID_TAGS = {"meta", "link", "img", "input", "br", "hr"}
EVENTS: tuple[Event, ...] = (
    NoMoreBets(t=3.0, source=Source.SIGNAL),
    CardDealt(t=4.0, card_id="c1", hand=Side.PLAYER, card=cards("7H")[0], face_up=True, confidence=0.99),
    CameraLost(t=12.0, camera="overhead"),
    CameraBack(t=13.5, camera="overhead"),
)


class Page(HTMLParser):
    """Collects what a page holds, and complains of tags that do not close."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.addresses: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids += [values["id"]] if values.get("id") else []  # type: ignore[list-item]
        for name in ("src", "href", "poster"):
            address = values.get(name)
            if address:
                (self.targets if address.startswith("#") else self.addresses).append(address)
        if tag not in VOID_TAGS:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID_TAGS:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID_TAGS:
            self.handle_endtag(tag)


def report(tmp_path: Path, **changes: object) -> str:
    alerts = [make_alert(), make_alert(t=9.5, code="misdeal.order", area=None, seat=None, bet=None, cards=cards("7H"))]
    rounds = [make_round(1, "7H 2S", "KD 6C 3H", winner="tie"), make_round(2, "? 2S", "KD", at=12.0, winner=None)]
    write_report(tmp_path / "report.html", make_findings(alerts, rounds, EVENTS, **changes))
    return (tmp_path / "report.html").read_text(encoding="utf-8")


def evidence_in(folder: Path, *, clip_bytes: int = 2000) -> Evidence:
    (folder / "clips").mkdir()
    for name, content in (("a.mp4", b"v" * clip_bytes), ("a.jpg", b"j"), ("a-before.jpg", b"b"), ("a-after.jpg", b"a")):
        (folder / "clips" / name).write_bytes(content)
    return Evidence(
        from_s=2.0,
        to_s=12.0,
        clip="clips/a.mp4",
        still="clips/a.jpg",
        before="clips/a-before.jpg",
        after="clips/a-after.jpg",
    )


def test_report_is_a_page_whose_tags_close_and_whose_links_lead_somewhere(tmp_path: Path) -> None:
    page = Page(report(tmp_path))
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert {target[1:] for target in page.targets} <= {*page.ids, *(f"suit-{suit}" for suit in "CDHS")}


def test_report_holds_every_alert_with_rule_and_remedy(tmp_path: Path) -> None:
    text = report(tmp_path)
    for part in ("late_bet.placed", "misdeal.order", "Seat 3 placed 500 on Banker", "6.3", "The wager is void", "97 %"):
        assert part in text


def test_report_holds_every_round_with_its_cards(tmp_path: Path) -> None:
    text = report(tmp_path)
    for name in ("7 of hearts", "2 of spades", "king of diamonds", "a card that was not read"):
        assert f'aria-label="{name}"' in text
    assert {"round-1", "round-2"} <= set(Page(text).ids)


def test_report_asks_nothing_of_the_network(tmp_path: Path) -> None:
    text = report(tmp_path)
    assert not re.findall(r"""(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}""", text)
    assert "@import" not in text
    assert all(address.startswith(("data:", "clips/")) for address in Page(text).addresses)


def test_report_embeds_pictures_and_small_clips(tmp_path: Path) -> None:
    findings = with_evidence(make_findings([make_alert()]), evidence_in(tmp_path))
    write_report(tmp_path / "report.html", findings)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    addresses = Page(text).addresses
    assert text.count(base64.b64encode(b"v" * 2000).decode("ascii")) == 1
    assert sum(address.startswith("data:image/jpeg;base64,") for address in addresses) >= 3


def test_clips_of_the_same_content_stand_in_the_page_once(tmp_path: Path) -> None:
    findings = with_evidence(make_findings([make_alert(), make_alert(t=8.0)]), evidence_in(tmp_path))
    write_report(tmp_path / "report.html", findings)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count(base64.b64encode(b"v" * 2000).decode("ascii")) == 1
    assert text.count("data-clip=") == 2


def test_clips_that_do_not_fit_are_linked_and_pictures_come_first(tmp_path: Path) -> None:
    media = embed(tmp_path, [evidence_in(tmp_path, clip_bytes=3000)], most_bytes=1000)
    assert media["clips/a.mp4"].address == "clips/a.mp4"
    assert media["clips/a.jpg"].address.startswith("data:image/jpeg;base64,")


def test_picture_of_a_wager_that_changed_stands_in_its_round(tmp_path: Path) -> None:
    (tmp_path / "changes").mkdir()
    done, data = cv2.imencode(".jpg", np.full((60, 120, 3), 90, np.uint8))
    assert done
    (tmp_path / "changes" / "a.jpg").write_bytes(data.tobytes())
    seen, gone = (
        WagerChanged(
            t=2.0, area="s3-banker", seat=3, bet=Bet.BANKER, before=0, chips_after=2, picture=f"changes/{name}.jpg"
        )
        for name in ("a", "b")
    )
    changed = replace(seen, after_low=200, after_high=1100)
    findings = make_findings([], events=(changed, gone), rounds=(make_round(1, "7H 2S", "KD 6C 3H"),))
    write_report(tmp_path / "report.html", findings)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert text.count(base64.b64encode(data.tobytes()).decode("ascii")) == 1
    assert "changes/b.jpg" not in text
    assert "2 chips (200 to 1100)" in text


def test_evidence_that_is_gone_is_left_out(tmp_path: Path) -> None:
    evidence = evidence_in(tmp_path)
    (tmp_path / "clips" / "a.mp4").unlink()
    assert "clips/a.mp4" not in embed(tmp_path, [evidence, None])


def test_report_tells_a_break_and_what_could_not_be_seen(tmp_path: Path) -> None:
    text = report(tmp_path, broken="video.mp4: breaks after 13.50 s")
    assert "breaks after 13.50 s" in text
    assert "00:12.0 to 00:13.5" in text


def test_doubtful_findings_stand_apart_from_alerts(tmp_path: Path) -> None:
    doubtful = (make_alert(confidence=0.31, message="Seat 9 placed 5 <late>."),)
    write_report(tmp_path / "report.html", replace(make_findings(), doubtful=doubtful))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Doubtful findings" in text
    assert "Seat 9 placed 5 &lt;late&gt;." in text
    assert "31 %" in text
    assert Page(text).open == []


def test_report_without_anything_says_so(tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", make_findings(duration_s=0.0, frames=0, wall_s=0.0, stage_seconds={}))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Nothing was found against the rulebook" in text
    assert Page(text).open == []


def test_report_shows_what_others_wrote_as_text(tmp_path: Path) -> None:
    write_report(tmp_path / "report.html", make_findings([make_alert(message="<script>alert(1)</script>")]))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_timeline_places_rounds_alerts_and_gaps_by_time() -> None:
    findings = make_findings([make_alert(t=7.0)], [make_round(1, "7H 2S", "KD 6C", at=0.0)], EVENTS)
    row = lay_out(findings)[0]
    assert row.alerts[0].x == pytest.approx(500.0)
    assert (row.bars[0].x, row.bars[0].width) == pytest.approx((0.0, 1000 * 10 / 14), abs=0.1)
    assert (row.unseen[0].x, row.unseen[0].width) == pytest.approx((1000 * 12 / 14, 1000 * 1.5 / 14), abs=0.1)
    assert [phase.kind for phase in row.phases] == ["betting", "dealing", "settling"]


def test_timeline_of_a_long_shift_has_rows_and_loses_nothing() -> None:
    length_s = 3.5 * LONGEST_ROW_S
    alerts = [make_alert(t=length_s * i / 20) for i in range(21)]
    rows = lay_out(make_findings(alerts, [make_round(1, "7H", "2S", at=length_s - 20)], duration_s=length_s))
    assert len(rows) == 4
    assert [mark.label for row in rows for mark in row.alerts] == [str(n) for n in range(1, 22)]
    assert sum(len(row.bars) for row in rows) == 1


def test_alerts_at_the_same_place_stand_above_each_other() -> None:
    row = lay_out(make_findings([make_alert(t=7.0), make_alert(t=7.01), make_alert(t=12.0)]))[0]
    assert [mark.level for mark in row.alerts] == [0, 1, 0]


def test_third_card_lies_sideways_and_an_unread_one_shows_no_face() -> None:
    assert draw_hand(cards("7H 2S 10D")).count("sideways") == 1
    assert "?" in draw_card(None)
    assert 'class="card red"' in draw_card(cards("10D")[0])


def test_open_round_reaches_to_the_end() -> None:
    record = make_round(1, "7H 2S", "KD 6C", at=4.0)._replace(closed=None)
    row = lay_out(make_findings([], [record]))[0]
    assert row.bars[0].x + row.bars[0].width == pytest.approx(1000.0)
