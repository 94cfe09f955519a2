"""The number format of a training. Needs torch, which the running service never does."""

from __future__ import annotations

import torch

BFLOAT16_UNITS = ("amx_bf16", "arm_bf16")
"""PyTorch's names of CPU units that speed bfloat16 up; with AVX-512's a small network takes 1.4 times as long as
with float32."""


def computes_bfloat16(device: str) -> bool:
    """Whether a device computes bfloat16 natively; other CPUs take three times as long for it as for float32."""
    if torch.device(device).type != "cpu":
        return True
    has = torch.cpu.get_capabilities()
    return any(bool(has.get(unit)) for unit in BFLOAT16_UNITS)


def mixed_precision(device: str) -> torch.autocast:
    """Return a context in which networks compute with bfloat16 if that is faster, otherwise with float32."""
    return torch.autocast(torch.device(device).type, torch.bfloat16, enabled=computes_bfloat16(device))
