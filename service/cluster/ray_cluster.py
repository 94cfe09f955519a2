"""Connect to a Ray cluster, or start one on this machine; errors are one line."""

from __future__ import annotations

import hashlib
import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from thirdcard.service.ports.errors import ServiceError

REACH_S = 3.0
AUTO = "auto"
_PACKAGES = ("rules", "calibration", "vision", "service", "models")
_READ = frozenset({".py", ".yaml", ".onnx"})


class RayError(ServiceError):
    """The cluster cannot be used."""


def import_ray() -> Any:
    """Import Ray; raises RayError where it is not installed."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return import_module("ray")
    except ImportError as error:
        raise RayError("--engine = ray; Ray is not installed: pip install 'thirdcard[fleet]'") from error


@contextmanager
def joined(address: str | None, cores: int | None = None) -> Iterator[Any]:
    """Connect to Ray; an existing connection is kept.

    Args:
        address: HOST:PORT of a head node, or `auto` for the one on this machine; None starts a cluster here.
        cores: How many cores a cluster started here uses; None: all.

    Raises:
        RayError: Ray is not installed, nobody answers, or its version differs.
    """
    ray = import_ray()
    if ray.is_initialized():
        yield ray
        return
    _begin(ray, address, cores)
    try:
        yield ray
    finally:
        ray.shutdown()


def _begin(ray: Any, address: str | None, cores: int | None) -> None:
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address is None:
        options |= {"address": "local", "include_dashboard": False, "num_cpus": cores}
    else:
        _reach(address)
        options["address"] = address
    try:
        ray.init(**options)
    except (RuntimeError, ConnectionError, ValueError, OSError, ray.exceptions.RayError) as error:
        text = " ".join(str(error).split())
        why = "other versions are used there" if "ersion mismatch" in text else "cannot be used"
        raise RayError(f"--address = {address or 'this machine'}; {why}: {text}") from error


def _reach(address: str) -> None:
    """Check that something listens there: Ray itself would wait for minutes."""
    if address == AUTO:
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise RayError(f"--address = {address}; must be HOST:PORT of a Ray head node, or {AUTO}")
    try:
        socket.create_connection((host, int(port)), timeout=REACH_S).close()
    except OSError as error:
        raise RayError(f"--address = {address}; nobody answers there: {error.strerror or error}") from error


@cache
def code_digest() -> str:
    """SHA-256 over the program and its models; all nodes must have the same to give the same results."""
    root = Path(__file__).resolve().parents[2]
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted(path for path in (root / package).rglob("*") if path.suffix in _READ):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def check_code(digest: str) -> None:
    """Raise RayError where this node runs a different version of the program."""
    if code_digest() != digest:
        raise RayError(
            f"node {socket.gethostname()}: another version of Thirdcard is installed; must be the same on all"
        )
