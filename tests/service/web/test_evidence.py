"""Clips and stills: whole, in parts, and who saw them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom, keep_evidence, raise_alert
from thirdcard.service.store.schema import ChainLine

FILM = bytes(range(100))


@pytest.fixture
def clip(room: TestRoom) -> str:
    """The address of an alert's clip of a hundred bytes."""
    alert = raise_alert(room)
    keep_evidence(room, alert, "clip", FILM)
    return f"/api/alerts/{alert}/clip"


def test_whole_clip(room: TestRoom, clip: str) -> None:
    answer = room.as_role("viewer").get(clip)
    assert (answer.status_code, answer.content) == (200, FILM)
    assert answer.headers["Content-Type"] == "video/mp4"
    assert answer.headers["Accept-Ranges"] == "bytes"
    assert answer.headers["Content-Length"] == "100"


@pytest.mark.parametrize(
    ("header", "first", "last"),
    [("bytes=0-9", 0, 9), ("bytes=90-", 90, 99), ("bytes=-5", 95, 99), ("bytes=98-5000", 98, 99), ("Bytes=0-0", 0, 0),
     ("bytes=-5000", 0, 99)],
)  # fmt: skip
def test_part_of_a_clip(room: TestRoom, clip: str, header: str, first: int, last: int) -> None:
    answer = room.as_role("viewer").get(clip, headers={"Range": header})
    assert (answer.status_code, answer.content) == (206, FILM[first : last + 1])
    assert answer.headers["Content-Range"] == f"bytes {first}-{last}/100"
    assert answer.headers["Content-Length"] == str(last - first + 1)


@pytest.mark.parametrize(
    "header",
    ["bytes=100-", "bytes=9-3", "bytes=-", "bytes=", "bytes=a-b", "bytes=-0", "rows=0-1", "nonsense", "bytes=1-2,x-y",
     "bytes=" + "9" * 40 + "-", "bytes=٣-٤"],
)  # fmt: skip
def test_broken_range_is_refused(room: TestRoom, clip: str, header: str) -> None:
    answer = room.as_role("viewer").get(clip, headers={b"Range": header.encode("utf-8")})
    assert_error(answer, 416, field="Range")
    assert answer.headers["Content-Range"] == "bytes */100"


def test_several_parts_at_once_are_the_whole(room: TestRoom, clip: str) -> None:
    answer = room.as_role("viewer").get(clip, headers={"Range": "bytes=0-1,5-9"})
    assert (answer.status_code, answer.content) == (200, FILM)


def test_part_of_another_version_is_the_whole(room: TestRoom, clip: str) -> None:
    client = room.as_role("viewer")
    tag = client.get(clip).headers["ETag"]
    part = {"Range": "bytes=0-1"}
    assert client.get(clip, headers=part | {"If-Range": tag}).status_code == 206
    assert client.get(clip, headers=part | {"If-Range": '"another"'}).status_code == 200
    assert client.get(clip, headers={"If-None-Match": tag}).status_code == 304


def test_sight_is_noted_once_in_a_while(room: TestRoom, clip: str) -> None:
    def sights() -> list[dict[str, object]]:
        with room.database.reading() as session:
            lines = session.scalars(select(ChainLine).where(ChainLine.chain == "audit"))
            return [json.loads(line.body) for line in lines]

    client = room.as_role("viewer")
    for header in ("bytes=0-1", "bytes=50-", "bytes=2-3"):
        client.get(clip, headers={"Range": header})
    assert sights() == [
        {"who": "token:viewer", "action": "evidence.seen", "target": "alert:1", "details": {"kind": "clip"}}
    ]
    room.as_role("operator").get(clip)
    room.clock.move(minutes=11)
    client.get(clip)
    assert [sight["who"] for sight in sights()] == ["token:viewer", "token:operator", "token:viewer"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"state": "failed", "fault": "the ring holds nothing"}, "the ring holds nothing"),
        ({"state": "deleted"}, "deleted"),
        ({"path": "../room.db"}, "not where it was kept"),
        ({"path": "/etc/passwd"}, "not where it was kept"),
        ({"path": "lost.jpg"}, "not where it was kept"),
    ],
)
def test_file_that_is_not_there_is_not_found(room: TestRoom, changes: dict[str, str], says: str) -> None:
    alert = raise_alert(room)
    keep_evidence(room, alert, "still", b"picture", **changes)
    assert_error(room.as_role("viewer").get(f"/api/alerts/{alert}/still"), 404, says=says)


def test_file_that_is_being_made_says_when_to_ask_again(room: TestRoom) -> None:
    alert = raise_alert(room)
    keep_evidence(room, alert, "clip", None)
    answer = room.as_role("viewer").get(f"/api/alerts/{alert}/clip")
    assert (answer.status_code, answer.headers["Retry-After"]) == (202, "2")
    assert answer.json() == {"state": "promised", "message": "The clip is being made; ask again in a moment."}


def test_link_out_of_the_folder_is_not_followed(room: TestRoom, tmp_path: Path) -> None:
    alert = raise_alert(room)
    keep_evidence(room, alert, "still", b"picture", path="link.jpg")
    (room.folder / "evidence" / "link.jpg").symlink_to(tmp_path / "room.db")
    assert_error(room.as_role("viewer").get(f"/api/alerts/{alert}/still"), 404)


def test_kind_that_is_none_is_not_found(room: TestRoom) -> None:
    assert_error(room.as_role("viewer").get(f"/api/alerts/{raise_alert(room)}/sound"), 404)


def test_kind_that_was_never_promised_is_not_found(room: TestRoom, clip: str) -> None:
    assert_error(room.as_role("viewer").get(clip.replace("clip", "before")), 404, says="no before")
