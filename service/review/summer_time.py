"""Distinguish the two hours of the same name at the end of summer time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from thirdcard.service.review import clocks
from thirdcard.service.review.clocks import Claim, order_of_name
from thirdcard.service.review.files import RecordedFile, end_of
from thirdcard.service.review.shift_notes import Note, NoteKind

AGREE_S = 120.0
"""A clock in UTC that agrees with one of the two times within this many seconds decides it: they are an hour apart."""
SEAM_S = 5.0
"""A file that begins within this many seconds after another ended continues it."""
HEARD_S = 2.0

AreOthers = Callable[[RecordedFile, RecordedFile], bool]
"""Whether two files overlap by their clocks and their pictures are not the same."""


def decide_repeated(files: Sequence[RecordedFile], are_others: AreOthers, notes: list[Note]) -> list[RecordedFile]:
    """The files with decided times, for those whose names fall into an hour that came twice."""
    doubtful = [file for file in files if file.told_by == clocks.NAME and len(_moments(file)) == 2]
    if not doubtful:
        return list(files)
    decided = [file for file in files if all(file is not one for one in doubtful)]
    reasons: dict[str, str] = {}
    is_utc = _is_container_in_utc(decided)
    for file in doubtful:
        found = _by_own_clocks(file, is_utc=is_utc)
        if found is not None:
            at, reasons[file.fingerprint] = found
            decided.append(replace(file, began_at=at))
    doubtful = [file for file in doubtful if file.fingerprint not in reasons]
    in_turn = _in_turn(doubtful, decided, are_others, reasons)
    in_turn = _joined_to_next(in_turn, decided, are_others, reasons)
    all_decided = [*decided, *in_turn]
    notes += _notes([file for file in all_decided if file.fingerprint in reasons], reasons)
    return all_decided


def _moments(file: RecordedFile) -> list[datetime]:
    return [claim.at for claim in file.claims if claim.told_by == clocks.NAME]


def _is_container_in_utc(decided: Sequence[RecordedFile]) -> bool:
    """Whether the containers' clock is in UTC, judged by files with unambiguous names."""
    apart = [abs((file.began_at - file.other_clock).total_seconds()) for file in decided if file.other_clock]
    return all(one <= AGREE_S for one in apart)


def _by_own_clocks(file: RecordedFile, *, is_utc: bool) -> tuple[datetime, str] | None:
    """The time and reason by another of the file's clocks; None where none decides."""
    first, second = _moments(file)
    if file.heard is not None:
        slack = timedelta(seconds=HEARD_S)
        fits = [
            at for at in (first, second)
            if at - slack <= file.heard[0] and file.heard[1] <= at + timedelta(seconds=file.lasts_s) + slack
        ]  # fmt: skip
        if len(fits) == 1:
            return fits[0], "as its signals say"
    others: list[tuple[Claim, str]] = [
        (claim, "container" if claim.told_by == clocks.CONTAINER else "date")
        for claim in file.claims
        if claim.told_by == clocks.FILE or (claim.told_by == clocks.CONTAINER and is_utc)
    ]
    for claim, name in others:
        near = [at for at in (first, second) if abs((claim.at - at).total_seconds()) <= AGREE_S]
        if len(near) == 1:
            return near[0], f"as its {name} says"
    return None


def _in_turn(
    doubtful: Sequence[RecordedFile], decided: Sequence[RecordedFile], are_others: AreOthers, reasons: dict[str, str]
) -> list[RecordedFile]:
    """Files one after the other, each at the first of its times that is free, the earliest first."""
    left, placed = sorted(doubtful, key=lambda file: order_of_name(file.path)), list[RecordedFile]()

    def at_first(file: RecordedFile) -> RecordedFile:
        first, second = _moments(file)
        early, late = replace(file, began_at=first), replace(file, began_at=second)
        is_taken = any(are_others(early, one) for one in (*decided, *placed))
        return late if is_taken and not any(are_others(late, one) for one in (*decided, *placed)) else early

    while left:
        chosen = min((at_first(file) for file in left), key=lambda file: file.began_at)
        left = [file for file in left if file.fingerprint != chosen.fingerprint]
        is_first = chosen.began_at == _moments(chosen)[0]
        goes_on = any(_is_seam(one, chosen) for one in (*decided, *placed))
        reasons[chosen.fingerprint] = (
            "as it goes on with the file before"
            if goes_on
            else "as nothing says otherwise"
            if is_first
            else "as other pictures have the earlier time"
        )
        placed.append(chosen)
    return placed


def _joined_to_next(
    placed: Sequence[RecordedFile], decided: Sequence[RecordedFile], are_others: AreOthers, reasons: dict[str, str]
) -> list[RecordedFile]:
    """Move files an hour later that would then continue in the next file, and that continue no earlier one."""
    result = list(placed)
    for n in sorted(range(len(result)), key=lambda n: result[n].began_at, reverse=True):
        file = result[n]
        rest = [*decided, *(one for place, one in enumerate(result) if place != n)]
        late = replace(file, began_at=_moments(file)[1])
        if file.began_at == late.began_at or _begins_joined(file, rest):
            continue
        if any(_is_seam(late, one) for one in rest) and not any(are_others(late, one) for one in rest):
            result[n] = late
            reasons[file.fingerprint] = "as the file after goes on with it"
    return result


def _begins_joined(file: RecordedFile, rest: Sequence[RecordedFile]) -> bool:
    """Whether the unbroken film before it goes back to a file with an unambiguous time."""
    before = next((one for one in rest if _is_seam(one, file)), None)
    if before is None:
        return False
    return len(_moments(before)) != 2 or _begins_joined(before, [one for one in rest if one is not before])


def _is_seam(before: RecordedFile, after: RecordedFile) -> bool:
    return abs((after.began_at - end_of(before)).total_seconds()) <= SEAM_S


def _notes(files: Sequence[RecordedFile], reasons: dict[str, str]) -> list[Note]:
    """One note for all files with the same reason."""
    groups: dict[tuple[bool, str, object], list[RecordedFile]] = {}
    for file in sorted(files, key=lambda one: one.began_at):
        is_first = file.began_at == _moments(file)[0]
        groups.setdefault((is_first, reasons[file.fingerprint], file.began_at.date()), []).append(file)
    notes = []
    for (is_first, reason, _), of_group in groups.items():
        names = of_group[0].path.name + (f" and {len(of_group) - 1} more" if len(of_group) > 1 else "")
        text = f"the hour of {names} came twice: taken for the {'first' if is_first else 'second'}, {reason}"
        at = of_group[0].began_at
        notes.append(Note(kind=NoteKind.CLOCK, from_at=at, to_at=end_of(of_group[-1]), text=text))
    return notes
