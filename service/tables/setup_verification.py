"""Compare the stored files of all set-up versions with what was recorded of them."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.orm import Session

from thirdcard.service.config.data_folder import Home
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.setup.table_check import TABLE
from thirdcard.service.store.setup_schema import SetupRow
from thirdcard.service.tables.gathering import gather
from thirdcard.service.tables.setups import list_known, list_versions, read_files


def verify_setups(session: Session, home: Home) -> list[str]:
    """The stored files that differ from their record, one sentence each; empty where all match."""
    faults = []
    for table_id in session.scalars(select(SetupRow.table_id).distinct().order_by(SetupRow.table_id)).all():
        for version in list_versions(session, table_id):
            try:
                read_files(home, version)
            except (ServiceError, ValueError) as error:
                faults.append(f"set-up {table_id}, version {version.version}: {error}")
    return faults


def unread_changes(session: Session, home: Home) -> Iterator[str]:
    """Differences between `tables/` and the version in force, one sentence each: changed by hand, or not placed yet."""
    for known in list_known(session):
        path = home.tables / known.table_id / TABLE
        if not known.is_placed or not path.is_file():
            continue
        try:
            is_same = gather(path, home.folder, also=known.setup.digests).digest == known.setup.digest
        except ServiceError:
            is_same = False
        if not is_same:
            version = f"version {known.setup.version} of {known.table_id}"
            yield f"{path}: is not {version}, which is in force: it was changed, and the service has not read it since."
