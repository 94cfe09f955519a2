"""A Ray cluster of two nodes on this machine, whose workers and nodes can be killed."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from thirdcard.service.cluster.ray_cluster import import_ray

HEALTH = {"health_check_initial_delay_ms": 5000, "health_check_period_ms": 1000, "health_check_failure_threshold": 10}
"""Short periods, so that a lost node is noticed soon, but a slow one does not count as lost."""
TRIES = 3
STORE_BYTES = 100 * 2**20


@dataclass(slots=True)
class RayFloor:
    """A head that runs no task, and nodes that do."""

    cores: int = 1
    """The cores of each node."""
    cluster: Any = None
    nodes: list[Any] = field(default_factory=list)

    def __enter__(self) -> RayFloor:
        import_ray()
        for _ in range(TRIES):
            try:
                return self._begin()
            except Exception as error:  # Ray gives up its start on a busy machine
                fault = error
                self._end()
        pytest.skip(f"Ray does not come up on this machine: {fault}")

    def _begin(self) -> RayFloor:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 0, "include_dashboard": False, "object_store_memory": STORE_BYTES, "_system_config": HEALTH}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.nodes = [self.add_node(), self.add_node()]
        return self

    def _end(self) -> None:
        import_ray().shutdown()
        if self.cluster is not None:
            self.cluster.shutdown()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    @property
    def address(self) -> str:
        """The address of the head."""
        return str(self.cluster.address)

    def add_node(self) -> Any:
        """Add a node."""
        return self.cluster.add_node(num_cpus=self.cores, object_store_memory=STORE_BYTES)

    def kill_worker(self, doing: str) -> int | None:
        """Kill one worker on our nodes that runs this task; returns its process id, None where none does."""
        for node in self.nodes:
            raylet = node.all_processes["raylet"][0].process.pid
            for pid in children_of(raylet):
                if doing in _command_of(pid):
                    os.kill(pid, signal.SIGKILL)
                    return pid
        return None

    def lose_node_of(self, doing: str) -> None:
        """Remove the node on which a worker runs this task."""
        for node in self.nodes:
            if any(doing in _command_of(pid) for pid in children_of(node.all_processes["raylet"][0].process.pid)):
                self.nodes.remove(node)
                self.cluster.remove_node(node)
                return

    def lose_node(self) -> None:
        """Remove a node with all its processes."""
        self.cluster.remove_node(self.nodes.pop())


def children_of(parent: int) -> list[int]:
    """The child processes of a process."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent:
                found.append(int(folder.name))
    return found


def _command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
