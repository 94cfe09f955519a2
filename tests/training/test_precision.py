"""Trainings compute with bfloat16 where that is faster, and only there."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
import torch

from thirdcard.models.precision import mixed_precision


@pytest.mark.parametrize(
    ("has", "kind"),
    [
        ({"avx512_f": True, "avx512_bf16": False, "amx_bf16": False}, "float32"),
        ({"avx512_f": True, "avx512_bf16": True}, "float32"),
        ({"amx_bf16": True}, "bfloat16"),
        ({"architecture": "aarch64"}, "float32"),
    ],
)
def test_a_cpu_is_given_the_numbers_that_it_computes(
    has: Mapping[str, bool], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: has)
    net = torch.nn.Linear(4, 2)
    with mixed_precision("cpu"):
        assert net(torch.zeros(1, 4)).dtype == getattr(torch, kind)
