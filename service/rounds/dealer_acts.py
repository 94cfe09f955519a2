"""Changes of dealers and the roster by people: each is recorded, and rounds, alerts and figures are updated."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from thirdcard.service.dealers.register import (
    DealerFields,
    add_dealer,
    change_dealer,
    find_dealer,
    join_dealers,
    join_reported,
)
from thirdcard.service.dealers.roster import StintFields, add_stint, remove_stint
from thirdcard.service.rounds.who_dealt import follow_roster, rename
from thirdcard.service.store import audit
from thirdcard.service.store.dealer_schema import DealerRow, StintRow
from thirdcard.service.store.people import Person


def enter_dealer(session: Session, who: str, fields: DealerFields, *, now: datetime) -> int:
    """Add a dealer; returns the number in the register.

    Raises:
        DealerError: A field is not allowed, or another dealer has it.
    """
    written = find_dealer(session, fields.name)
    reported, was = (0, fields.name) if written is None else (written.id, written.name)
    number = add_dealer(session, fields, now=now)
    follow_names(session, number, was if reported == number else fields.name)
    audit.note(session, who, "dealer.added", f"dealer:{number}", at=now, name=fields.name)
    return number


def edit_dealer(session: Session, who: str, dealer_id: int, fields: DealerFields, *, now: datetime) -> bool:
    """Change a dealer's data, and the name in rounds, alerts and figures; returns False where there is no such dealer.

    Raises:
        DealerError: A field is not allowed, or another dealer has it.
    """
    before = change_dealer(session, dealer_id, fields)
    if before is None:
        return False
    rounds, name = follow_names(session, dealer_id, before), session.get_one(DealerRow, dealer_id).name
    audit.note(session, who, "dealer.changed", f"dealer:{dealer_id}", at=now, name=name, was=before, rounds=rounds)
    return True


def join(session: Session, who: str, kept_id: int, gone_id: int, *, now: datetime) -> bool:
    """Merge two entries of the same person; returns False where there are no such two."""
    names = join_dealers(session, kept_id, gone_id)
    if names is None:
        return False
    rounds = rename(session, names[1], names[0])
    audit.note(
        session, who, "dealer.joined", f"dealer:{kept_id}", at=now, name=names[0], joined=names[1], rounds=rounds
    )
    return True


def enter_stint(session: Session, who: str, fields: StintFields, *, now: datetime) -> int:
    """Add a line of the roster; returns its number.

    Raises:
        DealerError: The dealer is unknown, the times are wrong, or it overlaps another of its kind.
    """
    number = add_stint(session, who, fields, now=now)
    rounds = follow_roster(session, fields.table_id, fields.from_at, fields.to_at, now=now)
    action = "dealer.assigned" if fields.is_ruling else "stint.added"
    told = {"stint": number, "dealer": fields.dealer or "nobody", "rounds": rounds}
    audit.note(session, who, action, f"table:{fields.table_id}", at=now, **told)
    return number


def take_stint_out(session: Session, person: Person, stint_id: int, *, now: datetime) -> bool:
    """Remove a line of the roster; returns False where there is none, or the person may not see its table."""
    row = session.get(StintRow, stint_id)
    if row is None or not person.may_see(row.table_id):
        return False
    take_stint(session, person.name, stint_id, now=now)
    return True


def take_stint(session: Session, who: str, stint_id: int, *, now: datetime) -> None:
    """Remove a line of the roster that is there."""
    gone = remove_stint(session, stint_id)
    assert gone is not None, "it is there"
    rounds = follow_roster(session, gone.table_id, gone.from_at, gone.to_at, now=now)
    told = {"stint": stint_id, "dealer": gone.dealer or "nobody", "rounds": rounds}
    audit.note(session, who, "stint.removed", f"table:{gone.table_id}", at=now, **told)


def follow_names(session: Session, dealer_id: int, was: str) -> int:
    """Update rounds, alerts and figures after a dealer's entry was made or changed; returns how many rounds changed.

    They get the present name instead of the previous one, and instead of a badge or number that tables reported before
    it was in the register.
    """
    gone = [(was, was), *join_reported(session, dealer_id)]
    name = session.get_one(DealerRow, dealer_id).name
    return sum(rename(session, other, name) for _, other in gone if other != name)
