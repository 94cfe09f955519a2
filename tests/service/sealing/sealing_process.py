"""A process that adds lines to chains and has them signed, again and again, as a service beside others does.

`python -m tests.service.sealing.sealing_process URL SOCKET NAME ROUNDS` prints `ready`, and begins when a
line comes in.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.service.hand_clock import NOON
from thirdcard.service.sealing.signer_socket import SignerLink
from thirdcard.service.sealing.tree import seal_heads
from thirdcard.service.store import chain
from thirdcard.service.store.database import open_database

SHARED = "log/both"


def main(url: str, socket: str, name: str, rounds: str) -> None:
    """Add a line to an own, a new and the shared chain, and have them signed; `rounds` times."""
    database = open_database(url)
    link = SignerLink(Path(socket))
    print("ready", flush=True)
    sys.stdin.readline()
    for n in range(int(rounds)):
        for one in (f"log/{name}", f"log/{name}/{n}", SHARED):
            with database.writing() as session:
                chain.append(session, one, [{"who": name, "n": n}], at=NOON)
        seal_heads(database, link)
    database.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
