"""The link of `thirdcard setup`: signs in once, and the admin that it lets in is gone afterwards."""

from __future__ import annotations

from tests.service.web.errors_of import assert_error
from tests.service.web.rooms import TestRoom
from thirdcard.service.store.people import list_users
from thirdcard.service.web.one_time_link import WHO, OneTimeLink


def users_of(room: TestRoom) -> set[str]:
    with room.database.reading() as session:
        return {one.name for one in list_users(session)}


def test_link_signs_in_once_and_leads_to_the_tables(room: TestRoom) -> None:
    link = OneTimeLink(room.database, room.clock)
    path = link.install(room.app, "/settings/tables")
    browser = room.anybody()
    answer = browser.get(path)
    assert (answer.status_code, answer.headers["location"]) == (303, "/settings/tables")
    assert "httponly" in answer.headers["set-cookie"].lower()
    assert browser.get("/settings/tables", headers={"Accept": "text/html"}).status_code == 200
    assert_error(room.anybody().get(path), 403, says="This link has been used")
    link.close()
    assert browser.get("/api/new-tables").status_code == 401
    assert WHO not in users_of(room)


def test_strange_link_does_not_use_up_the_true_one(room: TestRoom) -> None:
    link = OneTimeLink(room.database, room.clock)
    path = link.install(room.app, "/settings/tables")
    assert_error(room.anybody().get("/begin?once=guessed"), 403, says="or is none")
    assert_error(room.anybody().get("/begin"), 403, says="or is none")
    assert room.anybody().get(path).status_code == 303


def test_user_that_a_killed_process_left_comes_in_no_more(room: TestRoom) -> None:
    killed = OneTimeLink(room.database, room.clock)
    browser = room.anybody()
    browser.get(killed.install(room.app, "/settings/tables"))
    OneTimeLink(room.database, room.clock).install(room.app, "/settings/tables")
    room.clock.move(minutes=5)
    assert browser.get("/api/new-tables").status_code == 401
