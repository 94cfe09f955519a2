"""The main function of a table's process: open database, camera and models, then watch until stopped."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
from concurrent.futures import Executor
from datetime import UTC, datetime
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from thirdcard.service.config.data_folder import Home
from thirdcard.service.config.house_yaml import load_house
from thirdcard.service.config.log_lines import begin_lines, begin_log
from thirdcard.service.config.place_folder import PlaceFolder
from thirdcard.service.config.table_facts import rules_of
from thirdcard.service.config.table_file import TableConfig, load_table
from thirdcard.service.live.camera import CameraReader
from thirdcard.service.live.camera_place import PlaceKeeper, placed
from thirdcard.service.live.entrance import entrance_of
from thirdcard.service.live.entries import Entries
from thirdcard.service.live.evidence_writer import EvidenceWriter
from thirdcard.service.live.inbox import Inbox
from thirdcard.service.live.journal import Journal
from thirdcard.service.live.live_pictures import PictureWriter
from thirdcard.service.live.service_link import ServiceLink
from thirdcard.service.live.sight import Sight
from thirdcard.service.live.table_lock import watching_alone
from thirdcard.service.live.wall_camera import WallCamera
from thirdcard.service.live.worker import Worker
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.ports.messages import Failed
from thirdcard.service.watch.pipeline import read_signals, start_watch
from thirdcard.service.watch.process_tuning import keep_to_one_thread
from thirdcard.vision.errors import VisionError

logger = logging.getLogger(__name__)


def run_table(home: Path, table_file: Path, service: Connection, writer: Executor | None = None) -> None:
    """Watch a table until stopped.

    Args:
        home: The service's folder.
        table_file: The table.
        service: Where messages go and orders come from.
        writer: A thread for database transactions.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the service decides when its tables end
        if multiprocessing.parent_process() is not None:
            keep_to_one_thread()
    begin_lines("%(asctime)s %(levelname)s %(name)s: %(message)s", logging.INFO)
    Home(home).use_models(os.environ)
    try:
        log = load_house(home, os.environ).log
        table = load_table(table_file)
        begin_log(log, lambda: {"table": table.id})
        with watching_alone(Home(home).live / f"{table.id}.lock", _is_wanted) as is_mine:
            if is_mine:
                worker = build_worker(Home(home), table, service, writer)
                begin_log(log, lambda: {"table": table.id, "round": worker.watch.belief.round})
                worker.run()
    except (ServiceError, VisionError) as error:
        logger.error("%s", error)
        service.send(Failed(table_id=table_file.stem, reason=str(error)))
        raise SystemExit(1) from error
    except Exception as error:  # the top of the process: it is reported and restarted
        logger.exception("the table's process fails")
        service.send(Failed(table_id=table_file.stem, reason=f"its process failed: {type(error).__name__}"))
        raise SystemExit(1) from None


def _is_wanted() -> bool:
    """Whether the service that started this process is alive."""
    parent = multiprocessing.parent_process()
    return parent is None or parent.is_alive()


def build_worker(home: Home, table: TableConfig, service: Connection, writer: Executor | None = None) -> Worker:
    """Assemble a table's worker; its log is continued."""
    database = home.open_database(os.environ, writer)
    journal = Journal(database, table.id, rules_of(table))
    recorded = read_signals(table, None)
    folder = PlaceFolder(home.place(table.id))
    own, (table, reference) = table, placed(table, folder)
    watch = start_watch(table, recorded)
    if reference is not None:
        watch.observer.begin_from(reference)
    watch.signals = []
    watch.resume(journal.open(now_utc()))
    ring = home.ring / table.id
    camera = table.cameras[0]
    changed_at = datetime.fromtimestamp(table.path.stat().st_mtime, UTC)
    enter = partial(entrance_of, transport=camera.transport, folder=home.live, changed_at=changed_at, now=now_utc)
    reader = CameraReader(camera, ring, now_utc, enter(camera.source))
    fit = folder.fit(own)
    keeper = PlaceKeeper(
        folder, table, database, now_utc, has_reference=reference is not None, hint=None if fit is None else fit.text
    )
    wall = None if camera.wall_source is None else WallCamera(camera.name, enter(camera.wall_source), now_utc)
    return Worker(
        table=table,
        watch=watch,
        camera=reader,
        sight=Sight(reader, watch),
        entries=Entries(table.id, journal, Inbox(database, table.id, journal.began_at)),
        evidence=EvidenceWriter(database, table, ring, home.evidence),
        pictures=PictureWriter(home.live / f"{table.id}.jpg", table, wall, keeper),
        link=ServiceLink(service),
        now=now_utc,
        recorded=recorded,
    )
