"""The picture of a card that is corrected: out of which film, of which card, for whom; and why there is none."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import av
import cv2
import numpy as np
import pytest
from sqlalchemy import delete, update

from tests.service.corrections.conftest import Reviewed
from tests.service.recorded_shifts import RECORDING, VIDEO, RecordedShift, enter_shift
from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import NOON, keep_evidence
from thirdcard.service.media.clips import ClipSpan, cut_clip
from thirdcard.service.media.ring import RingWriter
from thirdcard.service.media.stills import still_at
from thirdcard.service.store.schema import ChainLine
from thirdcard.service.store.shift_schema import FootageRow

BEGAN = NOON - timedelta(minutes=5)
"""When what was watched live began."""


def address(reviewed: Reviewed, line: int, which: int = 0) -> str:
    return f"/api/rounds/{reviewed.shift.rounds[which]}/cards/{line}"


def told(reviewed: Reviewed, line: int, which: int = 0) -> dict[str, Any]:
    """What the service says of a card."""
    body: dict[str, Any] = reviewed.room.as_role("viewer").get(address(reviewed, line, which)).json()
    return body


def nine(reviewed: Reviewed) -> int:
    return reviewed.line(0, type="card_turned", card="9H")


def as_filmed(said: dict[str, Any]) -> np.ndarray[Any, Any]:
    """The part of the recording's frame that the picture is said to be."""
    still = still_at(VIDEO, said["picture"]["second_s"])
    assert still is not None
    x0, y0, x1, y1 = said["picture"]["box"]
    return still.image_hw3[y0:y1, x0:x1]


def become_live(reviewed: Reviewed, table: str = "B07") -> RecordedShift:
    """The same rounds at a table that was watched live, whose file lies in the service's folder."""
    folder = reviewed.room.folder / "tables"
    folder.mkdir(exist_ok=True)
    text = (RECORDING / "table.yaml").read_text(encoding="utf-8").replace("id: DEMO", f"id: {table}")
    for name in ("video.mp4", "layout.yaml", "chips.yaml", "overhead.yaml"):
        text = text.replace(f": {name}", f": {RECORDING / name}")
    (folder / "table.yaml").write_text(text, encoding="utf-8")
    return enter_shift(reviewed.room.database, BEGAN, table=table, origin="live")


def film_ring(reviewed: Reviewed, table: str, length_s: float) -> None:
    """What the camera sent from then on."""
    writer = RingWriter(reviewed.room.folder / "ring" / table, keep=timedelta(days=1))
    with av.open(str(VIDEO)) as container:
        stream = container.streams.video[0]
        for packet in container.demux(stream):
            if packet.pts is not None and packet.time_base is not None:
                t = float(packet.pts * packet.time_base)
                if t > length_s:
                    break
                writer.add(packet, stream, BEGAN + timedelta(seconds=t))
    writer.close()


def test_the_picture_shows_the_card_and_where_it_was(reviewed: Reviewed) -> None:
    said = told(reviewed, nine(reviewed))
    picture = said.pop("picture")
    assert said == {
        "line": nine(reviewed), "t": 8.8, "at": "2026-05-04T12:00:08.800Z", "hand": "player", "card": "9H",
        "why_none": None,
    }  # fmt: skip
    assert (picture["shows"], picture["source"], picture["second_s"]) == ("card", "video.mp4", pytest.approx(9.8))
    assert picture["at"] == "2026-05-04T12:00:09.800Z"
    answer = reviewed.room.as_role("viewer").get(picture["url"])
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/jpeg")
    image = cv2.imdecode(np.frombuffer(answer.content, np.uint8), cv2.IMREAD_COLOR)
    assert image is not None
    filmed = as_filmed({"picture": picture})
    assert image.shape == filmed.shape == (picture["size"][1], picture["size"][0], 3)
    assert np.abs(image.astype(int) - filmed).mean() < 6
    outline = np.array(picture["outline"])
    assert outline.shape == (4, 2)
    middle = outline.mean(axis=0).round().astype(int)
    around = image[middle[1] - 20 : middle[1] + 20, middle[0] - 15 : middle[0] + 15]
    assert np.median(around) > 180  # a card's paper, on a dark cloth


CARDS = [("card_dealt", "c1", 0), ("card_dealt", "c3", 0), ("card_turned", "c3", 0), ("card_turned", "c4", 0)]


@pytest.mark.parametrize(("kind", "card_id", "which"), CARDS)
def test_each_card_of_a_hand_has_a_place_of_its_own(reviewed: Reviewed, kind: str, card_id: str, which: int) -> None:
    line = reviewed.line(which, type=kind, card_id=card_id)
    picture = told(reviewed, line, which)["picture"]
    assert picture["shows"] == "card"
    middle_px = np.mean(np.array(picture["outline"]) + picture["box"][:2], axis=0)
    place = {"c1": 856, "c2": 1022, "c3": 800, "c4": 1080}
    nearest = min(place, key=lambda name: abs(place[name] - middle_px[0]))
    assert nearest == card_id


def test_a_browser_that_has_the_picture_keeps_it_and_head_is_answered(reviewed: Reviewed) -> None:
    client, path = reviewed.room.as_role("viewer"), f"{address(reviewed, nine(reviewed))}/picture"
    answer = client.get(path)
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert client.get(path, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    head = client.head(path)
    assert (head.status_code, head.content, head.headers["ETag"]) == (200, b"", answer.headers["ETag"])
    acts = reviewed.room.as_role("admin").get("/api/audit").json()["items"]
    seen = [act for act in acts if act["action"] == "evidence.seen"]
    assert [act["target"] for act in seen] == [f"round:{reviewed.shift.rounds[0]}"]


@pytest.mark.parametrize(("kind", "card_id", "middle_px"), [("card_dealt", "c2", 1022), ("card_turned", "c4", 1080)])
def test_a_loose_card_is_found_wherever_it_lies(reviewed: Reviewed, kind: str, card_id: str, middle_px: int) -> None:
    """The hands' boxes are drawn elsewhere, so that the cards of the recording lie loose on the cloth."""
    live = Reviewed(reviewed.room, become_live(reviewed))
    film_ring(live, "B07", 14.0)
    folder = live.room.folder / "tables"
    layout = (RECORDING / "layout.yaml").read_text(encoding="utf-8")
    for x in (690, 1050, 1080, 1440):
        layout = layout.replace(f"  - [{x}, 175]", f"  - [{x}, 500]").replace(f"  - [{x}, 335]", f"  - [{x}, 520]")
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "layout.yaml").write_text(layout, encoding="utf-8")
    text = (folder / "table.yaml").read_text(encoding="utf-8")
    text = text.replace(str(RECORDING / "layout.yaml"), str(folder / "elsewhere" / "layout.yaml"))
    (folder / "table.yaml").write_text(text, encoding="utf-8")
    line = live.line(0, type=kind, card_id=card_id)
    with live.room.database.writing() as session:
        for row in session.query(ChainLine).filter(ChainLine.chain.like("log/B07%")):
            body = json.loads(row.body)
            row.body = json.dumps(body | {"hand": None} if body.get("type") == "card_dealt" else body)
    said = told(live, line)
    assert (said["hand"], said["picture"]["shows"]) == (None, "card")
    assert np.mean(np.array(said["picture"]["outline"]) + said["picture"]["box"][:2], axis=0)[0] == pytest.approx(
        middle_px, abs=15
    )


def test_of_a_card_that_lay_nowhere_the_whole_table_is_shown(reviewed: Reviewed) -> None:
    """The line says that it lies in no box; there it is not, so that the whole table is shown."""
    line = reviewed.line(0, type="card_dealt", card_id="c2")
    with reviewed.room.database.writing() as session:
        row = session.query(ChainLine).filter(ChainLine.chain.like("log/DEMO%"), ChainLine.seq == line).one()
        row.body = json.dumps(json.loads(row.body) | {"hand": None})
    said = told(reviewed, line)
    assert (said["hand"], said["picture"]["shows"]) == (None, "table")
    assert (said["picture"]["size"], said["picture"]["outline"]) == ([1920, 1080], [])


def test_where_the_card_is_not_found_its_hand_s_box_is_shown(reviewed: Reviewed) -> None:
    with reviewed.room.database.writing() as session:
        session.execute(update(FootageRow).values(begins_s=-4.0))
    line = reviewed.line(0, type="card_dealt", card_id="c1")
    picture = told(reviewed, line)["picture"]
    assert (picture["shows"], picture["outline"]) == ("hand", [])
    assert 0 < picture["size"][0] < 1920


def test_a_back_without_a_frame_before_it_is_not_told_from_print(reviewed: Reviewed) -> None:
    """The film begins after the line, so no frame shows the place before it."""
    with reviewed.room.database.writing() as session:
        session.execute(update(FootageRow).values(begins_s=-5.9))
    picture = told(reviewed, reviewed.line(0, type="card_dealt", card_id="c1"))["picture"]
    assert (picture["shows"], picture["outline"]) == ("hand", [])


def test_a_table_that_is_watched_live_shows_it_out_of_its_camera_s_recording(reviewed: Reviewed) -> None:
    live = Reviewed(reviewed.room, become_live(reviewed))
    film_ring(reviewed, "B07", 14.0)
    picture = told(live, nine(live))["picture"]
    assert (picture["shows"], picture["source"]) == ("card", "what is kept of the table's camera")
    assert picture["at"] == "2026-05-04T11:55:09.800Z"
    (clip,) = live.room.as_role("viewer").get(f"/api/rounds/{live.shift.rounds[0]}/video").json()["clips"]
    assert (clip["alert"], clip["source"]) == (None, picture["source"])
    assert clip["from"] <= "2026-05-04T11:55:04" < "2026-05-04T11:55:12" < clip["to"]
    assert live.room.as_role("viewer").get(clip["clip"], headers={"Range": "bytes=4-7"}).content == b"ftyp"


def test_the_clip_of_an_alert_shows_it_where_nothing_else_does(reviewed: Reviewed) -> None:
    live = Reviewed(reviewed.room, become_live(reviewed))
    line = live.line(2, type="card_turned", card="10C")
    (alert,) = [
        one["id"] for one in live.room.as_role("viewer").get("/api/alerts?table=B07&code=late_bet").json()["items"]
    ]
    began = BEGAN + timedelta(seconds=30)
    path = live.room.folder / "late.mp4"
    cut_clip(VIDEO, path, ClipSpan(from_s=30.0, to_s=46.0))
    keep_evidence(live.room, alert, "clip", path.read_bytes(), from_at=began, to_at=began + timedelta(seconds=16))
    said = told(live, line, 2)
    assert said["picture"] is not None, said["why_none"]
    assert said["picture"]["source"] == f"the clip of alert {alert}"


def test_a_table_whose_file_is_gone_shows_no_card(reviewed: Reviewed) -> None:
    live = Reviewed(reviewed.room, become_live(reviewed))
    film_ring(reviewed, "B07", 14.0)
    (reviewed.room.folder / "tables" / "table.yaml").unlink()
    assert "no table file tells how the camera of B07 stands" in told(live, nine(live))["why_none"]


def test_what_is_not_there_is_not_found(reviewed: Reviewed) -> None:
    client, line = reviewed.room.as_role("viewer"), nine(reviewed)
    no_card = reviewed.line(0, type="no_more_bets")
    for number in (4711, no_card, reviewed.line(1, type="card_turned")):
        for part in ("", "/picture"):
            assert_error(client.get(address(reviewed, number) + part), 404, says="no such card")
    for part in ("", "/picture"):
        assert_error(reviewed.room.as_role("anna").get(address(reviewed, line) + part), 404, says="no such card")
        assert_error(reviewed.room.anybody().get(address(reviewed, line) + part), 401)


def test_why_there_is_no_picture_is_said(reviewed: Reviewed) -> None:
    with reviewed.room.database.writing() as session:
        session.execute(update(FootageRow).values(path="/nowhere/night.mp4"))
    client, line = reviewed.room.as_role("viewer"), nine(reviewed)
    moved = told(reviewed, line)
    assert (moved["picture"], "night.mp4" in moved["why_none"]) == (None, True)
    with reviewed.room.database.writing() as session:
        session.execute(delete(FootageRow))
    assert told(reviewed, line)["why_none"].startswith("No film of this card is kept any more")
    assert_error(client.get(f"{address(reviewed, line)}/picture"), 404, says="No film of this card is kept any more")
