"""Reviews on a Ray cluster: the same bytes, whatever is lost on the way; what cannot be joined is one line."""

from __future__ import annotations

import dataclasses
import json
import socket
import sys

import pytest

from tests.repository import DEMO
from tests.service.review.ray_floor import RayFloor
from thirdcard.service.cluster.ray_cluster import RayError, check_code, joined
from thirdcard.service.cluster.ray_inference import InferenceError, wanted_provider
from thirdcard.service.review.engine import JobKey, Jobs, watch_or_tell
from thirdcard.service.review.local_engine import LocalEngine
from thirdcard.service.review.ray_engine import RayEngine
from thirdcard.service.review.segment_watch import SegmentJob, SegmentResult
from thirdcard.service.review.segments import FilmSource, Segment
from thirdcard.vision.inference.session import Provider

pytest.importorskip("ray", reason="needs the extra `fleet`")

LASTS_S = 7.0


def jobs_of(count: int) -> Jobs:
    """Short segments of the shipped recording."""
    heard = tuple(json.loads(line) for line in (DEMO / "signals.jsonl").read_text().splitlines())
    return [
        (JobKey(0, n), SegmentJob(table=DEMO / "table.yaml", segment=_segment(n), signals=heard)) for n in range(count)
    ]


def _segment(n: int) -> Segment:
    from_s, to_s = n * LASTS_S, (n + 1) * LASTS_S
    source = FilmSource(path=str(DEMO / "video.mp4"), from_s=from_s, to_s=to_s, at_t=from_s)
    return Segment(
        number=n, core_from_t=from_s, core_to_t=to_s, sources=(source,), is_after_gap=n == 0, is_before_gap=True
    )


def written(results: dict[JobKey, SegmentResult]) -> bytes:
    """As a review keeps them."""
    return json.dumps(
        [dataclasses.asdict(results[key]) for key in sorted(results, key=lambda key: key.number)]
    ).encode()


def nobody(_key: JobKey, _t: float) -> None:
    """Does not want to know."""


def test_results_are_those_of_the_local_engine_though_a_worker_and_a_node_are_lost() -> None:
    jobs = jobs_of(3)
    lost: list[str] = []
    with RayFloor() as floor:

        def lose(_key: JobKey, _t: float) -> None:
            if not lost and floor.kill_worker("ray::_watch") is not None:
                lost.append("worker")

        found: list[tuple[JobKey, SegmentResult]] = []
        for pair in RayEngine(floor.address).watch(jobs, lose):
            found.append(pair)
            if lost == ["worker"]:
                floor.lose_node()
                lost.append("node")
    assert lost == ["worker", "node"]
    assert len(found) == len(jobs)
    assert written(dict(found)) == written(dict(LocalEngine(2).watch(jobs, nobody)))


def test_results_are_those_of_the_local_engine_where_tasks_share_their_models() -> None:
    jobs = jobs_of(2)[1:]
    alone = {key: watch_or_tell(job, lambda _t: None) for key, job in jobs}
    assert written(dict(RayEngine(processes=1, provider=Provider.CPU).watch(jobs, nobody))) == written(alone)


def test_unknown_provider_is_refused_with_those_there_are() -> None:
    with pytest.raises(InferenceError, match="THIRDCARD_INFERENCE = tpu; must be one of own, cpu, cuda"):
        wanted_provider({"THIRDCARD_INFERENCE": "tpu"})
    assert wanted_provider({}) is None


def test_address_at_which_nobody_answers_is_one_line() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{bound.getsockname()[1]}"
        with pytest.raises(RayError, match=f"--address = {address}; nobody answers there: [^\n]+$"), joined(address):
            pass


def test_address_without_port_is_refused() -> None:
    with (
        pytest.raises(RayError, match="--address = head; must be HOST:PORT of a Ray head node, or auto"),
        joined("head"),
    ):
        pass


def test_missing_ray_is_told_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(RayError, match=r"pip install 'thirdcard\[fleet\]'"), joined(None):
        pass


def test_node_with_another_program_is_refused() -> None:
    with pytest.raises(RayError, match="another version of Thirdcard is installed; must be the same on all"):
        check_code("another")
