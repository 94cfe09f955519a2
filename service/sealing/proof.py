"""What signed checkpoints prove about the database: which lines are proven, since when, and what does not match."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from heapq import merge

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.sealing.anchors import Anchor
from thirdcard.service.sealing.checkpoint import NewerFormatError, SealError, SignedNote, VerifierKey, parse_note
from thirdcard.service.sealing.merkle import Frontier
from thirdcard.service.sealing.subtrees import leaves_of
from thirdcard.service.store.chain import PAGE, Vouched
from thirdcard.service.store.schema import ChainHead
from thirdcard.service.store.sealing_schema import CheckpointRow, TreeLeaf


class TamperedError(SealError):
    """Something in the database does not match what was signed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedLog:
    """The signed part of a log over all chains."""

    origin: str
    notes: Sequence[SignedNote]
    """The notes signed by a trusted key, in order."""
    ends: Mapping[str, int]
    """Each chain's last signed line."""

    @property
    def size(self) -> int:
        """The number of signed leaves."""
        return self.notes[-1].checkpoint.size if self.notes else 0

    def vouched(self, session: Session, chain: str) -> Iterator[Vouched]:
        """The lines of a chain whose seals are signed, in order."""
        sizes = [note.checkpoint.size for note in self.notes]
        wanted = select(TreeLeaf.number, TreeLeaf.seq, TreeLeaf.seal).order_by(TreeLeaf.number).limit(PAGE)
        wanted = wanted.where(TreeLeaf.origin == self.origin, TreeLeaf.chain == chain, TreeLeaf.number < self.size)
        first = -1
        while True:
            rows = session.execute(wanted.where(TreeLeaf.number > first)).all()
            for number, seq, seal in rows:
                yield Vouched(seq=seq, seal=seal, by=_name(self.notes[bisect_right(sizes, number)]))
            if len(rows) < PAGE:
                return
            first = rows[-1][0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The result of checking the checkpoints."""

    logs: Sequence[SignedLog] = ()
    fault: str | None = None
    """The first thing that does not match; None where everything matches."""
    said: Sequence[str] = field(default=())
    """What is proven up to when, and what is not proven, one sentence each."""

    def chains(self) -> set[str]:
        """Every chain that was signed, including chains that no longer exist."""
        return {chain for log in self.logs for chain in log.ends}

    def vouched(self, session: Session, chain: str) -> Iterable[Vouched]:
        """The lines of a chain whose seals are signed, in order."""
        return merge(*(log.vouched(session, chain) for log in self.logs), key=lambda line: line.seq)


def prove(session: Session, keys: Sequence[VerifierKey] = (), anchors: Sequence[Anchor] = ()) -> Proof:
    """Compare the log over all chains with its signed checkpoints.

    Args:
        session: A transaction.
        keys: The trusted keys; without any, checkpoints are compared but signatures are not checked.
        anchors: Checkpoints kept outside the database.

    Raises:
        SealError: An anchor is not of the keys' logs, or not signed by them.
    """
    origins = sorted({key.origin for key in keys})
    for anchor in anchors:
        if anchor.note.checkpoint.origin not in origins:
            found = f"is of the log {anchor.note.checkpoint.origin}"
            raise SealError(f"{anchor.path}: {found}; the key is of {', '.join(origins)}")
    try:
        logs = [
            _signed_log(session, origin, [key for key in keys if key.origin == origin], anchors)
            for origin in origins or _newest_origin(session)
        ]
    except TamperedError as error:
        return Proof(fault=str(error))
    return Proof(logs=logs, said=[*_said(session, logs, bool(keys), anchors)])


def _signed_log(session: Session, origin: str, keys: Sequence[VerifierKey], anchors: Sequence[Anchor]) -> SignedLog:
    kept = _kept_notes(session, origin)
    outside = {each.note.checkpoint.number: each for each in anchors if each.note.checkpoint.origin == origin}
    for number, anchor in outside.items():
        if number in kept and kept[number] != anchor.note:
            raise TamperedError(f"checkpoint {number}: is not the one that is anchored in {anchor.path}")
    notes = kept | {number: anchor.note for number, anchor in outside.items()}
    trusted = _trusted([notes[number] for number in sorted(notes)], keys, outside)
    if trusted and any(anchor.is_of_folder for anchor in anchors):
        _refuse_missing_anchor(origin, trusted, {number for number in outside if outside[number].is_of_folder})
    return SignedLog(origin=origin, notes=trusted, ends=_compare_leaves(session, origin, trusted))


def _refuse_missing_anchor(origin: str, notes: Sequence[SignedNote], there: Set[int]) -> None:
    """A folder may begin late: each checkpoint covers those before. From its first anchor on none may be missing."""
    witness = max(notes, key=lambda note: note.checkpoint.anchored)
    due = witness.checkpoint.anchored
    if due and not there:
        raise TamperedError(
            f"the log {origin}: no checkpoint is anchored any more; {_name(witness)} says that {due} were"
        )
    for number in range(min(there, default=1), max(due, *there, 0) + 1):
        if number not in there:
            those = "those before and after it are" if number < max(there) else f"{_name(witness)} says that it was"
            raise TamperedError(f"checkpoint {number}: is no longer anchored; {those}")


def _kept_notes(session: Session, origin: str) -> dict[int, SignedNote]:
    found: dict[int, SignedNote] = {}
    wanted = select(CheckpointRow.number, CheckpointRow.note).where(CheckpointRow.origin == origin)
    for number, text in session.execute(wanted.order_by(CheckpointRow.number)):
        note = _parse_kept(text, f"checkpoint {number}")
        if number != len(found) + 1:
            raise TamperedError(f"checkpoint {len(found) + 1}: is missing")
        if (note.checkpoint.origin, note.checkpoint.number) != (origin, number):
            other = f"{note.checkpoint.number} of the log {note.checkpoint.origin}"
            raise TamperedError(f"checkpoint {number}: is the checkpoint {other}; must be of {origin}")
        found[number] = note
    return found


def _parse_kept(text: str, where: str) -> SignedNote:
    """Parse a checkpoint of the database; raises TamperedError where it is not a valid note."""
    try:
        return parse_note(text, where)
    except NewerFormatError:
        raise
    except SealError as error:
        raise TamperedError(str(error)) from error


def _trusted(
    notes: Sequence[SignedNote], keys: Sequence[VerifierKey], outside: Mapping[int, Anchor]
) -> list[SignedNote]:
    """The notes signed by one of the keys, from the first of these; a rotated key passes trust to the next one."""
    if not keys:
        return [*notes]
    believed, found = [*keys], []
    for note in notes:
        if any(note.is_signed_by(key) for key in believed):
            found.append(note)
            following = note.checkpoint.next_key
            believed = believed if following is None else [following]
        elif found:
            what = f"is not signed by {', '.join(map(str, believed))}"
            if note.checkpoint.number in outside:
                raise SealError(f"{outside[note.checkpoint.number].path}: {what}")
            raise TamperedError(f"checkpoint {note.checkpoint.number}: {what}")
    if not found:
        raise TamperedError(f"the log {keys[0].origin}: no checkpoint is signed by {', '.join(map(str, keys))}")
    return found


def _compare_leaves(session: Session, origin: str, notes: Sequence[SignedNote]) -> dict[str, int]:
    """Each chain's last signed line, if the leaves give every signed root; else raises TamperedError."""
    ends: dict[str, int] = {}
    tree, due = Frontier(), iter(notes)
    note = next(due, None)
    leaves = leaves_of(session, origin)
    while note is not None:
        if tree.size == note.checkpoint.size:
            if tree.root() != note.checkpoint.root:
                raise TamperedError(f"the log {origin}: its first {tree.size} leaves are not those of {_name(note)}")
            note = next(due, None)
            continue
        number, leaf = next(leaves, (None, None))
        if leaf is None or number != tree.size or tree.size > note.checkpoint.size:
            raise TamperedError(f"the log {origin}: leaf {tree.size} is missing; {_name(note)} covers it")
        tree.add(leaf.data)
        ends[leaf.chain] = max(leaf.seq, ends.get(leaf.chain, 0))
    return ends


def _newest_origin(session: Session) -> list[str]:
    """The log with the latest checkpoint; empty where nothing was signed."""
    ats = {}
    for (origin,) in session.execute(select(CheckpointRow.origin).distinct()).all():
        newest = select(CheckpointRow.note).where(CheckpointRow.origin == origin).order_by(CheckpointRow.number.desc())
        ats[origin] = _parse_kept(
            session.scalars(newest.limit(1)).one(), f"the log {origin}: its newest checkpoint"
        ).checkpoint.at
    return [max(ats, key=lambda origin: ats[origin])] if ats else []


def _said(session: Session, logs: Sequence[SignedLog], has_keys: bool, anchors: Sequence[Anchor]) -> Iterator[str]:
    signed = [log for log in logs if log.size]
    if not signed:
        yield "Nothing is signed yet: who can write the database could have sealed all of it anew."
    for log in signed:
        first = next(note for note in log.notes if note.checkpoint.size)
        yield f"{log.origin}: signed until {_at(log.notes[-1])}; {_later(session, log)}."
        yield f"What was written before {_at(first)} was first signed then: nothing proves it for the time before."
    if signed and not has_keys:
        yield "The signatures were not checked: no --key was given."
    if signed and has_keys and not anchors:
        yield "Whether later checkpoints were removed cannot be seen: no --anchors were given."
    if anchors:
        newest = max(anchors, key=lambda anchor: anchor.note.checkpoint.at)
        yield f"Anchored until {_at(newest.note)} ({newest.path.name})."
        for log in logs:
            later = log.notes[-1].checkpoint.number - newest.note.checkpoint.number if log.notes else 0
            if newest.note.checkpoint.origin == log.origin and later > 0:
                yield f"The {later} newest checkpoints of {log.origin} are not anchored."
            begins = min((anchor.note.checkpoint.number for anchor in _in_folder(anchors, log)), default=1)
            if begins > 1:
                yield f"The folder of anchors begins with checkpoint {begins} of {log.origin}; it covers those before."
        stamps = [anchor for anchor in anchors if anchor.stamped_at is not None]
        stamped = max(stamps, key=lambda anchor: anchor.note.checkpoint.at, default=None)
        if stamped is None:
            yield "No time stamp of an authority was checked."
        else:
            seen = f"an authority saw it at {stamped.stamped_at:%Y-%m-%d %H:%M:%S} UTC"
            yield f"Time stamped until {_at(stamped.note)}: {seen}."
    others = set(session.scalars(select(CheckpointRow.origin).distinct())) - {log.origin for log in logs}
    for origin in sorted(others):
        yield f"The log {origin} is here too and was not compared: name its key with --key."


def _in_folder(anchors: Sequence[Anchor], log: SignedLog) -> Iterator[Anchor]:
    return (anchor for anchor in anchors if anchor.is_of_folder and anchor.note.checkpoint.origin == log.origin)


def _later(session: Session, log: SignedLog) -> str:
    heads = session.execute(select(ChainHead.chain, ChainHead.seq)).all()
    later = sum(max(0, seq - log.ends.get(chain, 0)) for chain, seq in heads)
    return f"{later} later lines are sealed and not signed" if later else "no line is later"


def _at(note: SignedNote) -> str:
    return f"{note.checkpoint.at:%Y-%m-%d %H:%M:%S} UTC"


def _name(note: SignedNote) -> str:
    return f"checkpoint {note.checkpoint.number} of {_at(note)}"
