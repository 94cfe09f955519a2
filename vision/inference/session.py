"""Open a model with ONNX Runtime and run it, on the CPU with one thread by default, or on a GPU if there is one.

The file's inputs and outputs are compared with their declaration on opening. Knows nothing of what a model is for.
ONNX Runtime is imported by the functions that open a model: its import starts a thread, and a process with threads of
others cannot be forked safely.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from thirdcard.vision.errors import ModelError
from thirdcard.vision.frames import Image
from thirdcard.vision.inference.model_spec import ModelSpec, TensorSpec

if TYPE_CHECKING:
    import onnxruntime as ort

logger = logging.getLogger(__name__)


class Provider(StrEnum):
    """Where a model runs."""

    CPU = "CPUExecutionProvider"
    CUDA = "CUDAExecutionProvider"
    """Needs `onnxruntime-gpu` in place of `onnxruntime`."""


class ModelSession:
    """An open model."""

    def __init__(self, spec: ModelSpec, session: ort.InferenceSession) -> None:
        self.spec = spec
        self._session = session

    @classmethod
    def open(cls, spec: ModelSpec, *, threads: int = 1, provider: Provider = Provider.CPU) -> ModelSession:
        """Open a model's file; falls back to the CPU if the requested provider is not available.

        Raises:
            ModelError: The file is missing, altered or of another shape.
        """
        import onnxruntime as ort

        spec.check_weights()
        options = ort.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            session = ort.InferenceSession(str(spec.weights), options, providers=_there(provider))
        except Exception as error:  # onnxruntime raises classes that it does not export
            raise ModelError(f"{spec.weights.name}: cannot be opened: {' '.join(str(error).split())}") from error
        _check_tensors(spec, session.get_inputs(), spec.input)
        _check_tensors(spec, session.get_outputs(), spec.output)
        return cls(spec, session)

    @property
    def takes_batches(self) -> bool:
        """Whether many pictures at once cost less than one by one: true on a GPU."""
        return bool(self._session.get_providers()[0] == Provider.CUDA)

    def run(self, images: Sequence[Image]) -> NDArray[np.float32]:
        """Run the model on pictures of its input's size.

        Args:
            images: (height, width, 3) uint8 each, BGR, or with more channels where the model compares several; all of
                one size
                that the model takes (`ModelSpec.check_picture`).

        Returns:
            The model's output, (len(images), ...) float32.

        Raises:
            ModelError: A picture has another size.
        """
        output = self._session.run([self.spec.output.name], {self.spec.input.name: self._blob(images)})[0]
        result: NDArray[np.float32] = np.asarray(output, dtype=np.float32)
        return result

    def _blob(self, images: Sequence[Image]) -> NDArray[np.float32]:
        height, width = images[0].shape[:2] if images else self.spec.input_hw_px
        blob = np.empty((len(images), self.spec.channels, height, width), np.float32)
        for target, image in zip(blob, images, strict=True):
            self.spec.check_picture(image.shape)
            planes = cv2.split(image)
            for channel, target_plane in enumerate(target):
                plane = planes[channel + 2 - 2 * (channel % 3)]
                np.multiply(plane, np.float32(1 / 255), out=target_plane, dtype=np.float32)
        return blob


def _there(provider: Provider) -> list[str]:
    """Return the provider, with the CPU as a fallback; the CPU alone where the provider is not available."""
    import onnxruntime as ort

    if provider is not Provider.CPU and provider not in ort.get_available_providers():
        logger.warning("%s is not there: models run on the CPU; it needs onnxruntime-gpu and a driver", provider)
        provider = Provider.CPU
    return list(dict.fromkeys([str(provider), str(Provider.CPU)]))


def _check_tensors(spec: ModelSpec, found: Sequence[ort.NodeArg], declared: TensorSpec) -> None:
    if len(found) != 1 or found[0].name != declared.name:
        names = [node.name for node in found]
        raise ModelError(f"{spec.weights.name}: tensors = {names}; registry.yaml says {declared.name}")
    shape = found[0].shape
    sizes_differ = any(
        isinstance(side, int) and side != want for side, want in zip(shape, declared.shape, strict=False)
    )
    if len(shape) != len(declared.shape) or sizes_differ:
        raise ModelError(f"{spec.weights.name}: {declared.name}.shape = {shape}; registry.yaml says {declared.shape}")
