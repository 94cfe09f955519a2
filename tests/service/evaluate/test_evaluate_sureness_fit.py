"""Weights brought to how often they were right, lines to what they allege, on made findings and a small recording."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import yaml

from tests.service.cli.commands.test_evaluate import LATE, a_round, write_alerts, write_log
from tests.service.watch_fakes import write_table, write_video
from thirdcard.service.config.table_file import load_table
from thirdcard.service.evaluate.accounts import load_truth
from thirdcard.service.evaluate.fit_sureness import (
    FitRun,
    SurenessFitError,
    draw_fit,
    find_runs,
    findings_of,
    fit,
    format_fit,
    weighed,
)
from thirdcard.service.evaluate.reliability import Prediction
from thirdcard.service.evaluate.sureness_fit import (
    Curve,
    WeighedFinding,
    calibrated,
    calibrated_by_others,
    fit_curve,
    fit_families,
    fit_tail,
    line_rates,
    logit,
)
from thirdcard.service.interpretation.alert_policy import Sureness


def said(weight: float, is_true: bool, *, recording: str = "one", is_clean: bool = False) -> Prediction:
    return Prediction(confidence=weight, is_true=is_true, recording=recording, is_clean=is_clean)


def drawn(slope: float, offset: float, n: int = 4000) -> list[Prediction]:
    """Findings of all weights, right as often as a curve says."""
    dice = np.random.default_rng(3)
    weights = 1.0 / (1.0 + np.exp(-dice.normal(0.0, 3.0, n)))
    curve = Curve(slope=slope, offset=offset)
    return [
        said(float(one), bool(dice.random() < curve.confidence(float(one))), recording=str(i))
        for i, one in enumerate(weights)
    ]


def many(weight: float, is_true: bool, count: int, *, of: str = "") -> list[Prediction]:
    """Alike, each of a recording of its own."""
    return [said(weight, is_true, recording=f"{of}{is_true}{i}") for i in range(count)]


@pytest.mark.parametrize(("slope", "offset"), [(1.0, 0.0), (0.5, 1.0), (1.5, -0.7)])
def test_fit_finds_the_curve_that_findings_were_drawn_by(slope: float, offset: float) -> None:
    found = fit_curve(drawn(slope, offset))
    assert [found.slope, found.offset] == pytest.approx([slope, offset], abs=0.15)


def test_few_findings_leave_weights_nearly_as_they_are() -> None:
    one = fit_curve([said(0.9, False)])
    assert (one.findings, one.true) == (1, 0)
    assert 0.7 < one.confidence(0.9) < 0.9
    assert fit_curve([]).confidence(0.9) == pytest.approx(0.9)


def test_what_weighs_more_is_never_less_sure() -> None:
    turned = many(0.99, False, 200) + many(0.01, True, 200)
    curve = fit_curve(turned)
    assert curve.confidence(0.99) > curve.confidence(0.01)


def test_certain_and_separable_findings_are_fitted_without_running_away() -> None:
    curve = fit_curve(many(1.0, True, 30) + many(0.0, False, 30))
    assert 1.0 <= curve.slope < 3.0


def test_certain_findings_that_were_false_make_certain_ones_less_sure() -> None:
    curve = fit_curve(many(1.0, True, 4) + many(1.0, False, 3))
    assert 0.5 < curve.confidence(1.0) < 0.9


def test_families_are_fitted_apart() -> None:
    findings = [WeighedFinding(code="misdeal.order", prediction=one) for one in many(0.9, True, 20)]
    findings += [WeighedFinding(code="late_bet.placed", prediction=one) for one in many(0.9, False, 20)]
    curves = fit_families(findings)
    assert curves["misdeal"].confidence(0.9) > 0.9 > 0.5 > curves["late_bet"].confidence(0.9)
    assert [one.confidence for one in calibrated(findings[:1], {})] == [pytest.approx(0.9)]


def test_mistakes_of_one_recording_count_as_one() -> None:
    together, apart = [said(0.9, False)] * 20, many(0.9, False, 20)
    assert fit_curve(together).confidence(0.9) == pytest.approx(fit_curve(together[:1]).confidence(0.9), abs=1e-6)
    assert fit_curve(apart).confidence(0.9) < 0.3 < fit_curve(together).confidence(0.9)


def test_each_recording_is_judged_by_a_fit_to_the_others() -> None:
    predictions = [*many(0.9, True, 2), *many(0.9, False, 1)]
    findings = [WeighedFinding(code="misdeal.order", prediction=one) for one in predictions]
    by_name = {each.recording: each.confidence for each in calibrated_by_others(findings)}
    assert by_name["True0"] == pytest.approx(by_name["True1"])
    assert by_name["True0"] < 0.9 < by_name["False0"]


def test_tail_begins_where_clean_play_brought_none_and_falls_as_false_findings_do() -> None:
    claims = [said(0.1, False, is_clean=True)] * 10 + [said(0.5, False, is_clean=True)] * 3 + [said(0.8, False)] * 3
    tail = fit_tail(claims, 10.0)
    assert [tail.from_line, tail.rate, tail.n] == [0.55, pytest.approx(0.2303, abs=1e-4), 3]
    assert tail.scale == pytest.approx((3 * (logit(0.8) - logit(0.55)) + 1.0) / 4.0)
    assert tail.at(0.55) == pytest.approx(tail.rate)
    assert tail.at(0.9) < tail.at(0.7)


def test_rates_are_counted_where_they_can_be_and_never_rise() -> None:
    claims = [said(0.1, False, is_clean=True)] * 10 + [said(0.95, True)] * 3 + [said(0.6, True)]
    rates = line_rates(claims, fit_tail(claims, 10.0), 10.0)
    assert (rates[0].counted, rates[0].is_tail) == (10, False)
    assert rates[0].rate == pytest.approx(1.5407, abs=1e-4)
    assert rates[2].is_tail
    assert [each.rate for each in rates] == sorted((each.rate for each in rates), reverse=True)
    assert {each.line: each.found for each in rates}[0.9] == 0.75


def a_run(name: str, *predictions: Prediction, is_clean: bool = False) -> FitRun:
    findings = tuple(WeighedFinding(code="misdeal.order", prediction=one) for one in predictions)
    return FitRun(name=name, rounds=40, is_clean=is_clean, findings=findings, digests=(name,))


def test_what_is_written_is_what_the_policy_reads() -> None:
    runs = [a_run("a", said(0.9, True)), a_run("b", said(0.2, False, recording="two", is_clean=True), is_clean=True)]
    fitted = fit(runs)
    written = yaml.safe_load(format_fit(runs, fitted, "2026-01-02"))
    assert (written["fitted"]["recordings"], written["fitted"]["clean_table_hours"]) == (2, 1.0)
    rows = tuple((row["line"], row["rate"]) for row in written["false_per_hour"])
    sureness = Sureness({code: (one["slope"], one["offset"]) for code, one in written["families"].items()}, rows)
    assert sureness.line_for(1e9) == 0.05
    assert written["families"]["misdeal"]["slope"] == pytest.approx(fitted.curves["misdeal"].slope, abs=1e-4)


def test_hash_tells_of_every_file_whatever_their_order() -> None:
    runs = [a_run("a"), a_run("b", is_clean=True)]
    hashes = [
        yaml.safe_load(format_fit(some, fit(some), "2026-01-02"))["fitted"]["sha256"] for some in (runs, runs[::-1])
    ]
    assert hashes[0] == hashes[1]
    assert hashes[0] != yaml.safe_load(format_fit(runs[1:], fit(runs[1:]), "2026-01-02"))["fitted"]["sha256"]


def test_without_clean_play_nothing_is_fitted() -> None:
    with pytest.raises(SurenessFitError, match="no recording is of clean play"):
        fit([a_run("a", said(0.9, True))])


def test_folder_without_a_finished_watch_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SurenessFitError, match=r"no finished watch.*report\.html"):
        list(find_runs(tmp_path, tmp_path))


def test_drawing_names_its_axes() -> None:
    runs = [a_run("a", said(0.9, True)), a_run("b", is_clean=True)]
    drawn_svg = ElementTree.fromstring(draw_fit(runs, fit(runs)))
    words = {text.text for text in drawn_svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"How often they were right", "False alerts in a table-hour"} <= words


@pytest.fixture
def shift(tmp_path: Path) -> Path:
    recording, left = tmp_path / "recordings" / "day" / "shift", tmp_path / "runs" / "day" / "shift"
    for folder in (recording, left):
        folder.mkdir(parents=True)
    write_table(recording)
    write_video(recording / "video.mp4")
    write_log(recording / "truth.jsonl", a_round())
    write_alerts(recording / "alerts.jsonl", LATE)
    write_log(left / "events.jsonl", a_round())
    (left / "report.html").write_text("", encoding="utf-8")
    return tmp_path


def test_runs_are_found_at_the_places_of_their_recordings(shift: Path) -> None:
    (run,) = find_runs(shift / "recordings", shift / "runs")
    assert (run.name, run.rounds, run.is_clean) == ("day/shift", 1, False)
    assert len(run.digests) == 4


def test_log_is_judged_again_with_all_that_is_found(shift: Path) -> None:
    recording = shift / "recordings" / "day" / "shift"
    table = load_table(recording / "table.yaml")
    alerts = weighed(a_round(), table)
    truth = load_truth(recording, table)
    assert len(findings_of("shift", truth, alerts)) == len(alerts)
