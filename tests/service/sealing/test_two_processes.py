"""Two processes that write and seal in one database at the same time: no fork, nothing twice, no fault, no crash."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import func, select

from tests.service.sealing.sealed_house import ORIGIN, SealedHouse, signing
from tests.service.sealing.sealing_process import SHARED
from thirdcard.service.sealing.signer_socket import SignerAwayError, SignerLink
from thirdcard.service.sealing.tree import seal_heads
from thirdcard.service.store.schema import ChainLine
from thirdcard.service.store.sealing_schema import CheckpointRow, TreeLeaf
from thirdcard.service.store.turn import turn

ROUNDS = 15
NAMES = ("one", "two", "three")


def start(house: SealedHouse, socket: Path, name: str) -> subprocess.Popen[str]:
    url = house.database.engine.url.render_as_string(hide_password=False)
    command = [sys.executable, "-m", "tests.service.sealing.sealing_process", url, str(socket), name, str(ROUNDS)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, text=True, **pipes)  # type: ignore[call-overload, no-any-return]


def test_processes_that_seal_at_once_make_one_history(house: SealedHouse) -> None:
    with signing(house) as link:
        processes = [start(house, link.path, name) for name in NAMES]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", process.communicate()
        told = []
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        while any(process.poll() is None for process in processes):
            told.append(house.fault(anchored=False))
        assert [process.communicate()[1] for process in processes] == ["", "", ""]
    assert set(told) == {None}, "verify beside them"
    assert house.fault() is None
    with house.database.reading() as session:
        leaves = session.scalar(select(func.count()).select_from(TreeLeaf)) or 0
        assert session.scalar(select(func.max(TreeLeaf.number)).where(TreeLeaf.origin == ORIGIN)) == leaves - 1
        assert session.scalar(select(func.count()).where(ChainLine.chain == SHARED)) == ROUNDS * len(NAMES)
        assert session.scalar(select(func.count()).select_from(CheckpointRow)) == 2 + ROUNDS * len(NAMES)


def test_turn_of_a_process_that_hangs_is_not_waited_for_without_end(house: SealedHouse) -> None:
    told = pytest.raises(SignerAwayError, match=r"another process has had its turn for 0\.1 s")
    with turn(house.database.engine, 1), signing(house) as link, told:
        seal_heads(house.database, SignerLink(link.path, 0.1))
    assert house.seal() == 2
