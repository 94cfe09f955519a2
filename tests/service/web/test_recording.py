"""What is kept of a table's camera: which times, a part of it to be played, and the links beside an alert."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import av
import pytest

from tests.repository import DEMO
from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import NOON, Seed, TestRoom, a_room, keep_evidence, raise_alert
from thirdcard.service.config.recorder_links import RecorderLink
from thirdcard.service.config.table_facts import facts_of
from thirdcard.service.config.table_file import load_table
from thirdcard.service.media.ring import RingWriter


def fill_ring(folder: Path) -> None:
    """The demonstration's first half minute, filmed from 12:01 on."""
    writer, began = RingWriter(folder, keep=timedelta(hours=1)), NOON + timedelta(minutes=1)
    with av.open(str(DEMO / "video.mp4")) as container:
        stream = container.streams.video[0]
        for packet in container.demux(stream):
            if packet.pts is None or packet.time_base is None or packet.pts * packet.time_base > 30:
                continue
            writer.add(packet, stream, began + timedelta(seconds=float(packet.pts * packet.time_base)))
    writer.close()
    for path in folder.iterdir():
        os.utime(path, times=((NOON + timedelta(minutes=1, seconds=30)).timestamp(),) * 2)


@pytest.fixture
def room(tmp_path: Path, seed: Seed) -> Iterator[TestRoom]:
    link = RecorderLink(name="Pit 3", url="https://recorder.example/play?from={start}&to={end}")
    facts = replace(
        facts_of(load_table(DEMO / "table.yaml")),
        table_id="B07", kept=timedelta(hours=24), other_cameras=(link,),
    )  # fmt: skip
    with a_room(tmp_path, seed, tables=(facts,)) as made:
        fill_ring(tmp_path / "ring" / "B07")
        made.clock.move(hours=2)
        yield made


def play(room: TestRoom, role: str = "viewer", *, from_s: float = 60, to_s: float = 80, **headers: str) -> Any:
    query = {"from": (NOON + timedelta(seconds=from_s)).isoformat(), "to": (NOON + timedelta(seconds=to_s)).isoformat()}
    return room.as_role(role).get("/api/tables/B07/recording/clip", params=query, headers=headers)


def test_what_is_kept_is_listed(room: TestRoom) -> None:
    (one,) = room.as_role("viewer").get("/api/tables/B07/recording").json()["items"]
    assert (one["from"][:19], one["to"][:19]) == ("2026-05-04T12:01:00", "2026-05-04T12:01:30")


def test_stretch_is_played_and_who_does_stands_in_the_audit(room: TestRoom, tmp_path: Path) -> None:
    answer = play(room)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "video/mp4")
    (tmp_path / "played.mp4").write_bytes(answer.content)
    with av.open(str(tmp_path / "played.mp4")) as container:
        assert 15 < float(container.duration or 0) / 1e6 < 25
    assert play(room, Range="bytes=0-9").status_code == 206
    acts = room.as_role("supervisor").get("/api/audit?action=recording").json()["items"]
    assert [(act["who"], act["target"]) for act in acts] == [("token:viewer", "table:B07")]


def test_stretch_that_cannot_be_played_is_refused(room: TestRoom) -> None:
    assert_error(play(room, from_s=80, to_s=60), 422, field="to")
    assert_error(play(room, from_s=0, to_s=901), 422, field="to")
    assert_error(play(room, from_s=3600, to_s=3700), 404)
    assert_error(play(room, "anna"), 404)


def test_alert_page_offers_the_recording_and_the_other_cameras(room: TestRoom) -> None:
    alert = raise_alert(room)
    keep_evidence(room, alert, "clip", b"clip")
    page = room.browser("viewer").get(f"/alerts/{alert}").text
    assert "Recording: 10 min before" in page
    assert "Recording: 3 min to either side" in page
    assert "https://recorder.example/play?from=2026-05-04T12%3A01%3A15Z&amp;to=2026-05-04T12%3A01%3A30Z" in page
