"""A database with chains, a signer with its key behind a socket, and an attacker who seals changed lines again."""

from __future__ import annotations

import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.service.hand_clock import HandClock
from thirdcard.service.sealing.anchors import Anchoring, load_anchors
from thirdcard.service.sealing.keys import load_key, load_verifier, new_key, public_path
from thirdcard.service.sealing.proof import Proof, prove
from thirdcard.service.sealing.signer import Signer, begin_state, open_state
from thirdcard.service.sealing.signer_socket import SignerLink, SignerServer
from thirdcard.service.sealing.tree import seal_heads
from thirdcard.service.store import chain
from thirdcard.service.store.database import Database
from thirdcard.service.store.schema import ChainHead, ChainLine
from thirdcard.service.store.verification import verify_chains

ORIGIN = "casino.example/thirdcard"


@dataclass(slots=True)
class SealedHouse:
    """A database with its signer, and the acts on them."""

    database: Database
    folder: Path
    clock: HandClock
    key: Path
    tampered: list[str] = field(default_factory=list)

    @property
    def anchors(self) -> Path:
        """The folder of anchors."""
        return self.folder / "anchors"

    def write(self, name: str, count: int = 3) -> None:
        """Add lines to a chain."""
        with self.database.writing() as session:
            chain.append(session, name, [{"n": n} for n in range(count)], at=self.clock())

    def seal(self) -> int:
        """Have everything signed and anchored."""
        self.clock.move(seconds=60)
        with signing(self) as link:
            return seal_heads(self.database, link)

    def prove(self, *, anchored: bool = True, keys: tuple[Path, ...] = ()) -> Proof:
        """The result of checking the checkpoints."""
        known = [load_verifier(path) for path in keys or (public_path(self.key),)]
        anchors = load_anchors(self.anchors) if anchored else []
        with self.database.reading() as session:
            return prove(session, known, anchors)

    def fault(self, *, anchored: bool = True) -> str | None:
        """The first mismatch; None without one."""
        proof = self.prove(anchored=anchored)
        with self.database.reading() as session:
            return proof.fault or verify_chains(session, proof.chains(), proof.vouched)


def make_house(database: Database, folder: Path, clock: HandClock, origin: str = ORIGIN) -> SealedHouse:
    """A house with a new key and two signed chains."""
    house = SealedHouse(database, folder, clock, folder / "signer.key")
    house.anchors.mkdir()
    begin_state(house.key, new_key(house.key, origin), "first key", clock())
    house.write("log/B07")
    house.write("audit")
    house.seal()
    return house


@contextmanager
def signing(house: SealedHouse) -> Iterator[SignerLink]:
    """A signer that listens while the block runs, and anchors what it signed before the end."""
    place = Path(tempfile.mkdtemp(prefix="signer"))
    ready, over = threading.Event(), threading.Event()
    servers: list[SignerServer] = []

    def serve() -> None:
        signer = Signer(load_key(house.key), open_state(house.key), house.clock)
        anchoring = Anchoring(signer, house.anchors, None, clock=lambda: 0.0)
        with SignerServer(place / "socket", signer, anchoring) as server:
            servers.append(server)
            ready.set()
            server.serve_forever(poll_interval=0.01)
            anchoring()
        signer.close()
        over.set()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    assert ready.wait(20)
    try:
        yield SignerLink(place / "socket")
    finally:
        servers[0].shutdown()
        thread.join(20)
        shutil.rmtree(place)
        assert over.is_set()


def reseal(session: Session, name: str) -> None:
    """Seal a chain again from its first line to its head, as anybody with access to the database can."""
    seal = chain.FIRST_SEAL
    lines = session.scalars(select(ChainLine).where(ChainLine.chain == name).order_by(ChainLine.seq)).all()
    for line in lines:
        seal = line.seal = chain.seal_of(seal, name, line.seq, line.at, line.body)
    head = session.get_one(ChainHead, name)
    head.seq, head.seal = lines[-1].seq, seal
