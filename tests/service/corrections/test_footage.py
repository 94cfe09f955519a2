"""The video of a round: cut out of the recording, sent in parts, kept in bounds; words where there is none."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from tests.service.corrections.conftest import Reviewed
from tests.service.recorded_shifts import VIDEO, enter_shift
from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import NOON, keep_evidence
from thirdcard.service.media.clips import ClipError, ClipSpan
from thirdcard.service.media.cuts import Cuts
from thirdcard.service.store.shift_schema import FootageRow
from thirdcard.vision.video.video import probe


def test_a_round_is_cut_out_of_the_recording(reviewed: Reviewed) -> None:
    client, number = reviewed.room.as_role("viewer"), reviewed.shift.rounds[2]
    (clip,) = client.get(f"/api/rounds/{number}/video").json()["clips"]
    assert (clip["clip"], clip["source"], clip["alert"]) == (f"/api/rounds/{number}/clip", "video.mp4", None)
    begins = datetime.fromisoformat(clip["from"]) - NOON
    ends = datetime.fromisoformat(clip["to"]) - NOON
    assert timedelta(seconds=18) < begins <= timedelta(seconds=28.22)
    assert timedelta(seconds=48) < ends < timedelta(seconds=49)
    whole = client.get(clip["clip"])
    part = client.get(clip["clip"], headers={"Range": "bytes=4-7"})
    assert (whole.status_code, part.status_code, part.content) == (200, 206, b"ftyp")
    path = reviewed.room.folder / "seen.mp4"
    path.write_bytes(whole.content)
    assert probe(path).codec == "h264"
    acts = reviewed.room.as_role("admin").get("/api/audit").json()["items"]
    assert [(act["action"], act["target"]) for act in acts] == [("evidence.seen", f"round:{number}")]


def test_a_recording_that_was_moved_is_said(reviewed: Reviewed) -> None:
    with reviewed.room.database.writing() as session:
        session.execute(update(FootageRow).values(path="/nowhere/night.mp4"))
    address = f"/api/rounds/{reviewed.shift.rounds[0]}"
    said = reviewed.room.as_role("viewer").get(f"{address}/video").json()
    assert said["clips"] == []
    assert "night.mp4: is not where it was" in said["why_none"]
    assert_error(reviewed.room.as_role("viewer").get(f"{address}/clip"), 404, says="night.mp4: is not where it was")


def test_of_a_round_watched_live_only_its_alerts_clips_are_there(reviewed: Reviewed) -> None:
    room = reviewed.room
    live = enter_shift(room.database, NOON, table="B07", origin="live")
    client = room.as_role("viewer")
    said = client.get(f"/api/rounds/{live.rounds[0]}/video").json()
    assert said["clips"] == []
    assert said["why_none"].endswith("what the camera sent last is, and the clips of alerts, and it had none.")
    assert_error(client.get(f"/api/rounds/{live.rounds[0]}/clip"), 404, says="watched live")
    (alert,) = [item["id"] for item in client.get("/api/alerts?table=B07&code=late_bet").json()["items"]]
    keep_evidence(room, alert, "clip", VIDEO.read_bytes()[:100], from_at=NOON + timedelta(seconds=30),
                  to_at=NOON + timedelta(seconds=44))  # fmt: skip
    (clip,) = client.get(f"/api/rounds/{live.rounds[2]}/video").json()["clips"]
    assert (clip["clip"], clip["alert"]) == (f"/api/alerts/{alert}/clip", alert)


def test_nobody_sees_rounds_of_tables_that_are_not_his(reviewed: Reviewed) -> None:
    for part in ("video", "clip"):
        answer = reviewed.room.as_role("anna").get(f"/api/rounds/{reviewed.shift.rounds[0]}/{part}")
        assert_error(answer, 404, says="no such round")


def test_cuts_are_kept_and_the_oldest_go(tmp_path: Path) -> None:
    cuts = Cuts(tmp_path / "cuts", most_bytes=1)
    first = cuts.get(VIDEO, ClipSpan(from_s=1.0, to_s=3.0))
    written = first.path.stat().st_mtime_ns
    assert cuts.get(VIDEO, ClipSpan(from_s=1.0, to_s=3.0)) == first
    assert first.path.stat().st_mtime_ns >= written
    second = cuts.get(VIDEO, ClipSpan(from_s=20.0, to_s=22.0))
    assert (first.path.exists(), second.path.exists()) == (False, True)
    assert {path.suffix for path in cuts.folder.iterdir()} == {".mp4", ".json"}
    assert cuts.get(VIDEO, ClipSpan(from_s=1.0, to_s=3.0)).covers == first.covers


def test_a_broken_recording_leaves_nothing_behind(tmp_path: Path) -> None:
    cuts, broken = Cuts(tmp_path / "cuts"), tmp_path / "night.mp4"
    broken.write_bytes(b"no video")
    with pytest.raises(ClipError, match=r"night\.mp4"):
        cuts.get(broken, ClipSpan(from_s=0.0, to_s=3.0))
    assert list(cuts.folder.iterdir()) == []
