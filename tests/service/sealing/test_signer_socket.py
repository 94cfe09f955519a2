"""The service and its signer over a socket: an absent signer, malformed requests, and how a refusal is reported."""

from __future__ import annotations

import json
import socket
import stat
from collections.abc import Iterator
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


def test_service_says_once_that_its_signer_refuses(house: SealedHouse) -> None:
    told: list[str] = []
    with house.database.writing() as session:
        session.execute(delete(ChainLine).where(ChainLine.chain == "audit", ChainLine.seq > 1))
        reseal(session, "audit")
    with signing(house) as link:
        sealing = Sealing(house.database, link.path, told.append)
        for _ in range(2):
            sealing.start()
            wait_until(lambda: sealing.fault is not None)
            sealing.stop()
    assert told == ["audit: ends at line 1; line 3 was noted before, or had another seal"]


def test_service_says_that_its_signer_is_away_and_tells_nobody(house: SealedHouse, tmp_path: Path) -> None:
    told: list[str] = []
    sealing = Sealing(house.database, tmp_path / "none", told.append)
    sealing.start()
    wait_until(lambda: sealing.fault is not None)
    sealing.stop()
    assert "no signer answers there" in str(sealing.fault)
    assert told == []
