"""Watch live tables on a Ray cluster: an actor for each, supervised like a process.

The supervisor restarts an actor that dies, or whose node dies, wherever there is room. It writes to the database and
the home's folder, which all nodes must share.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

from thirdcard.service.cluster.ray_cluster import check_code, code_digest, import_ray
from thirdcard.service.live.supervisor import Body
from thirdcard.service.ports.messages import Failed, Message, Order
from thirdcard.vision.addresses import public_text

CORES = 0.5
"""The share of a core that is reserved for one table: in full play it takes a third of a core."""
THREADS = 4
"""One watches, the others pass messages and orders."""
WAIT_S = 0.1


class TableActor:
    """One table, watched on this actor's node."""

    def __init__(self) -> None:
        self._ours, self._theirs = Pipe()

    def watch(self, body: Body, home: Path, table_file: Path, digest: str) -> int:
        """Watch until stopped; returns the exit status."""
        try:
            check_code(digest)
            body(home, table_file, self._theirs)
        except SystemExit as end:
            return int(end.code or 0)
        return 0

    def take(self) -> list[Message]:
        """Wait a moment for messages and return them."""
        found: list[Message] = []
        while self._ours.poll(0 if found else WAIT_S):
            found.append(self._ours.recv())
        return found

    def order(self, orders: Sequence[Order]) -> None:
        """Send orders to the watch."""
        for order in orders:
            self._ours.send(order)


class RayTable:
    """A table's actor in the form of a process; messages and orders pass through its end of a pipe."""

    pid: int | None = None
    """The process is on another machine."""

    def __init__(self, body: Body, home: Path, table_file: Path, service: Connection) -> None:
        """Start the actor.

        Args:
            body: The actor's function.
            home: The service's folder, the same on every node.
            table_file: The table.
            service: Where messages go and orders come from; closed at the end.
        """
        self.exitcode: int | None = None
        self._ray = import_ray()
        options = {"num_cpus": CORES, "max_concurrency": THREADS, "scheduling_strategy": "SPREAD"}
        self._actor = self._ray.remote(TableActor).options(**options).remote()
        self._ended = self._actor.watch.remote(body, home.resolve(), table_file.resolve(), code_digest())
        self._table_file, self._service = table_file, service
        self._thread = threading.Thread(target=self._relay, name=f"table-{table_file.stem}", daemon=True)
        self._thread.start()

    def is_alive(self) -> bool:
        """Whether it still watches, as far as known."""
        return self._thread.is_alive()

    def join(self, timeout: float | None = None) -> None:
        """Wait until it has ended."""
        self._thread.join(timeout)

    def kill(self) -> None:
        """End it at once."""
        self._ray.kill(self._actor)

    def _relay(self) -> None:
        try:
            while self.exitcode is None:
                has_ended = bool(self._ray.wait([self._ended], timeout=0)[0])
                self._bring()
                if has_ended:
                    self.exitcode = self._ray.get(self._ended)
        except (self._ray.exceptions.RayError, OSError) as error:
            self.exitcode = 1
            self._mourn(error)
        finally:
            self._service.close()
            self._ray.kill(self._actor)

    def _bring(self) -> None:
        orders: list[Order] = []
        while self._service.poll():
            orders.append(self._service.recv())
        if orders:
            self._actor.order.remote(orders)
        for message in self._ray.get(self._actor.take.remote()):
            self._service.send(message)

    def _mourn(self, error: Exception) -> None:
        reason = public_text(" ".join(str(error).split()))[:200]
        try:
            self._service.send(Failed(table_id=self._table_file.stem, reason=f"its actor was lost: {reason}"))
        except OSError:
            return  # nobody listens any more
