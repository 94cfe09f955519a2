"""Evaluate the index reader: accuracy by index height, confusions, and errors at high confidence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thirdcard.models.index.index_reader_crops import CLASSES, UNCLEAR

HEIGHT_BANDS_PX = ((7, 12), (12, 17), (17, 24), (24, 36), (36, 90))


@dataclass(frozen=True, slots=True)
class IndexBook:
    """Crops kept for evaluation."""

    pictures: npt.NDArray[np.uint8]
    """(N, 64, 48, 3) RGB."""
    labels: npt.NDArray[np.int64]
    heights_px: npt.NDArray[np.float32]
    """(N,): height of the index in its scene."""


def judge(logits: npt.NDArray[np.float32], book: IndexBook) -> str:
    """Return the shares read correctly and wrongly, as one line; logits are (N, 53)."""
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    confidence, read = shares.max(axis=1), logits.argmax(axis=1)
    readable, right = book.labels != UNCLEAR, read == book.labels
    said = (read != UNCLEAR) & (confidence >= 0.5)
    bands = ", ".join(
        f"{low}-{high} px {_share(right & said, readable & (book.heights_px >= low) & (book.heights_px < high)):.4f}"
        for low, high in HEIGHT_BANDS_PX
    )
    pairs = Counter(zip(book.labels[readable & said & ~right], read[readable & said & ~right], strict=True))
    confused = ", ".join(f"{CLASSES[a]} read {CLASSES[b]} x{n}" for (a, b), n in pairs.most_common(10))
    return (
        f"right {_share(right & said, readable):.4f}; {bands}; wrong {_share(~right & said, readable):.4f}; "
        f"unclear read {_share(said, ~readable):.4f}; wrong at 0.99 "
        f"{_share(~right, said & (confidence >= 0.99)):.5f}; {confused}"
    )


def logits_of(net: Any, pictures: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """Return the logits of a torch network, (N, 53), for crops (N, 64, 48, 3)."""
    import torch

    device = next(net.parameters()).device
    parts = []
    with torch.no_grad():
        for start in range(0, len(pictures), 250):
            part = torch.from_numpy(pictures[start : start + 250]).to(device).permute(0, 3, 1, 2).float() / 255
            parts.append(net(part).float().cpu().numpy())
    return np.concatenate(parts)


def _share(what: npt.NDArray[np.bool_], among: npt.NDArray[np.bool_]) -> float:
    return float(what[among].mean()) if among.any() else float("nan")
