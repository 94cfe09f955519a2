"""Blind figures: draw recordings from an unused seed, watch them once, and record the result.

    python -m thirdcard.service.evaluate.blind clean --seed 9001 --files 6 --decks build/decks
    python -m thirdcard.service.evaluate.blind clean --seed 9001 --files 6 --decks build/decks --render-only
    python -m thirdcard.service.evaluate.blind --watch 9001
    python -m thirdcard.service.evaluate.blind --page

Rendering takes hours and does not depend on the code that watches. The second form only renders, and resumes an
interrupted draw. The third form watches the rendered recordings, with the code as it is then. The fourth form only
rewrites the tables of the pages from the ledger.

Every draw is a row of the ledger, written before anything is drawn. A recording that is watched a second time, or after
the code was changed because of it, is not blind. A draw whose watch was interrupted is spent.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import yaml

import thirdcard
from thirdcard.service.evaluate.blind_predictions import append_predictions, load_predictions, predictions_in
from thirdcard.service.evaluate.rates import ROUNDS_AN_HOUR, poisson_interval
from thirdcard.service.evaluate.reliability import PredictedPlay, Predictions, wilson
from thirdcard.service.evaluate.reliability_picture import draw_reliability
from thirdcard.service.evaluate.reliability_sheets import reliability_sheets
from thirdcard.service.evaluate.sheets import Sheet, share_of
from thirdcard.service.evaluate.tables import format_markdown, put_section
from thirdcard.service.ports.clock import now_utc
from thirdcard.service.ports.errors import ServiceError

KINDS = ("clean", "incidents", "manners", "handling", "rare", "chips", "loose", "cards")
LEDGER = Path("datasets") / "blind.yaml"
PREDICTIONS = "blind_predictions.csv"
"""Beside the ledger."""
HEADLINE_PAGE = Path("docs") / "accuracy.md"
PAGE = Path("docs") / "accuracy" / "blind.md"
PICTURE = "reliability.svg"
"""Beside the headline page."""
SECTION, RELIABILITY = "blind", "reliability"
HEADING = """# Blind draws: each seed is used once. Written by python -m thirdcard.service.evaluate.blind.
# `used`: seeds of former draws, which docs/accuracy/blind.md lists, and of recordings that something was fitted to.
"""
BEGUN, RENDERED, WATCHING, DONE = "begun", "rendered", "watching", "done"

LAST_WRITTEN = "objects.jsonl"
"""A recording's last file: if it exists, the rendering was complete."""

PYTHON = (sys.executable, "-m")

Runner = Callable[[Sequence[str]], str]
"""Runs a command and returns its standard output."""


def run_command(command: Sequence[str]) -> str:
    """Run a command and return its standard output; standard error goes to the terminal."""
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout


class BlindDrawError(ServiceError):
    """The draw is not blind, or cannot be made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindDraw:
    """One row of the ledger."""

    date: str
    what: str
    seed: int
    files: int
    code: str
    """The commit that it was watched with, or the package's version; before that, the one that drew it."""
    state: str = BEGUN
    rounds: int = 0
    true: int = 0
    found: int = 0
    false: int = 0
    rounds_exact: int = 0
    cards: int = 0
    cards_right: int = 0
    clean_table_hours: float = 0.0
    clean_false: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class BlindLedger:
    """The draws, and the spent seeds."""

    used: Mapping[int, str]
    """The reason, by seed."""
    draws: tuple[BlindDraw, ...] = ()


def load_ledger(path: Path) -> BlindLedger:
    """Load the ledger from a file; an empty one where there is none."""
    written = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return BlindLedger(
        used=written.get("used") or {}, draws=tuple(BlindDraw(**row) for row in written.get("draws") or ())
    )


def save_ledger(path: Path, ledger: BlindLedger) -> None:
    """Write the ledger, one row per line."""
    used = "".join(f"  {seed}: {why}\n" for seed, why in sorted(ledger.used.items()))
    rows = "".join(f"  - {json.dumps(asdict(draw))}\n" for draw in ledger.draws)
    parts = [HEADING, "used:" + ("\n" if used else " {}\n"), used, "draws:" + ("\n" if rows else " []\n"), rows]
    path.write_text("".join(parts), encoding="utf-8")


def begin(ledger: BlindLedger, draw: BlindDraw) -> BlindLedger:
    """The ledger with a new draw.

    Raises:
        BlindDrawError: Its seed was used before.
    """
    if draw.seed in ledger.used:
        raise BlindDrawError(f"--seed = {draw.seed}; was used before: {ledger.used[draw.seed]}")
    for old in ledger.draws:
        if old.seed == draw.seed:
            raise BlindDrawError(f"--seed = {draw.seed}; was drawn on {old.date} ({old.what}, {old.state})")
    return replace(ledger, draws=(*ledger.draws, draw))


def finish(ledger: BlindLedger, seed: int, figures: Mapping[str, Any]) -> BlindLedger:
    """The ledger with a draw's figures, from `thirdcard evaluate --json` over all its recordings.

    Raises:
        BlindDrawError: The draw was evaluated before, or never begun.
    """
    draw = _draw_of(ledger, seed, WATCHING)
    done = replace(
        draw,
        state=DONE,
        rounds=figures["rounds"]["true"],
        rounds_exact=figures["rounds"]["exact"],
        true=figures["alerts"]["true"],
        found=figures["alerts"]["found"],
        false=figures["alerts"]["false"],
        cards=figures["cards"]["shown"],
        cards_right=figures["cards"]["right"],
        clean_table_hours=round(figures["clean"]["table_hours"], 3),
        clean_false=figures["clean"]["false"],
    )
    return _with(ledger, done)


def _draw_of(ledger: BlindLedger, seed: int, state: str) -> BlindDraw:
    draw = next((each for each in ledger.draws if each.seed == seed and each.state == state), None)
    if draw is None:
        raise BlindDrawError(f"seed {seed}: no draw of it is {state}; each is watched once")
    return draw


def _with(ledger: BlindLedger, draw: BlindDraw) -> BlindLedger:
    return replace(ledger, draws=tuple(draw if each.seed == draw.seed else each for each in ledger.draws))


def blind_sheet(ledger: BlindLedger) -> Sheet:
    """The draws as a table."""
    columns = (
        "drawn", "what", "seed", "recordings", "rounds", "faults found", "false alerts", "in clean play, table-hours",
        "cards right", "rounds exact", "code",
    )  # fmt: skip
    return Sheet(title="Blind draws", columns=columns, rows=tuple(_row(each) for each in ledger.draws))


WHERE_NONE_BELONGS = "; cards laid where none belongs"
"""Names the rows of draws of the kind `loose`, which hold one kind of fault only."""


def headline_sheet(ledger: BlindLedger) -> Sheet:
    """The figures of all finished draws together, with 95 % intervals.

    Shares have Wilson's interval, false alerts per hour the exact interval of a Poisson count (Garwood). Both treat
    cards and alerts as independent; errors at one table are correlated, so the true intervals are somewhat wider.
    """
    done = [each for each in ledger.draws if each.state == DONE]
    clean = [each for each in done if each.clean_table_hours]
    false, hours = sum(each.clean_false for each in clean), sum(each.clean_table_hours for each in clean)
    low, high = poisson_interval(false)
    rows: list[tuple[str, ...]] = []
    if clean:
        rate = (
            f"{false} in {hours:.1f} table-hours: {false / hours:.2f} an hour",
            f"{low / hours:.2f} to {high / hours:.2f}",
        )
        rows.append(("False alerts, clean play", *_drawn(clean), *rate))
    for words, is_meant in (("", False), (WHERE_NONE_BELONGS, True)):
        rows += _rows_of_faults(words, [each for each in done if each.true and (each.what == "loose") is is_meant])
    for name, hits, of in (
        ("Cards read correctly", "cards_right", "cards"),
        ("Rounds exact: both hands and the outcome", "rounds_exact", "rounds"),
    ):
        right, all_of = sum(getattr(each, hits) for each in done), sum(getattr(each, of) for each in done)
        rows.append((name, *_drawn(done), share_of(right, all_of), _wilson(right, all_of)))
    columns = ("measured blind", "drawn", "recordings", "rounds", "result", "95 % interval")
    return Sheet(title="Blind results", columns=columns, rows=tuple(rows))


def _rows_of_faults(words: str, draws: Sequence[BlindDraw]) -> list[tuple[str, ...]]:
    """The shares of faults that were found, and of alerts that were right; none without draws."""
    if not draws:
        return []
    found, true = sum(each.found for each in draws), sum(each.true for each in draws)
    raised = found + sum(each.false for each in draws)
    return [
        (f"Faults found{words}", *_drawn(draws), share_of(found, true), _wilson(found, true)),
        (f"Alerts that were right{words}", *_drawn(draws), share_of(found, raised), _wilson(found, raised)),
    ]


def _drawn(draws: Sequence[BlindDraw]) -> tuple[str, str, str]:
    """The dates, the number of recordings and the number of rounds."""
    days = sorted({each.date for each in draws})
    when = "" if not days else days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    return when, f"{sum(each.files for each in draws)}", f"{sum(each.rounds for each in draws)}"


def _wilson(hits: int, trials: int) -> str:
    if not trials:
        return ""
    low, high = wilson(hits, trials)
    return f"{100 * low:.1f} to {100 * high:.1f} %"


def predicted_play(ledger: BlindLedger, kept: Mapping[int, Predictions]) -> PredictedPlay:
    """The play of all finished draws whose predictions were kept."""
    draws = [each for each in ledger.draws if each.state == DONE and each.seed in kept]
    return PredictedPlay(
        predictions=sum((kept[each.seed] for each in draws), Predictions()),
        n_true=sum(each.true for each in draws),
        clean_rounds=round(sum(each.clean_table_hours for each in draws) * ROUNDS_AN_HOUR),
        rounds=sum(each.rounds for each in draws),
    )


def reliability_text(ledger: BlindLedger, play: PredictedPlay, kept: Mapping[int, Predictions]) -> str:
    """The tables of the reliability of blind predictions as Markdown, after the draws that they rest on."""
    draws = [each for each in ledger.draws if each.state == DONE and each.seed in kept]
    if not draws:
        return "No predictions of blind draws were kept yet."
    seeds = sorted(each.seed for each in draws)
    about = (
        f"Of {sum(each.files for each in draws)} recordings in {len(draws)} blind draws, {play.rounds} rounds "
        f"(seeds between {seeds[0]} and {seeds[-1]})."
    )
    return f"{about}\n\n{format_markdown(reliability_sheets(play))}"


def write_pages(ledger: BlindLedger, kept: Mapping[int, Predictions], headline: Path, page: Path) -> str:
    """Rewrite the tables of both pages and the picture; returns the table of the draws as Markdown."""
    text, play = format_markdown([blind_sheet(ledger)]), predicted_play(ledger, kept)
    put_section(headline, SECTION, format_markdown([headline_sheet(ledger)], level=2))
    put_section(headline, RELIABILITY, reliability_text(ledger, play, kept))
    headline.with_name(PICTURE).write_text(draw_reliability(play), encoding="utf-8")
    put_section(page, SECTION, text)
    return text


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Where a draw is rendered and watched, and how."""

    folder: Path
    """Of the draw's scripts, recordings and results."""
    decks: Path | None = None
    """Rasterised card artwork; without it decks are drawn by the renderer."""
    jobs: int = 1
    """Recordings that are rendered, and watched, at a time."""
    run: Runner = run_command

    def run_all(self, commands: Sequence[Sequence[str]]) -> None:
        """Run commands, so many at a time; the first that fails ends the draw when the running ones are done."""
        with ThreadPoolExecutor(self.jobs) as pool:
            for _ in pool.map(self.run, commands):
                pass


def draw_blind(draw: BlindDraw, ledger_path: Path, shop: Workshop) -> BlindLedger:
    """Reserve the seed, draw scripts, render, watch and evaluate them once, and record the figures.

    Raises:
        BlindDrawError: The seed was used before, or nothing could be drawn.
    """
    render_blind(draw, ledger_path, shop)
    return watch_blind(draw.seed, ledger_path, shop, draw.code)


def render_blind(draw: BlindDraw, ledger_path: Path, shop: Workshop) -> BlindLedger:
    """Reserve the seed, draw scripts and render them; an interrupted rendering is resumed.

    Raises:
        BlindDrawError: The seed was used before, or nothing could be drawn.
    """
    ledger, scripts, recordings = load_ledger(ledger_path), shop.folder / "scripts", shop.folder / "recordings"
    begun = next((each for each in ledger.draws if each.seed == draw.seed), None)
    if begun is None or (begun.state, begun.what, begun.files) != (BEGUN, draw.what, draw.files):
        ledger = begin(ledger, draw)
        save_ledger(ledger_path, ledger)
        drawn = ["thirdcard.datasets.script.draw_scripts", draw.what, "--seed", str(draw.seed), "--out", str(scripts)]
        shop.run([*PYTHON, *drawn, "--files", str(draw.files)])
    paths = sorted(scripts.glob("*.yaml"))
    if not paths:
        raise BlindDrawError(f"seed {draw.seed}: nothing was drawn into {scripts}")
    missing = [path for path in paths if not (recordings / path.stem / LAST_WRITTEN).is_file()]
    art = [] if shop.decks is None else ["--decks", str(shop.decks)]
    options = ["--out", str(recordings), "--processes", str(max(1, (os.cpu_count() or 1) // shop.jobs)), *art]
    shop.run_all([[*PYTHON, "thirdcard", "render", str(path), *options] for path in missing])
    ledger = _with(ledger, replace(_draw_of(ledger, draw.seed, BEGUN), state=RENDERED))
    save_ledger(ledger_path, ledger)
    return ledger


def watch_blind(seed: int, ledger_path: Path, shop: Workshop, code: str) -> BlindLedger:
    """Watch and evaluate a rendered draw once, and record the figures.

    Raises:
        BlindDrawError: Nothing was rendered of it, or it was watched before.
    """
    ledger = load_ledger(ledger_path)
    draw = replace(_draw_of(ledger, seed, RENDERED), state=WATCHING, code=code)
    ledger = _with(ledger, draw)
    save_ledger(ledger_path, ledger)
    scripts = sorted((shop.folder / "scripts").glob("*.yaml"))
    recordings = [str(shop.folder / "recordings" / path.stem) for path in scripts]
    options = ["--out", str(shop.folder / "watched"), "--json"]
    evaluate = [*PYTHON, "thirdcard", "evaluate"]
    shop.run_all([[*evaluate, recording, *options] for recording in recordings])
    figures = shop.run([*evaluate, *recordings, *options, "--reuse"])
    (shop.folder / "figures.json").write_text(figures, encoding="utf-8")
    *each, whole = json.loads(figures)
    append_predictions(ledger_path.with_name(PREDICTIONS), seed, predictions_in(each))
    ledger = finish(ledger, seed, whole)
    save_ledger(ledger_path, ledger)
    return ledger


def code_version(run: Runner) -> str:
    """The commit, with a mark where files differ from it; outside a checkout the package's version."""
    try:
        commit = run(["git", "rev-parse", "--short=12", "HEAD"]).strip()
        changed = run(["git", "status", "--porcelain", "--untracked-files=no"]).strip()
    except (OSError, subprocess.CalledProcessError):
        return f"version {thirdcard.__version__}"
    return f"{commit} and changes" if changed else commit


def _row(draw: BlindDraw) -> tuple[str, ...]:
    head = (draw.date, draw.what, f"{draw.seed}", f"{draw.files}")
    if draw.state != DONE:
        return (*head, "", "broke off", "", "", "", "", draw.code)
    clean = f"{draw.clean_false} in {draw.clean_table_hours:.2f}" if draw.clean_table_hours else ""
    return (
        *head,
        f"{draw.rounds}",
        share_of(draw.found, draw.true),
        f"{draw.false}",
        clean,
        share_of(draw.cards_right, draw.cards),
        share_of(draw.rounds_exact, draw.rounds),
        draw.code,
    )


def main() -> None:
    """The command line."""
    given = _parser().parse_args()
    if given.page:
        print(_write_pages(load_ledger(given.ledger), given), end="")
        return
    day, code = now_utc().date().isoformat(), code_version(run_command)
    seed = given.seed if given.watch is None else given.watch
    known = next((each for each in load_ledger(given.ledger).draws if each.seed == seed), None)
    what = given.what if given.watch is None else (known.what if known else "")
    draw = BlindDraw(date=day, what=what, seed=seed, files=given.files, code=code)
    shop = Workshop(folder=given.out / f"{what}-{seed}", decks=given.decks, jobs=max(1, given.jobs))
    try:
        if given.watch is not None:
            ledger = watch_blind(seed, given.ledger, shop, code)
        elif given.render_only:
            ledger = render_blind(draw, given.ledger, shop)
        else:
            ledger = draw_blind(draw, given.ledger, shop)
    except BlindDrawError as error:
        raise SystemExit(str(error)) from error
    print(_write_pages(ledger, given), end="")


def _write_pages(ledger: BlindLedger, given: argparse.Namespace) -> str:
    kept = load_predictions(given.ledger.with_name(PREDICTIONS))
    return write_pages(ledger, kept, given.headline, given.markdown)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=KINDS, default="clean", help="what is drawn")
    seed = parser.add_mutually_exclusive_group(required=True)
    seed.add_argument("--seed", type=int, help="that nothing has used")
    seed.add_argument("--watch", type=int, metavar="SEED", help="watch what was rendered of that draw")
    seed.add_argument("--page", action="store_true", help="only write the tables of the pages anew")
    parser.add_argument("--files", type=int, default=6, help="how many recordings")
    parser.add_argument("--decks", type=Path, help="folder of rasterised card artwork")
    parser.add_argument("--jobs", type=int, default=1, help="recordings rendered, and watched, at a time")
    parser.add_argument("--render-only", action="store_true", help="leave the watching to --watch")
    parser.add_argument("--out", type=Path, default=Path("out") / "blind", help="folder for the recordings")
    parser.add_argument("--ledger", type=Path, default=LEDGER, help="the file of all draws")
    parser.add_argument("--markdown", type=Path, default=PAGE, help="the page with the table of all draws")
    parser.add_argument(
        "--headline",
        type=Path,
        default=HEADLINE_PAGE,
        help="the page with the figures of all together, and how reliable they are",
    )
    return parser


if __name__ == "__main__":
    main()
