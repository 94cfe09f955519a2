"""Tamper with a house in more than a hundred ways, and see which `thirdcard verify` finds and names.

    python -m tests.endurance.tamper [--postgres] [--only WORDS] [--json FILE]

Each kind is done to a fresh copy of one house, and looked at with three means: the seals alone, the public key, the key
and the anchors. With the anchors all must be found and named; each must be found from the least means on that its table
states, and not with less. An untouched house, and one that goes on after a copy, must be in order.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import psycopg

from tests.endurance.postgres_server import PostgresServer, make_postgres
from tests.endurance.tampered_house import MEANS, TamperedHouse, build, copy_of
from tests.endurance.tampering_chains import CHAIN_TAMPERINGS
from tests.endurance.tampering_rows import ROW_TAMPERINGS
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.store import chain

Copies = Callable[[], TamperedHouse]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tampering:
    """One kind."""

    name: str
    act: Callable[[TamperedHouse], None]
    least: str
    """With what means it is found at the least: seals, key or anchors."""
    named: str
    """What `verify` must say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one kind."""

    name: str
    least: str
    found: tuple[bool, ...]
    """With each of the means."""
    is_named: bool
    """Whether it is named with the anchors."""
    said: str
    """The first line that `verify` says with the anchors."""

    @property
    def is_right(self) -> bool:
        """Whether it is found from its least means on and not before, and named."""
        return self.is_named and self.found == tuple(index >= MEANS.index(self.least) for index in range(len(MEANS)))


TAMPERINGS = [
    *(Tampering(name=name, act=act, least="seals", named=named) for name, (act, named) in ROW_TAMPERINGS.items()),
    *(
        Tampering(name=name, act=act, least=least, named=named)
        for name, (act, least, named) in CHAIN_TAMPERINGS.items()
    ),
]


def judge(house: TamperedHouse, kind: Tampering) -> Outcome:
    """Tamper with a house, and verify with all means."""
    kind.act(house)
    found, text = [], ""
    for means in MEANS:
        try:
            verdict = house.verify(means)
            found.append(verdict.status != 0)  # 2 where an anchor or a key is none
            text = verdict.text
        except ServiceError as error:  # the command says it in one line and leaves with 2
            found.append(True)
            text = str(error)
    said = next((line for line in text.splitlines() if kind.named in line), text.partition("\n")[0])
    return Outcome(name=kind.name, least=kind.least, found=tuple(found), is_named=kind.named in text, said=said)


def false_alarms(make: Copies) -> list[str]:
    """What is said of houses that nobody tampered with: an untouched one, and one that went on and was signed."""
    alarms = []
    for goes_on in (False, True):
        house = make()
        if goes_on:
            with house.database.writing() as session:
                chain.append(session, "log/B07", [{"n": 1}], at=house.clock())
            house.sealed().seal()
        for means in MEANS:
            verdict = house.verify(means)
            alarms += [] if verdict.status == 0 else [f"{means}: {verdict.text.partition(chr(10))[0]}"]
        house.close()
    return alarms


@contextmanager
def copies(*, is_postgres: bool) -> Iterator[Copies]:
    """What gives a fresh copy of one house each time."""
    folder = Path(tempfile.mkdtemp(prefix="tampered"))
    folder.chmod(0o755)  # PostgreSQL's own account reaches its data
    count = iter(range(1_000_000))
    try:
        if is_postgres:
            server = make_postgres(folder / "postgres")
            server.start()
            try:
                yield _postgres_copies(folder, server, count)
            finally:
                server.kill()
        else:
            house = build(folder / "house")
            house.close()
            yield lambda: copy_of(house, folder / str(next(count)))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _postgres_copies(folder: Path, server: PostgresServer, count: Iterator[int]) -> Copies:
    _create(server, "house", "template1")
    house = build(folder / "house", _url(server, "house"))
    house.close()

    def make() -> TamperedHouse:
        name = f"copy{next(count)}"
        _create(server, name, "house")
        return copy_of(house, folder / name, _url(server, name))

    return make


def _create(server: PostgresServer, name: str, template: str) -> None:
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())


def _url(server: PostgresServer, name: str) -> str:
    return f"{server.url.rpartition('/')[0]}/{name}"


def main() -> None:
    """Try all kinds, print a table, and leave with 1 where one is not as stated."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", action="store_true", help="on a PostgreSQL of our own instead of SQLite")
    parser.add_argument("--only", default="", help="kinds whose names hold these words")
    parser.add_argument("--json", type=Path, help="write the outcomes there too")
    wish = parser.parse_args()
    outcomes: list[Outcome] = []
    with copies(is_postgres=wish.postgres) as make:
        alarms = false_alarms(make)
        print("| kind | seals | key | anchors | said |\n| --- | --- | --- | --- | --- |")
        for kind in TAMPERINGS:
            if wish.only in kind.name:
                house = make()
                outcomes.append(judge(house, kind))
                house.close()
                print(_row(outcomes[-1]), flush=True)
    wrong = [outcome.name for outcome in outcomes if not outcome.is_right]
    print(f"\n{len(outcomes)} kinds, {len(wrong)} not as stated: {', '.join(wrong) or '-'}")
    print(f"False alarms: {'; '.join(alarms) or 'none'}")
    if wish.json is not None:
        wish.json.write_text(json.dumps([asdict(outcome) for outcome in outcomes], indent=1), encoding="utf-8")
    sys.exit(1 if wrong or alarms else 0)


def _row(outcome: Outcome) -> str:
    marks = ["found" if found else "-" for found in outcome.found]
    said = outcome.said.replace("|", "/")[:100]
    return f"| {outcome.name}{'' if outcome.is_right else ' (WRONG)'} | {' | '.join(marks)} | {said} |"


if __name__ == "__main__":
    main()
