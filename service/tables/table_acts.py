"""Change tables while the service runs: add, change, stop, start, restore a version, read files again.

Each act is checked before anything changes, stored as a version where it changes files, and recorded in the audit
chain. It takes effect in the process that watches the tables, which reads the wanted state from the database.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from sqlalchemy.orm import Session

from thirdcard.calibration.documents import parse_yaml, read_document
from thirdcard.calibration.errors import MISSING, DocumentError
from thirdcard.service.config.data_folder import Home, table_files
from thirdcard.service.config.table_file import TableFile, TableId, load_table
from thirdcard.service.ports.errors import ServiceError, TableError
from thirdcard.service.setup.problems import Grade, SetupProblem
from thirdcard.service.setup.table_check import TABLE, check_table
from thirdcard.service.store import audit
from thirdcard.service.store.database import Database
from thirdcard.service.store.setup_schema import WatchedTableRow
from thirdcard.service.tables.file_set import FileSet, link_film, sync_folder, write_file
from thirdcard.service.tables.gathering import gather, leading_out, with_films
from thirdcard.service.tables.setups import (
    KnownTable,
    Making,
    NoSuchSetupError,
    SetupError,
    SetupOrigin,
    Wanted,
    acting_alone,
    drafted,
    drop_drafts,
    find_known,
    find_version,
    list_known,
    list_versions,
    read_files,
    record,
)

logger = logging.getLogger(__name__)

BY_FILE = "files"
"""The name of the maker of a version found on the disk when the service started."""


class WrongSetupError(SetupError):
    """A set-up with which a table must not be watched; nothing was changed."""

    def __init__(self, problems: Sequence[SetupProblem]) -> None:
        self.problems = tuple(problems)
        self.field = problems[0].key or None
        super().__init__("\n".join(map(str, problems)))


class TableStateError(SetupError):
    """The table already exists, or already has the wanted state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The result of an act."""

    table_id: str
    version: int | None
    """The version now in force; None where files read again were unchanged, or are refused."""
    problems: tuple[SetupProblem, ...] = ()
    """Points that a person should check; for refused files also the errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableActs:
    """The acts of one person or program in one service's folder."""

    home: Home
    database: Database
    now: Callable[[], datetime]
    who: str

    def check(self, files: FileSet, table_id: str) -> tuple[SetupProblem, ...]:
        """Check a set-up without changing anything; returns all its problems."""
        with drafted(self.home, table_id, files) as draft:
            return _problems_of(files, draft)

    def add(self, sent: Mapping[str, bytes], why: str | None = None) -> Made:
        """Add a table and watch it; its id is in its `table.yaml`.

        Raises:
            TableError: The files are not a set-up, or have no usable id.
            TableStateError: The table already exists.
            WrongSetupError: Something about it is wrong.
        """
        table_id = id_of(sent)
        with self._acting():
            self._check_free(table_id)
            files = with_films(sent, None, self.home.tables / table_id, self.home.folder)
            return self._put(table_id, files, "table.added", self._making(why))

    def add_from(self, table_file: Path, why: str | None = None) -> Made:
        """Add a table whose files lie anywhere on this machine; the files that it names are copied, except films.

        Raises:
            UnreadableTableError: A file does not exist.
            TableStateError, WrongSetupError: As with `add`.
        """
        files = gather(table_file, self.home.folder)
        table_id = id_of(files.files)
        with self._acting():
            self._check_free(table_id)
            return self._put(table_id, files, "table.added", self._making(why))

    def change(self, table_id: str, sent: Mapping[str, bytes], why: str | None = None) -> Made:
        """Replace a table's whole set-up; it takes effect between two rounds.

        Raises:
            NoSuchSetupError: There is no such table.
            TableError: The files are not a set-up, or are another table's.
            WrongSetupError: Something about it is wrong.
        """
        with self._acting():
            before = read_files(self.home, self._find(table_id).setup)
            self._check_untouched(table_id)
            files = with_films(sent, before, self.home.tables / table_id, self.home.folder)
            _check_id(table_id, id_of(sent))
            return self._put(table_id, files, "table.changed", self._making(why))

    def change_from(self, table_id: str, table_file: Path, why: str | None = None) -> Made:
        """Replace a table's whole set-up by files on this machine.

        Raises:
            UnreadableTableError: A file does not exist.
            NoSuchSetupError, TableError, WrongSetupError: As with `change`.
        """
        files = gather(table_file, self.home.folder)
        _check_id(table_id, id_of(files.files))
        with self._acting():
            self._find(table_id)
            return self._put(table_id, files, "table.changed", self._making(why))

    def recalibrate(self, table_id: str, calibration: bytes, why: str | None = None) -> Made:
        """Replace the calibration file of a table's first camera.

        Raises:
            NoSuchSetupError, WrongSetupError: As with `change`.
        """
        with self._acting():
            before = read_files(self.home, self._find(table_id).setup)
            self._check_untouched(table_id)
            table = TableFile.model_validate(parse_yaml(before.files[TABLE].decode(), TABLE))
            files = replace(before, files={**before.files, table.cameras[0].calibration: calibration})
            return self._put(table_id, files, "table.changed", self._making(why))

    def restore(self, table_id: str, version: int, why: str | None = None) -> Made:
        """Put an older version in force again, as a new version; also for a table whose files were deleted.

        Raises:
            NoSuchSetupError: There is no such table or version.
            SpoiledSetupError: Its files were changed.
            WrongSetupError: By the present checks something about it is wrong.
        """
        with self._acting():
            with self.database.reading() as session:
                old = find_version(session, table_id, version)
            self._check_untouched(table_id)
            making = replace(self._making(why), origin=SetupOrigin.RESTORE, restored=version)
            return self._put(table_id, read_files(self.home, old), "table.restored", making)

    def stop(self, table_id: str, why: str | None = None) -> None:
        """Stop watching a table, now and after a restart.

        Raises:
            NoSuchSetupError: There is no such table.
            TableStateError: It is stopped already.
        """
        self._turn(table_id, Wanted.STOPPED, "table.stopped", why)

    def start(self, table_id: str, why: str | None = None) -> None:
        """Watch a stopped table again.

        Raises:
            NoSuchSetupError: There is no such table.
            TableStateError: It is watched already.
        """
        self._turn(table_id, Wanted.WATCHED, "table.started", why)

    def reload(self) -> list[Made]:
        """Read the files in `tables/` again: files changed by hand become a new version where nothing is wrong."""
        with self._acting():
            found = self._found()
            made = [self._take(table_id, path) for table_id, path in found.items()]
            if all(_own_id(path) is not None for path in found.values()):
                self._let_go(found)
            return [one for one in made if one is not None]

    def begin(self) -> list[KnownTable]:
        """Bring versions and files in line when a service starts: the files on the disk are what is wanted.

        Raises:
            HomeError: Two tables have the same id.
            ServiceError: A file cannot be used.
        """
        with self._acting():
            drop_drafts(self.home)
            self.home.load_tables()
            found = self._found()
            for table_id, path in found.items():
                files = self._gather(table_id, path)
                if self._is_news(table_id, files):
                    with drafted(self.home, table_id, files) as draft:
                        load_table(draft / TABLE)
                        self._keep(table_id, files, draft, "table.changed", self._making(None, SetupOrigin.FILE))
            self._let_go(found)
            with self.database.reading() as session:
                return list_known(session)

    @contextmanager
    def _acting(self) -> Iterator[None]:
        """Hold the lock, and first complete the file changes of an interrupted act."""
        with acting_alone(self.home):
            self._place_all()
            yield

    def _making(self, why: str | None, origin: SetupOrigin = SetupOrigin.CHANGE) -> Making:
        return Making(who=self.who, now=self.now(), why=why, origin=origin)

    def _find(self, table_id: str) -> KnownTable:
        with self.database.reading() as session:
            return find_known(session, table_id)

    def _check_free(self, table_id: str) -> None:
        with suppress(NoSuchSetupError):
            self._find(table_id)
            raise TableStateError(f"{table_id} is there already; change its set-up instead")
        taken = [path for path in table_files(self.home.tables) if _own_id(path) == table_id]
        taken += [folder for folder in (self.home.tables / table_id,) if (folder / TABLE).exists()]
        if taken:
            raise TableStateError(f"{taken[0]} is there already; have the files read again instead")

    def _check_untouched(self, table_id: str) -> None:
        """Raise TableStateError where files in `tables/` were changed by hand: the changes would be lost."""
        path = self._found().get(table_id)
        if path is not None and self._is_news(table_id, self._gather(table_id, path)):
            raise TableStateError(f"{path} was changed by hand; have the files read again first, or put them back.")

    def _put(self, table_id: str, files: FileSet, action: str, making: Making) -> Made:
        """Check a set-up, store it as the version in force, and copy its files into `tables/`."""
        with drafted(self.home, table_id, files) as draft:
            problems = _problems_of(files, draft)
            refused = [problem for problem in problems if problem.grade is Grade.WRONG]
            if refused:
                raise WrongSetupError(refused)
            version = self._keep(table_id, files, draft, action, making)
        try:
            self._place(table_id)
        except OSError:  # the version is stored and in force; the next act tries again
            logger.exception("table %s: version %s cannot be put into tables/", table_id, version)
        return Made(table_id=table_id, version=version, problems=problems)

    def _keep(self, table_id: str, files: FileSet, draft: Path, action: str, making: Making) -> int:
        def keep(session: Session) -> int:
            version = record(session, self.home, table_id, files, draft, making)
            told = {"version": version, "digest": files.digest, "why": making.why, "origin": str(making.origin)}
            told |= {} if making.restored is None else {"restored": making.restored}
            act = "table.added" if version == 1 else action
            audit.note(session, making.who, act, f"table:{table_id}", at=making.now, **told)
            if making.origin is SetupOrigin.FILE:
                session.get_one(WatchedTableRow, table_id).is_placed = True  # the files were found there
            return version

        return self.database.write(keep)

    def _turn(self, table_id: str, wanted: Wanted, action: str, why: str | None) -> None:
        with self._acting(), self.database.writing() as session:
            if find_known(session, table_id).wanted is wanted:
                raise TableStateError(f"{table_id} is {wanted} already.")
            row = session.get_one(WatchedTableRow, table_id)
            row.state, row.changed_by, row.changed_at = str(wanted), self.who, self.now()
            audit.note(session, self.who, action, f"table:{table_id}", at=self.now(), why=why)

    def _place_all(self) -> None:
        """Copy the files into `tables/` that an interrupted act did not copy."""
        with self.database.reading() as session:
            late = [one.table_id for one in list_known(session) if not one.is_placed]
        for table_id in late:
            self._place(table_id)

    def _place(self, table_id: str) -> None:
        """Make the table's own folder in `tables/` hold the version in force; other files there stay."""
        with self.database.reading() as session:
            setup = find_known(session, table_id).setup
            older = {name for one in list_versions(session, table_id) for name in one.digests}
        folder, files = self.home.tables / table_id, read_files(self.home, setup)
        for name in sorted(older - files.digests().keys()):
            (folder / name).unlink(missing_ok=True)
        for name, film in files.films.items():
            link_film(folder / name, self.home.folder / film)
        for name, content in sorted(files.files.items(), key=lambda one: one[0] == TABLE):
            write_file(folder / name, content)
        for path in table_files(self.home.tables):
            if path != folder / TABLE and _own_id(path) == table_id:
                path.unlink()
        sync_folder(self.home.tables)
        with self.database.writing() as session:
            session.get_one(WatchedTableRow, table_id).is_placed = True

    def _found(self) -> dict[str, Path]:
        """The table files by id; a file without an id is listed under its own name or its folder's."""
        found: dict[str, Path] = {}
        for path in table_files(self.home.tables):
            table_id = _own_id(path) or (path.parent.name if path.name == TABLE else path.stem)
            if table_id in found:
                raise TableStateError(f"{path}: id = {table_id}; {found[table_id]} has the same")
            found[table_id] = path
        return found

    def _gather(self, table_id: str, path: Path) -> FileSet:
        """The files of a table in `tables/`."""
        try:
            kept = self._find(table_id).setup.digests
        except NoSuchSetupError:
            kept = {}
        return gather(path, self.home.folder, also=kept if path.name == TABLE else ())

    def _is_news(self, table_id: str, files: FileSet) -> bool:
        try:
            return self._find(table_id).setup.digest != files.digest
        except NoSuchSetupError:
            return True

    def _take(self, table_id: str, path: Path) -> Made | None:
        """Make a version of files that were changed by hand; None where they were not."""
        try:
            files = self._gather(table_id, path)
            if not self._is_news(table_id, files):
                return None
            id_of(files.files)
            with drafted(self.home, table_id, files) as draft:
                problems = _problems_of(files, draft)
                is_wrong = any(problem.grade is Grade.WRONG for problem in problems)
                making = self._making(None, SetupOrigin.FILE)
                version = None if is_wrong else self._keep(table_id, files, draft, "table.changed", making)
            return Made(table_id=table_id, version=version, problems=problems)
        except ServiceError as error:
            where = str(path.relative_to(self.home.folder))
            problem = SetupProblem(grade=Grade.WRONG, where=where, say=str(error))
            return Made(table_id=table_id, version=None, problems=(problem,))

    def _let_go(self, found: Collection[str]) -> None:
        """Stop watching tables whose files were deleted; their versions stay."""
        with self.database.reading() as session:
            gone = [one.table_id for one in list_known(session) if one.table_id not in found]
        for table_id in gone:
            with self.database.writing() as session:
                row = session.get_one(WatchedTableRow, table_id)
                row.state, row.changed_by, row.changed_at = str(Wanted.GONE), self.who, self.now()
                audit.note(session, self.who, "table.gone", f"table:{table_id}", at=self.now())


def id_of(files: Mapping[str, bytes]) -> str:
    """The id in the files of a set-up.

    Raises:
        TableError: There is no `table.yaml`, or its id is missing or not allowed.
    """
    content = FileSet(files=files).files[TABLE]
    try:
        document = parse_yaml(content.decode("utf-8", "replace"), TABLE)
    except DocumentError as error:
        raise TableError(TABLE, "content", allowed=error.allowed) from error
    name = document.get("id", MISSING) if isinstance(document, Mapping) else MISSING
    try:
        found: str = TypeAdapter(TableId).validate_python(name if isinstance(name, str) else None)
    except ValidationError as error:
        allowed = f"must be {TableFile.model_fields['id'].description}"
        raise TableError(TABLE, "id", value=name, allowed=allowed) from error
    return found


def _check_id(table_id: str, found: str) -> None:
    if found != table_id:
        raise TableError(TABLE, "id", value=found, allowed=f"must be {table_id}, the table that is changed")


def _problems_of(files: FileSet, draft: Path) -> tuple[SetupProblem, ...]:
    """The problems of a set-up, wrong ones first; files are named as in the set-up."""
    problems = (*leading_out(files), *check_table(draft / TABLE).problems)
    shown = [replace(one, where=_within(one.where, draft), say=_within(one.say, draft)) for one in problems]
    return tuple(sorted(shown, key=lambda one: one.grade is not Grade.WRONG))


def _within(text: str, draft: Path) -> str:
    return text.replace(f"{draft}/", "")


def _own_id(table_file: Path) -> str | None:
    """The id in a table's file; None where there is none."""
    try:
        name = read_document(table_file).get("id")
    except DocumentError:
        return None
    return name if isinstance(name, str) else None
