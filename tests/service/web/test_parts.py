"""The small parts: cursors, proxies, attempts, live pictures."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import HTTPConnection

from tests.service.web.rooms import HandClock, TestRoom
from thirdcard.service.alerts.cursors import LARGEST_NUMBER, CursorError, format_cursor, parse_cursor
from thirdcard.service.alerts.login_throttle import MOST_BY_ADDRESS, LoginAttempts
from thirdcard.service.alerts.reasons import CORRECTED, DISMISSAL_REASONS, FALSE_ALERT_REASONS, reason_and_note
from thirdcard.service.alerts.table_pictures import live_pictures
from thirdcard.service.config.settings import SettingsError, parse_settings
from thirdcard.service.ports.live_tables import Picture
from thirdcard.service.web.proxies import Origin, origin_of

HOUSE = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))


def test_settings_are_read(tmp_path: Path) -> None:
    settings = parse_settings(evidence=tmp_path, time_zone="Europe/Zurich", trusted_proxies=["10.0.0.0/8", "::1"])
    assert settings.trusted_proxies == (ip_network("10.0.0.0/8"), ip_network("::1"))
    assert settings.time_zone == "Europe/Zurich"


@pytest.mark.parametrize("zone", ["Nowhere/Town", "", "../../etc/passwd", "/etc/passwd"])
def test_time_zone_that_is_none_is_refused(tmp_path: Path, zone: str) -> None:
    with pytest.raises(SettingsError, match=f"--time-zone = {zone}; must be an IANA name"):
        parse_settings(evidence=tmp_path, time_zone=zone, trusted_proxies=[])


@pytest.mark.parametrize("network", ["10.0.0.1/8", "proxy", "", "10.0.0.0/99"])
def test_network_that_is_none_is_refused(tmp_path: Path, network: str) -> None:
    with pytest.raises(SettingsError, match="--trust-proxy = .*; must be an address or a network"):
        parse_settings(evidence=tmp_path, time_zone="UTC", trusted_proxies=[network])


@pytest.mark.parametrize("number", [0, 1, 17, 2**53, LARGEST_NUMBER])
def test_cursor_is_read_back_by_its_own_list(number: int) -> None:
    cursor = format_cursor("alerts", number)
    assert parse_cursor("alerts", cursor) == number
    with pytest.raises(CursorError, match="none that this list gave"):
        parse_cursor("rounds", cursor)


def test_no_cursor_is_the_beginning() -> None:
    assert parse_cursor("alerts", None) is None


@pytest.mark.parametrize(
    ("peer", "headers", "expected"),
    [
        pytest.param("203.0.113.9", {}, Origin(address="203.0.113.9", is_secure=False), id="nobody between"),
        pytest.param(
            "203.0.113.9",
            {"x-forwarded-for": "198.51.100.1", "x-forwarded-proto": "https"},
            Origin(address="203.0.113.9", is_secure=False),
            id="a stranger's word",
        ),
        pytest.param(
            "10.0.0.1",
            {"x-forwarded-for": "6.6.6.6, 198.51.100.1, 10.0.0.2", "x-forwarded-proto": "https"},
            Origin(address="198.51.100.1", is_secure=True),
            id="the nearest that is no proxy of the house",
        ),
        pytest.param("10.0.0.1", {}, Origin(address="10.0.0.1", is_secure=False), id="a silent proxy"),
        pytest.param(
            "fd00::1", {"x-forwarded-for": "nonsense"}, Origin(address="nonsense", is_secure=False), id="IPv6"
        ),
    ],
)
def test_origin(peer: str, headers: dict[str, str], expected: Origin) -> None:
    scope: dict[str, Any] = {
        "type": "http",
        "scheme": "http",
        "client": (peer, 4711),
        "path": "/",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    assert origin_of(HTTPConnection(scope), HOUSE) == expected


def test_guesser_of_many_names_has_to_wait() -> None:
    attempts = LoginAttempts(HandClock())
    assert all(attempts.begin(f"user{n}", "6.6.6.6") is None for n in range(MOST_BY_ADDRESS))
    assert attempts.begin("anna", "6.6.6.6") is not None
    assert attempts.begin("anna", "10.0.0.1") is None


def test_who_signs_in_often_never_waits() -> None:
    attempts = LoginAttempts(HandClock())
    for _ in range(200):
        assert attempts.begin("anna", "10.0.0.1") is None
        attempts.succeed("anna", "10.0.0.1")


def test_reasons_that_count_as_false_alerts_are_listed() -> None:
    assert {*DISMISSAL_REASONS, CORRECTED} > FALSE_ALERT_REASONS


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ((None, None), (None, None)),
        (("duplicate", "of 4"), ("duplicate", "of 4")),
        (("a glass", None), ("other", "a glass")),
        (("a glass", "big"), ("other", "a glass: big")),
    ],
)
def test_reason_is_one_of_the_list(given: tuple[str | None, str | None], kept: tuple[str | None, str | None]) -> None:
    assert reason_and_note(*given) == kept


def test_live_pictures_come_until_they_are_shown_and_end_with_the_right_to_see(room: TestRoom) -> None:
    async def look() -> list[bytes]:
        room.live.pictures["B07"] = Picture(jpeg=b"first", version="1")
        seen: list[bytes] = []
        asyncio.get_running_loop().call_later(
            0.05, room.live.pictures.update, {"B07": Picture(jpeg=b"2nd", version="2")}
        )
        async for part in live_pictures(room.app.state.room, "B07", lambda: len(seen) < 4):
            seen.append(part)
        return seen

    first, again, second, again_too = asyncio.run(look())[:4]
    assert (again, again_too) == (first, second)
    assert first == b"--picture\r\nContent-Type: image/jpeg\r\nContent-Length: 5\r\n\r\nfirst\r\n"
    assert second.endswith(b"\r\n\r\n2nd\r\n")


@pytest.mark.parametrize("path", ["/api/health", "/api/tables", "/alerts", "/static", "/nowhere", "/api/alerts/stream"])
def test_head_tells_what_get_would_without_its_body(room: TestRoom, path: str) -> None:
    client = room.as_role("operator")
    answer = client.head(path)
    assert answer.content == b""
    if path == "/api/alerts/stream":
        assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
        return
    told = client.get(path)
    assert (answer.status_code, answer.headers["Content-Type"]) == (told.status_code, told.headers["Content-Type"])
    assert answer.headers["Content-Length"] == told.headers["Content-Length"]


def test_head_of_what_is_only_posted_is_refused(room: TestRoom) -> None:
    assert room.as_role("operator").head("/api/tables/B07/signals").status_code == 405


@pytest.mark.parametrize(("is_open", "statuses"), [(True, [200, 200, 200]), (False, [401, 403, 200])])
def test_document_of_the_api_is_open_or_asks_who(room: TestRoom, is_open: bool, statuses: list[int]) -> None:
    running = room.app.state.room
    room.app.state.room = replace(running, settings=replace(running.settings, is_api_document_open=is_open))
    clients = [room.anybody(), room.as_role("device"), room.as_role("viewer")]
    assert [client.get("/api/openapi.json").status_code for client in clients] == statuses
