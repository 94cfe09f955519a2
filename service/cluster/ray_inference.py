"""Run the detector and the reader for all watches of a cluster in batches on a GPU.

There is one server actor for each GPU. Without sharing, each watch runs its own models on its own core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thirdcard.service.cluster.ray_cluster import import_ray
from thirdcard.service.ports.errors import ServiceError
from thirdcard.service.watch.factory import open_eyes
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.batching import BatchingSession
from thirdcard.vision.inference.model_spec import ModelSpec, load_model_spec
from thirdcard.vision.inference.session import ModelSession, Provider
from thirdcard.vision.observer import Eyes

VARIABLE = "THIRDCARD_INFERENCE"
PROVIDERS = {"own": None, "cpu": Provider.CPU, "cuda": Provider.CUDA}
SHARED = ("detector", "reader")
ASKERS = 256
"""The most watches that may wait for one server."""


class InferenceError(ServiceError):
    """The setting is not allowed."""


def wanted_provider(environment: Mapping[str, str]) -> Provider | None:
    """The provider for shared models; None: models are not shared.

    Raises:
        InferenceError: The environment variable has another value.
    """
    name = environment.get(VARIABLE) or "own"
    if name not in PROVIDERS:
        raise InferenceError(f"{VARIABLE} = {name}; must be one of {', '.join(PROVIDERS)}")
    return PROVIDERS[name]


class InferenceServer:
    """The loaded models of one server; each call waits in its own thread."""

    def __init__(self, provider: Provider) -> None:
        self._sessions = {
            name: BatchingSession(ModelSession.open(load_model_spec(name), provider=provider)) for name in SHARED
        }
        for session in self._sessions.values():
            session.__enter__()

    def run(self, name: str, pictures: NDArray[np.uint8]) -> NDArray[np.float32]:
        """A model's output for pictures (N, height, width, 3) uint8, BGR."""
        return self._sessions[name].run(list(pictures))


@dataclass(frozen=True, slots=True)
class ServedSession:
    """A model that runs on a server."""

    spec: ModelSpec
    server: Any
    takes_batches: bool = True

    def run(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """The model's output, as `ModelSession.run`."""
        if not images:
            return np.empty((0, *(side or 0 for side in self.spec.output.shape[1:])), np.float32)
        output: NDArray[np.float32] = import_ray().get(self.server.run.remote(self.spec.name, np.stack(images)))
        return output


def start_servers(ray: Any, provider: Provider | None) -> tuple[Any, ...]:
    """Start a server for each GPU of the cluster, or one on the CPU; none where models are not shared."""
    if provider is None:
        return ()
    gpus = int(ray.cluster_resources().get("GPU", 0)) if provider is Provider.CUDA else 0
    options = {"num_cpus": 0, "max_concurrency": ASKERS, "max_restarts": -1, "max_task_retries": -1}
    server = ray.remote(InferenceServer).options(num_gpus=1 if gpus else 0, **options)
    return tuple(server.remote(provider) for _ in range(max(gpus, 1)))


def served_eyes(server: Any) -> Eyes:
    """Models for a watch: detector and reader run on the server, small ones here."""
    sessions = {name: ServedSession(load_model_spec(name), server) for name in SHARED}
    return open_eyes(detector=sessions["detector"], reader=sessions["reader"])
