"""Write the house's data as Parquet, one file for each kind of row; an aborted export leaves nothing behind.

Files are written as drafts and renamed at the end, all together as far as a file system allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from thirdcard.service.export.reading import Row, Rows
from thirdcard.service.export.shapes import SHAPES, schema_of
from thirdcard.service.ports.errors import ServiceError

DRAFT = ".parquet.part"


class ExportError(ServiceError):
    """The data cannot be written there."""


def write_data(folder: Path, parts: Iterable[Rows]) -> Mapping[str, int]:
    """Write every file; returns the number of rows in each.

    Raises:
        ExportError: The folder cannot be written.
    """
    drafts = {name: folder / f"{name}{DRAFT}" for name in SHAPES}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _removed_at_last(drafts.values()):
            counts = _fill(drafts, parts)
            for name, draft in drafts.items():
                draft.replace(folder / f"{name}.parquet")
    except OSError as error:
        raise ExportError(f"--out = {folder}; must be a folder that can be written: {error.strerror}") from error
    return counts


def _fill(drafts: Mapping[str, Path], parts: Iterable[Rows]) -> dict[str, int]:
    counts = dict.fromkeys(drafts, 0)
    with ExitStack() as open_files:
        writers = {
            name: open_files.enter_context(pq.ParquetWriter(path, schema_of(name), compression="zstd"))
            for name, path in drafts.items()
        }
        for part in parts:
            for name, rows in part.items():
                counts[name] += len(rows)
                if rows:
                    writers[name].write_table(_table(name, rows))
    return counts


@contextmanager
def _removed_at_last(drafts: Iterable[Path]) -> Iterator[None]:
    try:
        yield
    finally:
        for draft in drafts:
            draft.unlink(missing_ok=True)


def _table(name: str, rows: list[Row]) -> pa.Table:
    schema = schema_of(name)
    return pa.Table.from_pydict({column: [row.get(column) for row in rows] for column in schema.names}, schema)
