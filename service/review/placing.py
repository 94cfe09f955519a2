"""Decide which wall clock to believe for each file of a shift, and explain it where clocks contradict each other.

In this order: an earlier review's date, the file's name, its container, its date. A claim that the file's own signals
contradict is skipped. Two files cannot show different pictures of one table at one time: then one clock is wrong, and
the file goes where another of its clocks, its number or its neighbours put it. Film that continues without a gap stays
together. Nothing is opened here: `compare` compares pictures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import combinations
from statistics import median

from thirdcard.service.review import clocks
from thirdcard.service.review.clocks import order_of_name
from thirdcard.service.review.files import RecordedFile, end_of
from thirdcard.service.review.sameness import Compare, Likeness
from thirdcard.service.review.shift_notes import Note, NoteKind
from thirdcard.service.review.summer_time import decide_repeated

ORDER = "order"
"""The beginning follows from the file's place among the others."""
RANKS = {clocks.STORE: 0, clocks.NAME: 1, clocks.CONTAINER: 2, clocks.FILE: 3}
JOINED_S = 1.5
"""Seconds; a shorter gap or overlap between two files is ignored: recorders need a moment to begin the next."""
LINKED_S = 5.0
"""A file that begins within this many seconds after another ends has the same clock."""
SAME_MOMENT_S = 1.0
"""Clocks in containers and names are in whole seconds."""
HEARD_S = 2.0
"""The largest error of devices' clocks, seconds."""
SHORT_S = 60.0
"""An overlap up to this length is compared completely: where nothing moves in it, counting it once loses nothing."""
DRIFT_S = 5.0
"""The largest change of the difference between two clocks from file to file, seconds."""
NEAR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Placement:
    """Files with their accepted beginnings."""

    files: tuple[RecordedFile, ...]
    notes: tuple[Note, ...]


def place(files: Sequence[RecordedFile], compare: Compare) -> Placement:
    """Decide when each file began.

    Args:
        files: All files of one table.
        compare: Decides whether two files show the same.
    """
    notes: list[Note] = []
    pairs = _Pairs(compare)
    believed = [_by_its_own_clocks(file, notes) for file in files]
    believed = decide_repeated(believed, pairs.are_others, notes)
    believed = _copies_together(believed, pairs, notes)
    believed = _dates_in_line(believed, pairs, notes)
    blocks = _Blocks(pairs, notes)
    for file in sorted(believed, key=_by_time):
        blocks.take(file)
    return Placement(tuple(sorted(blocks.settled(), key=_by_time)), tuple(notes))


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The comparison of two files' pictures where their clocks overlap."""

    compare: Compare

    def overlap_s(self, one: RecordedFile, other: RecordedFile) -> float:
        """The overlap of two files by their clocks, in seconds."""
        return (min(end_of(one), end_of(other)) - max(one.began_at, other.began_at)).total_seconds()

    def likeness(self, one: RecordedFile, other: RecordedFile) -> Likeness:
        """Where in `one` the other begins."""
        return self.compare(one, other, (other.began_at - one.began_at).total_seconds())

    def are_others(self, one: RecordedFile, other: RecordedFile) -> bool:
        """Whether two files overlap by their clocks and their pictures are not the same."""
        return self.overlap_s(one, other) > JOINED_S and self.likeness(one, other).lag_s is None


@dataclass(slots=True)
class _Block:
    """Files of one clock that follow each other, or show the same."""

    files: list[RecordedFile]

    @property
    def begin(self) -> datetime:
        return self.files[0].began_at

    @property
    def end(self) -> datetime:
        return max(end_of(file) for file in self.files)

    @property
    def rank(self) -> int:
        """0 where its clock is trusted most."""
        return min(RANKS.get(file.told_by, len(RANKS)) for file in self.files)

    def moved(self, by: timedelta) -> _Block:
        """The same files, shifted in time."""
        return _Block([replace(file, began_at=file.began_at + by, told_by=ORDER) for file in self.files])


@dataclass(slots=True)
class _Blocks:
    """Joins files that belong together into blocks, and orders blocks that cannot be simultaneous."""

    pairs: _Pairs
    notes: list[Note]
    _blocks: list[_Block] = field(default_factory=list)

    def take(self, file: RecordedFile) -> None:
        """Add a file; files come in order of their clocks."""
        for block in self._blocks:
            for other in block.files:
                if self.pairs.overlap_s(other, file) > JOINED_S:
                    lag_s = self.pairs.likeness(other, file).lag_s
                    if lag_s is not None:
                        block.files.append(self._beside(file, other, lag_s))
                        return
        linked = [one for one in self._blocks if -JOINED_S <= (file.began_at - one.end).total_seconds() <= LINKED_S]
        if linked:
            linked[0].files.append(file)
        else:
            self._blocks.append(_Block([file]))

    def settled(self) -> list[RecordedFile]:
        """All files, no two with different pictures at one time."""
        there: list[RecordedFile] = []
        for block in sorted(self._blocks, key=lambda one: (one.rank, *_by_time(one.files[0]))):
            against = self._contradicted(block, there)
            there += block.files if against is None else self._moved(block, against, there).files
        return there

    def _beside(self, file: RecordedFile, other: RecordedFile, lag_s: float) -> RecordedFile:
        """The file with its clock corrected by one that shows the same."""
        at = other.began_at + timedelta(seconds=lag_s)
        apart_s = (file.began_at - at).total_seconds()
        if abs(apart_s) > JOINED_S:
            text = (
                f"{file.path.name} shows the same as {other.path.name}, {_so_much(apart_s)} by its clock: "
                f"the clock of {other.path.name} counts"
            )
            self.notes.append(Note(kind=NoteKind.CLOCK, from_at=at, to_at=end_of(file), text=text))
        return replace(file, began_at=at)

    def _contradicted(self, block: _Block, there: Sequence[RecordedFile]) -> RecordedFile | None:
        """A file at the block's time with different pictures; None where the block may stay."""
        silent: list[tuple[RecordedFile, RecordedFile]] = []
        against: RecordedFile | None = None
        for other in there:
            for file in block.files:
                if self.pairs.overlap_s(other, file) > JOINED_S:
                    found = self.pairs.likeness(other, file)
                    if found.lag_s is not None:
                        return None
                    if found.is_telling:
                        against = against or other
                    else:
                        silent.append((other, file))
        if against is not None:
            return against
        return next((other for other, file in silent if not self._may_be_same(other, file, block)), None)

    def _may_be_same(self, other: RecordedFile, file: RecordedFile, block: _Block) -> bool:
        """Whether clocks may be believed where nothing moves in the pictures."""
        if self.pairs.overlap_s(other, file) <= SHORT_S:
            return True
        is_one_moment = abs((other.began_at - file.began_at).total_seconds()) <= SAME_MOMENT_S
        return not is_one_moment and block.rank <= RANKS[clocks.CONTAINER]

    def _moved(self, block: _Block, against: RecordedFile, there: Sequence[RecordedFile]) -> _Block:
        """The block at the time by its other clocks, its number or the next free time."""
        first = block.files[0]
        found = _by_other_clock(block, there)
        if found is not None:
            at, how = found
        else:
            before = _predecessor(first, against, there)
            at = _first_free(end_of(before), block.end - block.begin, there)
            is_next = at == end_of(before)
            how = f"after {before.path.name}, as their names count" if is_next else "where the next time is free"
        shows, its, it_is = ("shows", "its", "it is") if len(block.files) == 1 else ("show", "their", "they are")
        text = (
            f"{_names(block.files)} {shows} other pictures than {against.path.name}, though {its} {_clock(first)} says "
            f"the same time: {it_is} put {how}, {_so_much((at - block.begin).total_seconds())}"
        )
        self.notes.append(Note(kind=NoteKind.CLOCK, from_at=at, to_at=at + (block.end - block.begin), text=text))
        return block.moved(at - block.begin)


def _by_time(file: RecordedFile) -> tuple[object, ...]:
    return (file.began_at, order_of_name(file.path), -file.lasts_s, file.fingerprint)


def _by_its_own_clocks(file: RecordedFile, notes: list[Note]) -> RecordedFile:
    """The file with the first claim that its own signals do not contradict."""
    fits = [claim for claim in file.claims if _is_heard_within(file, claim.at)]
    claim = next(iter(fits or file.claims), None)
    if claim is None:
        return file
    if claim.note is not None:
        text = f"{file.path.name}: {claim.note}"
        notes.append(Note(kind=NoteKind.CLOCK, from_at=claim.at, to_at=claim.at, text=text))
    if claim.told_by != file.claims[0].told_by:
        text = (
            f"{file.path.name}: its signals were not heard at the time that its {file.claims[0].told_by} says; "
            f"its {_clock(replace(file, told_by=claim.told_by))} is believed"
        )
        notes.append(Note(kind=NoteKind.CLOCK, from_at=claim.at, to_at=claim.at, text=text))
    return replace(file, began_at=claim.at, told_by=claim.told_by)


def _is_heard_within(file: RecordedFile, began_at: datetime) -> bool:
    if file.heard is None:
        return True
    slack = timedelta(seconds=HEARD_S)
    return began_at - slack <= file.heard[0] and file.heard[1] <= began_at + timedelta(seconds=file.lasts_s) + slack


def _copies_together(files: Sequence[RecordedFile], pairs: _Pairs, notes: list[Note]) -> list[RecordedFile]:
    """Give files that begin with the same pictures one clock, the most trusted of theirs."""
    placed: list[RecordedFile] = []
    for file in sorted(files, key=lambda one: (RANKS[one.told_by], *_by_time(one))):
        for other in placed:
            is_alike = file.opening and file.opening == other.opening
            if is_alike and pairs.overlap_s(other, file) <= JOINED_S and pairs.compare(other, file, 0.0).lag_s == 0.0:
                text = f"{file.path.name} shows the same as {other.path.name} under another time: it counts once"
                notes.append(Note(kind=NoteKind.CLOCK, from_at=other.began_at, to_at=end_of(other), text=text))
                file = replace(file, began_at=other.began_at)
                break
        placed.append(file)
    return placed


def _dates_in_line(files: Sequence[RecordedFile], pairs: _Pairs, notes: list[Note]) -> list[RecordedFile]:
    """Put files that only have dates one after the other if the dates contradict each other: they were copied."""
    dated = sorted((file for file in files if file.told_by == clocks.FILE), key=lambda one: order_of_name(one.path))
    if not any(pairs.are_others(*pair) for pair in combinations(dated, 2)):
        return list(files)
    at = first_at = min(file.began_at for file in dated)
    lined: list[RecordedFile] = []
    for file in dated:
        shown = next((one for one in lined if file.opening and file.opening == one.opening), None)
        if shown is not None and pairs.compare(shown, file, 0.0).lag_s == 0.0:
            lined.append(replace(file, began_at=shown.began_at))
            continue
        lined.append(replace(file, began_at=at, told_by=ORDER))
        at = end_of(lined[-1])
    text = f"the dates of {_names(dated)} contradict each other: they are put one after the other as their names count"
    notes.append(Note(kind=NoteKind.CLOCK, from_at=first_at, to_at=at, text=text))
    return [*(file for file in files if file.told_by != clocks.FILE), *lined]


def _by_other_clock(block: _Block, there: Sequence[RecordedFile]) -> tuple[datetime, str] | None:
    """When a block began by one of its less trusted clocks, relative to its neighbours' same clock."""
    first = block.files[0]
    for claim in first.claims:
        apart = [
            (file.began_at - other.at).total_seconds()
            for file in there
            for other in file.claims
            if other.told_by == claim.told_by != file.told_by and abs(file.began_at - block.begin) <= NEAR
        ]
        if len(apart) < 2 or max(apart) - min(apart) > DRIFT_S or claim.told_by == first.told_by:
            continue
        at = claim.at + timedelta(seconds=median(apart))
        if abs(at - block.begin) <= NEAR and _first_free(at, block.end - block.begin, there) == at:
            return at, f"where its {_clock(replace(first, told_by=claim.told_by))} puts it among its neighbours"
    return None


def _predecessor(file: RecordedFile, against: RecordedFile, there: Sequence[RecordedFile]) -> RecordedFile:
    """The file after which one comes that claims the same time: the one numbered just before it."""
    moment = timedelta(seconds=SAME_MOMENT_S)

    def claims(one: RecordedFile) -> datetime:
        return next((claim.at for claim in one.claims if claim.told_by == file.told_by), one.began_at)

    rivals = [one for one in there if abs(claims(one) - file.began_at) <= moment]
    earlier = [one for one in rivals if order_of_name(one.path) < order_of_name(file.path)]
    return max(earlier, key=lambda one: order_of_name(one.path)) if earlier else against


def _first_free(at: datetime, lasts: timedelta, there: Iterable[RecordedFile]) -> datetime:
    """The first time from `at` on that is followed by enough free time."""
    slack = timedelta(seconds=JOINED_S)
    for file in sorted(there, key=lambda one: one.began_at):
        if file.began_at < at + lasts - slack and end_of(file) > at + slack:
            at = end_of(file)
    return at


def _clock(file: RecordedFile) -> str:
    return {clocks.FILE: "date", clocks.CONTAINER: "container"}.get(file.told_by, file.told_by)


def _names(files: Sequence[RecordedFile]) -> str:
    names = [file.path.name for file in files]
    return " and ".join(names) if len(names) <= 2 else f"{names[0]} to {names[-1]} ({len(names)} files)"


def _so_much(seconds: float) -> str:
    return f"{abs(seconds):.1f} s {'later' if seconds >= 0 else 'earlier'}"
