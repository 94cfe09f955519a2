"""A training that begins with the shipped weights begins with what they can do."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
import torch

from thirdcard.models.onnx_file import compare, fold
from thirdcard.models.reader.reader_export import averaged, load_export
from thirdcard.models.reader.reader_net import ReaderNet
from thirdcard.models.stacks import change_export
from thirdcard.models.stacks.change_net import ComparerNet, Ensemble
from thirdcard.models.warm_start import WarmStartError, parts_of, start_from_onnx
from thirdcard.vision.inference.model_spec import load_model_spec

SHAPE = change_export.TENSORS[0].shape


def test_a_net_begun_with_the_shipped_reader_reads_as_it_does() -> None:
    path = load_model_spec("reader").weights
    crops = np.random.default_rng(0).random((48, 3, 112, 80), np.float32)
    net = ReaderNet()

    start_from_onnx(net, path, torch.from_numpy(crops))

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    wanted = session.run(None, {"crops": crops})[0]
    for mode in (net.train(), net.eval()):
        np.testing.assert_allclose(mode(torch.from_numpy(crops)).detach().numpy(), wanted, atol=1e-3)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_mean_of_a_reader_and_its_own_export_reads_as_it_does(share: float) -> None:
    path, crops = load_model_spec("reader").weights, torch.rand(8, 3, 112, 80)

    both = averaged(load_export(path), load_export(path), share)

    with torch.no_grad():
        np.testing.assert_allclose(both(crops).numpy(), load_export(path)(crops).numpy(), atol=1e-3)


def test_mean_of_two_readers_counts_each_by_its_share() -> None:
    one, other = ReaderNet().eval(), ReaderNet().eval()
    bias, wanted = one.head.bias.clone(), other.head.bias.clone()

    mean = averaged(one, other, 0.25)

    fold(other)
    torch.testing.assert_close(mean.head.bias, 0.75 * bias + 0.25 * wanted)


def test_nets_begun_with_the_shipped_comparer_tell_as_it_does() -> None:
    path, pairs = load_model_spec("comparer").weights, torch.rand(8, 9, 112, 64)
    parts = parts_of(path)
    both, apart = Ensemble([ComparerNet() for _ in parts]), [ComparerNet() for _ in parts]

    start_from_onnx(both, path, pairs)
    for part, net in zip(parts, apart, strict=True):
        start_from_onnx(net, path, pairs, part=part)

    assert compare(both.eval(), path, SHAPE) < 1e-2
    assert compare(Ensemble([net.eval() for net in apart]), path, SHAPE) < 1e-2


def test_weights_of_another_net_are_refused() -> None:
    path = load_model_spec("detector").weights

    with pytest.raises(WarmStartError, match=r"body\.0\.0\.weight: absent"):
        start_from_onnx(ReaderNet(), path, torch.zeros(1, 3, 112, 80))


def test_export_of_several_nets_is_taken_apart() -> None:
    path = load_model_spec("comparer").weights
    networks = change_export.load_export(path)

    assert len(networks) == len(parts_of(path)) > 1
    assert compare(Ensemble(networks).eval(), path, SHAPE) < 1e-2
    assert compare(networks[0], path, SHAPE) > 1e-1
