"""Tamper with a house in more than a hundred ways, and check that `thirdcard verify` finds and names each.

    python -m tests.endurance.tamper [--postgres] [--only WORDS] [--json FILE]

Each kind of tampering is done to a fresh copy of one house. The copy is verified with three means: the seals alone, the
public key as well, and the anchors as well. With the anchors every kind must be found and named. Each kind has least
means: it must be found with these and with all stronger ones, but not with weaker ones. An untouched house, and one
that continues to work, must verify.
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
    """One kind of tampering."""

    name: str
    act: Callable[[TamperedHouse], None]
    least: str
    """The least means with which it is found: seals, key or anchors."""
    named: str
    """What the output of `verify` must contain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of one kind of tampering."""

    name: str
    least: str
    found: tuple[bool, ...]
    """Whether it was found, for each of the means."""
    is_named: bool
    """Whether `verify` names it with the anchors."""
    said: str
    """The line with which `verify` names it with the anchors; else its first line."""

    @property
    def is_right(self) -> bool:
        """Whether it is named, and found with its least and all stronger means but with no weaker ones."""
        return self.is_named and self.found == tuple(index >= MEANS.index(self.least) for index in range(len(MEANS)))


TAMPERINGS = [
    *(Tampering(name=name, act=act, least="seals", named=named) for name, (act, named) in ROW_TAMPERINGS.items()),
    *(
        Tampering(name=name, act=act, least=least, named=named)
        for name, (act, least, named) in CHAIN_TAMPERINGS.items()
    ),
]


def judge(house: TamperedHouse, kind: Tampering) -> Outcome:
    """Tamper with a house, verify it with all means, and return the result."""
    kind.act(house)
    found, text = [], ""
    for means in MEANS:
        try:
            verdict = house.verify(means)
            found.append(verdict.status != 0)  # 2 if a file is no valid anchor or key
            text = verdict.text
        except ServiceError as error:  # the command prints it in one line and exits with 2
            found.append(True)
            text = str(error)
    said = next((line for line in text.splitlines() if kind.named in line), text.partition("\n")[0])
    return Outcome(name=kind.name, least=kind.least, found=tuple(found), is_named=kind.named in text, said=said)


def false_alarms(make: Copies) -> list[str]:
    """Return what `verify` reports of two houses without tampering: an untouched one, and one with new signed lines."""
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
    """Yield a function that returns a fresh copy of one house each time."""
    folder = Path(tempfile.mkdtemp(prefix="tampered"))
    folder.chmod(0o755)  # so that PostgreSQL's own account can reach its data
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
    """Try all kinds and print a table; exit status 1 if one is not as stated or there is a false alarm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", action="store_true", help="use a PostgreSQL server instead of SQLite")
    parser.add_argument("--only", default="", help="only kinds whose names contain these words")
    parser.add_argument("--json", type=Path, help="also write the results to this file")
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
