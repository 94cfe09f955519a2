"""The service and its signer over a socket: an absent signer, malformed requests, and how a refusal is reported."""

from __future__ import annotations

import json
import socket
import stat
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import delete

from tests.service.hand_clock import NOON, HandClock
from tests.service.mqtt_fakes import wait_until
from tests.service.sealing.sealed_house import SealedHouse, reseal, signing
from thirdcard.service.sealing.checkpoint import SealError
from thirdcard.service.sealing.keys import new_key
from thirdcard.service.sealing.sealing import Sealing
from thirdcard.service.sealing.signer import Signer, begin_state, open_state
from thirdcard.service.sealing.signer_socket import SignerAwayError, SignerLink, SignerServer
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import ChainLine


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SignerServer]:
    monkeypatch.chdir(tmp_path)  # the path of a socket holds 107 bytes
    key = new_key(Path("key"), "casino.example/a")
    begin_state(Path("key"), key, "first key", NOON)
    signer = Signer(key, open_state(Path("key")), HandClock(NOON))
    with SignerServer(Path("socket"), signer, lambda: None) as made:
        yield made
    signer.close()


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        pytest.param({"format": 2, "ask": "state"}, "format = 2; must be 1: signer and service differ", id="later"),
        pytest.param({"format": 1, "ask": "forget"}, "ask = forget; must be one of state, notes, extend", id="other"),
        pytest.param({"format": 1, "ask": "sign"}, "this is no request of this version: KeyError", id="cut"),
        pytest.param({"format": 1, "ask": "extend", "size": 0, "leaves": [1]}, "this is no request", id="leaf"),
        pytest.param(None, "this is no request of this version: TypeError", id="nothing"),
        pytest.param([], "this is no request of this version: TypeError", id="list"),
    ],
)
def test_what_is_no_request_is_refused_in_words(server: SignerServer, request_: object, told: str) -> None:
    assert str(server.answer(request_)["refused"]).startswith(told)


def test_only_owner_and_group_may_ask(server: SignerServer) -> None:
    assert stat.S_IMODE(Path("socket").stat().st_mode) == 0o660


def test_socket_that_cannot_be_made_is_named(server: SignerServer) -> None:
    Path("file").touch()
    for place in ("file", "none/socket"):
        with pytest.raises(SealError, match=f"--socket = {place}; cannot be made"):
            SignerServer(Path(place), server.signer, lambda: None)


def test_signer_that_is_away_is_named(tmp_path: Path) -> None:
    with pytest.raises(SignerAwayError, match="no signer answers there: No such file"):
        SignerLink(tmp_path / "none").state()


def test_caller_that_says_nonsense_or_goes_away_disturbs_nobody(house: SealedHouse) -> None:
    with signing(house) as link:
        for said in (b"\xff\n", b"", b"{"):
            with socket.socket(socket.AF_UNIX) as line:
                line.connect(str(link.path))
                line.sendall(said)
                line.shutdown(socket.SHUT_WR)
                if said == b"{":
                    assert "no request" in json.loads(line.makefile().readline())["refused"]
        assert link.state()[1] == 2


Told = list[tuple[str, str]]


def sealing_of(house: SealedHouse, socket_path: Path, told: Told, clock: HandClock | None = None) -> Sealing:
    return Sealing(house.database, socket_path, lambda *words: told.append(words), clock or house.clock)


def try_once(sealing: Sealing) -> None:
    sealing.start()
    wait_until(lambda: sealing.fault is not None)
    sealing.stop()


def test_service_says_once_that_its_signer_refuses(house: SealedHouse) -> None:
    told: Told = []
    with house.database.writing() as session:
        session.execute(delete(ChainLine).where(ChainLine.chain == "audit", ChainLine.seq > 1))
        reseal(session, "audit")
    with signing(house) as link:
        sealing = sealing_of(house, link.path, told)
        try_once(sealing)
        with pytest.raises(SealError):
            sealing.seal()
    assert told == [("sealing.refused", "audit: ends at line 1; line 3 was noted before, or had another seal")]


def test_service_says_that_its_signer_is_away_and_tells_nobody(house: SealedHouse, tmp_path: Path) -> None:
    told: Told = []
    sealing = sealing_of(house, tmp_path / "none", told)
    try_once(sealing)
    assert "no signer answers there" in str(sealing.fault)
    assert str(sealing.fault).endswith("nothing is signed since 2026-05-04 12:01:00 UTC")
    assert told == []


def test_signer_that_is_away_for_days_is_told_of_once_and_so_is_its_return(house: SealedHouse, tmp_path: Path) -> None:
    told: Told = []
    house.clock.move(days=3)
    sealing = sealing_of(house, tmp_path / "none", told)
    for _ in range(2):
        with pytest.raises(SignerAwayError):
            sealing.seal()
    assert sealing.age() == timedelta(days=3)
    assert told == [
        ("sealing.offline", "The signer does not answer, and nothing is signed since 2026-05-04 12:01:00 UTC.")
    ]
    with signing(house) as link:
        (tmp_path / "none").symlink_to(link.path)
        sealing.seal()
    assert [code for code, _ in told] == ["sealing.offline", "sealing.signed"]
    assert sealing.age() == timedelta(0)


def test_house_that_was_never_signed_has_no_age(database: Database, tmp_path: Path) -> None:
    sealing = Sealing(database, tmp_path / "none", lambda *_: None, HandClock(NOON))
    try_once(sealing)
    assert sealing.age() is None
    assert str(sealing.fault).endswith("nothing was ever signed")


def test_signer_says_its_key_and_its_newest_time_stamp(server: SignerServer) -> None:
    assert server.answer({"format": 1, "ask": "state"})["key"] == str(server.signer.key.verifier)
    assert server.answer({"format": 1, "ask": "stamp"}) == {"stamp": None}
