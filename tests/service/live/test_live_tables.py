"""The tables that are watched here: a reader of their changes gets states and what was written, nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path

from thirdcard.service.live.live_tables import WatchedTables
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.messages import Failed, Strained, TableStatus, Written

RESTING = TableStatus(table_id="A", at="2026-11-21T20:00:00.000Z", t=1.0, camera="resting")
WRITTEN = Written(table_id="A", alerts=(1,))


def test_readers_are_told_how_a_strained_table_stands_and_not_what_it_asks_for(tmp_path: Path) -> None:
    tables = WatchedTables(tmp_path, tmp_path, now_utc)

    async def read() -> list[TableStatus | Written]:
        changes = tables.changes()
        first = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)  # it reads from now on
        for message in (Strained(table_id="A"), Failed(table_id="A", reason="broken"), RESTING, WRITTEN):
            tables._hear(message)
        return [await first, await anext(changes)]

    assert asyncio.run(read()) == [WRITTEN, RESTING]
    assert tables.state("A") == RESTING
    assert tables.states() == [RESTING]
