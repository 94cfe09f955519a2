"""Signs a log over all chains, but only where it continues what was signed before.

The signer trusts nothing that the service says about the past. It keeps the log itself, as the roots of its complete
subtrees, adds each leaf and signs the root that it computed; so whatever it signs extends what it signed before. It
also knows each chain's last signed line, and refuses a chain that was set back, sealed again, or is missing.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from thirdcard.service.sealing.checkpoint import Checkpoint, SealError, SigningKey, sign
from thirdcard.service.sealing.keys import new_key, state_path
from thirdcard.service.sealing.merkle import Frontier, Leaf

STATE_FORMAT = 1
_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE chains (chain TEXT PRIMARY KEY, seq INTEGER NOT NULL, seal TEXT NOT NULL);
CREATE TABLE notes (number INTEGER PRIMARY KEY, note TEXT NOT NULL);
"""


class SigningRefusedError(SealError):
    """The data to sign does not continue what was signed before."""


class Signer:
    """A key and everything that was signed with it; for one process at a time.

    Args:
        key: The signing key.
        state: An open state, from `open_state`.
        now: The current time.
    """

    def __init__(self, key: SigningKey, state: sqlite3.Connection, now: Callable[[], datetime]) -> None:
        self.key = key
        self._state = state
        self._now = now
        facts = dict(state.execute("SELECT name, value FROM facts"))
        self._frontier = Frontier(int(facts["size"]), map(bytes.fromhex, json.loads(facts["roots"])))
        self._refuse_other_key(facts["key"])

    @property
    def size(self) -> int:
        """The number of leaves of the log."""
        return self._frontier.size

    @property
    def newest(self) -> int:
        """The number of the newest checkpoint; 0 before the first."""
        (number,) = self._state.execute("SELECT coalesce(max(number), 0) FROM notes").fetchone()
        return int(number)

    @property
    def anchored(self) -> int:
        """The number of the newest checkpoint that was written to the folder of anchors; 0 before the first."""
        (number,) = self._state.execute("SELECT value FROM facts WHERE name = 'anchored'").fetchone()
        return int(number)

    def note_anchored(self, number: int) -> None:
        """Record that all checkpoints up to this one are in the folder of anchors."""
        with self._state:
            self._state.execute("UPDATE facts SET value = ? WHERE name = 'anchored'", (str(number),))

    def notes(self, after: int, most: int = 1000) -> list[str]:
        """The checkpoints after the one with this number, the oldest first."""
        wanted = "SELECT note FROM notes WHERE number > ? ORDER BY number LIMIT ?"
        return [note for (note,) in self._state.execute(wanted, (after, most))]

    def extend(self, size: int, leaves: Sequence[Leaf]) -> None:
        """Add leaves to the log, all or none.

        Args:
            size: The number of leaves before these, as the service has it.
            leaves: The leaves to add.

        Raises:
            SigningRefusedError: They do not continue the log, or a chain was set back or sealed again.
        """
        if size != self.size:
            told = f"the service continues after {size} of them"
            raise SigningRefusedError(f"the log has {self.size} signed leaves; {told}")
        frontier = Frontier(self._frontier.size, self._frontier.roots)
        with self._state:
            for leaf in leaves:
                frontier.add(leaf.data)
                row = (leaf.chain, leaf.seq, leaf.seal)
                self._refuse_set_back(leaf)
                self._state.execute("INSERT OR REPLACE INTO chains VALUES (?, ?, ?)", row)
            self._write_frontier(frontier)
        self._frontier = frontier

    def sign(self, chains: int) -> str:
        """Sign the log in its present state.

        Args:
            chains: The number of chains of the service.

        Raises:
            SigningRefusedError: The log has another number of chains.
        """
        (known,) = self._state.execute("SELECT count(*) FROM chains").fetchone()
        if chains != known:
            told = f"the service has {chains} chains, the log {known}"
            raise SigningRefusedError(f"{told}: a chain is gone or was left out")
        with self._state:
            return self._enter(self._checkpoint(chains), [self.key])

    def rotate(self, path: Path, token: str | None = None) -> SigningKey:
        """Make the key that signs from now on; both the old and the new key sign this change.

        Args:
            path: The new key's file; the state moves beside it.
            token: The address of the new key on a token.

        Raises:
            SealError: The file already exists.
        """
        following = new_key(path, self.key.origin, token)
        (known,) = self._state.execute("SELECT count(*) FROM chains").fetchone()
        checkpoint = replace(self._checkpoint(known), next_key=following.verifier)
        with self._state:
            self._state.execute("UPDATE facts SET value = ? WHERE name = 'key'", (str(following.verifier),))
            self._enter(checkpoint, [self.key, following])
        self.key = following
        return following

    def close(self) -> None:
        """Close the state file."""
        self._state.close()

    def _checkpoint(self, chains: int) -> Checkpoint:
        return Checkpoint(
            origin=self.key.origin,
            number=self.newest + 1,
            size=self.size,
            root=self._frontier.root(),
            at=self._now(),
            chains=chains,
            anchored=self.anchored,
        )

    def _enter(self, checkpoint: Checkpoint, keys: Iterable[SigningKey]) -> str:
        note = sign(checkpoint, keys)
        self._state.execute("INSERT INTO notes VALUES (?, ?)", (checkpoint.number, note))
        return note

    def _write_frontier(self, frontier: Frontier) -> None:
        roots = json.dumps([root.hex() for root in frontier.roots])
        self._state.execute("UPDATE facts SET value = ? WHERE name = 'size'", (str(frontier.size),))
        self._state.execute("UPDATE facts SET value = ? WHERE name = 'roots'", (roots,))

    def _refuse_set_back(self, leaf: Leaf) -> None:
        known = self._state.execute("SELECT seq, seal FROM chains WHERE chain = ?", (leaf.chain,)).fetchone()
        if known is None or leaf.seq > known[0]:
            return
        if leaf.seq < known[0]:
            raise SigningRefusedError(f"{leaf.chain}: ends at line {leaf.seq}, and line {known[0]} was signed before")
        if leaf.seal != known[1]:
            raise SigningRefusedError(f"{leaf.chain}: line {leaf.seq} has another seal than the one that was signed")

    def _refuse_other_key(self, expected: str) -> None:
        if expected != str(self.key.verifier):
            raise SealError(f"the state belongs to the key {expected}; the key given is {self.key.verifier}")


def begin_state(path: Path, key: SigningKey, why: str, now: datetime) -> None:
    """Start an empty log for a new key, with a first checkpoint that gives the reason.

    Raises:
        SealError: There already is a state, or the reason has more than one line.
    """
    place = state_path(path)
    if place.exists():
        raise SealError(f"{place}: is there already; what was signed is never forgotten")
    if not why.isprintable() or not why:
        raise SealError(f"--why = {why!r}; must be one line")
    place.touch(mode=0o600)
    state = sqlite3.connect(place)
    state.executescript(_TABLES)
    facts = {"format": str(STATE_FORMAT), "size": "0", "roots": "[]", "key": str(key.verifier), "anchored": "0"}
    empty = Checkpoint(origin=key.origin, number=1, size=0, root=Frontier().root(), at=now, chains=0, begins=why)
    with state:
        state.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
        state.execute("INSERT INTO notes VALUES (1, ?)", (sign(empty, [key]),))
    state.close()


def open_state(path: Path) -> sqlite3.Connection:
    """Open the state of a key, locked for this process.

    Raises:
        SealError: It does not exist, is in use, or cannot be read.
    """
    place = state_path(path)
    if not place.is_file():
        lost = "without it nobody knows what was signed: begin a new log with a new key (`thirdcard signer new-key`)"
        raise SealError(f"{place}: is not there; {lost}")
    state = sqlite3.connect(place, timeout=1)
    try:
        _lock(state, place)
    except SealError:
        state.close()
        raise
    return state


def _lock(state: sqlite3.Connection, place: Path) -> None:
    try:
        state.execute("PRAGMA locking_mode = EXCLUSIVE")
        state.execute("PRAGMA synchronous = FULL")
        with state:
            state.execute("UPDATE facts SET value = value WHERE name = 'format'")  # takes the lock, for good
        found = state.execute("SELECT value FROM facts WHERE name = 'format'").fetchone()
    except sqlite3.DatabaseError as error:
        raise SealError(f"{place}: cannot be used: {error}") from error
    if found is None or int(found[0]) > STATE_FORMAT:
        raise SealError(f"{place}: format = {found and found[0]}; must be {STATE_FORMAT}: a later version wrote it")
