"""Measure how long searches take among a million rounds.

    python -m tests.endurance.search_speed sqlite:////somewhere/search.db --rounds 1000000

The rounds and their search terms are made in the database itself, spread as on a floor of 40 tables in 17 days. The
cards, dealer and alerts of a round follow from its number by a multiplication. Searches run as the API runs them.
"""

from __future__ import annotations

import argparse
import statistics
import time
from datetime import UTC, datetime, timedelta

from sqlalchemy import text

from thirdcard.service.rounds.search.find import find_rounds
from thirdcard.service.rounds.search.grammar import understand
from thirdcard.service.store.database import Database, open_database
from thirdcard.service.store.people import Person, Role
from thirdcard.service.web.asking import wish_of

TABLES, DEALERS = 40, 200
ROUND_S = 60
BEGAN = datetime(2026, 11, 1, tzinfo=UTC)
SEARCHES = (
    "",
    "table 7",
    "last Friday",
    "Banker third card missing",
    "Banker third card missing, table 7, last Friday",
    "7H",
    "card:7",
    "7H KD banker wins",
    "natural banker third card",
    "winner:banker third:player",
    "seat 3 stack increased",
    "dealer:d17 late bet",
    "dealer:d17 table:t20",
    "code:misdeal natural tie",
    "is:corrected",
    "natural table 7 10 Nov from 20:00 to 22:00",
)
BODY = (
    '{"round":1,"opened":0.0,"closed":60.0,"player":["7H","2S"],"banker":["KD","6C"],"player_total":9,'
    '"banker_total":6,"winner":"player","complete":true,"void":false,"due":[]}'
)


def fill(database: Database, rounds: int) -> None:
    """Write the rounds and their search terms, in the order in which they are stored."""
    is_postgres = database.engine.dialect.name == "postgresql"
    began_us = int(BEGAN.timestamp()) * 10**6
    numbers = (
        "SELECT generate_series(1, :rounds) AS id"
        if is_postgres
        else "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < :rounds) SELECT id FROM n"
    )
    at = f"{began_us} + CAST(id / {TABLES} AS BIGINT) * {ROUND_S * 10**6} + id % {TABLES}"
    with database.writing() as session:
        session.execute(
            text(
                "INSERT INTO logs (id, table_id, began_at, rules, first_line, origin, is_counted) "
                "VALUES (1, 't1', :at, '{}', 1, 'live', true)"
            ),
            {"at": began_us},
        )
        session.execute(
            text(
                "INSERT INTO rounds (id, table_id, log_id, number, dealer, opened_at, closed_at, first_line, "
                f"last_line, body, terms) SELECT id, 't' || (id % {TABLES}), 1, id, NULL, {at}, {at}, 1, 1, :body, '' "
                f"FROM ({numbers}) AS numbers"
            ),
            {"rounds": rounds, "body": BODY},
        )
    for term, condition in terms():
        with database.writing() as session:
            session.execute(
                text(
                    f"INSERT INTO round_terms (term, at, round_id) SELECT {term}, closed_at, id FROM rounds "
                    f"WHERE {condition} ORDER BY 1, 2, 3"
                )
            )
    with database.engine.connect() as connection:
        connection.execute(text("ANALYZE"))
        connection.commit()


def terms() -> list[tuple[str, str]]:
    """Return each kind of search term as SQL, with the condition for the rounds that have it."""
    found = [(f"'table:t' || (id % {TABLES})", "true"), (f"'dealer:d' || (id / 40 % {DEALERS})", "true")]
    found += [("'rulebook:tas'", "true"), ("'origin:live'", "true")]
    found += [("'winner:banker'", f"{_mix(100, 1)} < 46"), ("'winner:player'", f"{_mix(100, 1)} BETWEEN 46 AND 90")]
    found += [("'winner:tie'", f"{_mix(100, 1)} > 90"), ("'is:natural'", f"{_mix(100, 2)} < 34")]
    found += [("'third:player'", f"{_mix(100, 2)} > 50"), ("'third:banker'", f"{_mix(100, 2)} > 56")]
    found += [_card(place) for place in range(5)]
    found += [(f"'seat:{seat}'", f"{_mix(7, 20 + seat)} < 3") for seat in range(1, 8)]
    found += [("'changed:placed'", "true"), ("'changed:increased'", f"{_mix(10, 31)} = 0")]
    found += [("'changed:seat:3:increased'", f"{_mix(70, 32)} = 0")]
    faults = (("misdeal.third_card_missing", "banker", 5000), ("late_bet.placed", "player", 300))
    for code, hand, one_in in faults:
        is_there = f"{_mix(one_in, one_in)} = 0"
        family = code.partition(".")[0]
        found += [(f"'code:{name}{end}'", is_there) for name in (code, family) for end in ("", f":{hand}")]
    return found


def _card(place: int) -> tuple[str, str]:
    """Return the term of one of a round's cards as SQL, with the condition that the round does not have it yet."""
    names = ("a", *map(str, range(2, 11)), "j", "q", "k")
    ranks = " ".join(f"WHEN {i} THEN '{name}'" for i, name in enumerate(names))
    suits = " ".join(f"WHEN {i} THEN '{name}'" for i, name in enumerate("cdhs"))
    card = f"'card:' || CASE {_mix(13, 3 + place)} {ranks} END || CASE {_mix(4, 9 + place)} {suits} END"
    known = f"SELECT 1 FROM round_terms t WHERE t.at = closed_at AND t.round_id = id AND t.term = {card}"
    return card, f"NOT EXISTS ({known})" if place else "true"


def _mix(most: int, salt: int) -> str:
    """Return SQL for a number from 0 to `most` - 1 that follows from the round's number without a visible order."""
    return f"((id * {2654435761 + 2 * salt * 40503} / 65536) % {most})"


def measure(database: Database, searches: tuple[str, ...] = SEARCHES, *, times: int = 5) -> dict[str, float]:
    """Return the slowest of a few runs of each search, in seconds; the first and the second page are measured."""
    now = BEGAN + timedelta(days=14, hours=12)
    person = Person(name="reviewer", role=Role.VIEWER, tables=None, csrf=None)
    worst = {}
    for search in searches:
        wish = wish_of(understand(search, now, [f"t{i}" for i in range(TABLES)]))
        took = []
        for _ in range(times):
            began = time.perf_counter()
            with database.reading() as session:
                page = find_rounds(session, person, wish, limit=50)
            took.append(time.perf_counter() - began)
            if page.next is not None:
                began = time.perf_counter()
                with database.reading() as session:
                    find_rounds(session, person, wish, limit=50, cursor=page.next)
                took.append(time.perf_counter() - began)
        worst[search] = max(took)
        print(
            f"{max(took):7.3f} s worst, {statistics.median(took):7.3f} s median  {len(page.items):3d} found  {search}"
        )
    return worst


def main() -> None:
    """Fill the database if it is empty, then measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--rounds", type=int, default=1_000_000)
    options = parser.parse_args()
    database = open_database(options.url)
    with database.reading() as session:
        is_empty = session.scalar(text("SELECT count(*) FROM (SELECT 1 FROM rounds LIMIT 1) AS one")) == 0
    if is_empty:
        began = time.perf_counter()
        fill(database, options.rounds)
        print(f"filled in {time.perf_counter() - began:.0f} s")
    measure(database)
    database.close()


if __name__ == "__main__":
    main()
