"""Watch films as recorders and cameras really produce them, and print which are judged wrongly.

    python -m tests.endurance.film [--only TEXT] [--fuzz N] [--kinds mp4,mkv,ts,ps] [--seed N]

Without `--fuzz` each film of the list is made and watched, and the result is compared with what is in the film. With
`--fuzz` a film of 30 s is damaged at random N times in each container. Its alert is expected only if all pictures
around it still decode. See docs/endurance.md.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np
import yaml
from numpy.typing import NDArray

from tests.endurance import film_makers as make
from tests.repository import DEMO

TOLERANCE_S, LOST_TOLERANCE_S = 1.0, 0.5
TIMEOUT_S = 300
LATE_BET, THIRD_CARD = ("late_bet.placed", 36.867), ("misdeal.third_card_not_due", 70.2)
SMALL_WH_PX = (1280, 720)
ALL_OF_IT = 79.2
AROUND_S = (7.0, 4.0)
"""The seconds before and after an alert in which all pictures must decode. They begin early, since an alert also
depends on the round's earlier cards and wagers."""
VISIBLE_LEVELS, VISIBLE_PIXELS = 40, 60
"""Pictures of 240 x 135 pixels differ visibly if `VISIBLE_PIXELS` of them differ by more than `VISIBLE_LEVELS` grey
levels."""

Alerts = tuple[tuple[str, float], ...]
Maker = Callable[[Path], Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmCase:
    """A film and the expected result of its watch."""

    name: str
    make: Maker
    """Writes the film into a folder; returns its path."""
    from_s: float = 16.0
    """The time of the recording at which the film begins, and from which its signals' times count."""
    alerts: Alerts = (LATE_BET,)
    """The expected alerts, with their times in the recording."""
    lost: tuple[tuple[float, float], ...] = ()
    """The expected spans of lost sight, in the film's time."""
    exits: tuple[int, ...] = (0,)
    arguments: tuple[str, ...] = ()
    size_wh_px: tuple[int, int] | None = None
    """The size of the film's pictures; None for that of the recording."""
    late_s: float = 0.0
    """The delay of all events relative to the recording."""


@dataclass(slots=True)
class Watched:
    """The result of a watch."""

    status: int
    alerts: list[tuple[str, float]] = field(default_factory=list)
    lost: list[tuple[float, float]] = field(default_factory=list)
    words: str = ""
    faults: list[str] = field(default_factory=list)


def prepared(folder: Path, case_from_s: float, size_wh_px: tuple[int, int] | None) -> Path:
    """Copy the recording's table into a folder, for a film of a given size; return the path of the table's file.

    The signals before `case_from_s` are left out, and the times of all others count from it.
    """
    for name in ("table.yaml", "layout.yaml", "chips.yaml", "overhead.yaml"):
        (folder / name).write_bytes((DEMO / name).read_bytes())
    if size_wh_px is not None:
        camera = yaml.safe_load((folder / "overhead.yaml").read_text(encoding="utf-8"))
        scale = size_wh_px[0] / camera["image_size"][0]
        rows = [[value * scale for value in row] for row in camera["camera_matrix"][:2]]
        for row in rows:
            row[2] += (scale - 1) / 2  # pixel centres lie at whole numbers
        camera |= {"camera_matrix": [*rows, camera["camera_matrix"][2]], "image_size": list(size_wh_px)}
        camera.pop("homography", None)
        (folder / "overhead.yaml").write_text(yaml.safe_dump(camera), encoding="utf-8")
    lines = [json.loads(line) for line in (DEMO / "signals.jsonl").read_text(encoding="utf-8").splitlines()]
    later = [{**line, "t": round(line["t"] - case_from_s, 3)} for line in lines if line["t"] >= case_from_s]
    (folder / "signals.jsonl").write_text("".join(json.dumps(line) + "\n" for line in later), encoding="utf-8")
    return folder / "table.yaml"


def watch(film: Path, table: Path, arguments: tuple[str, ...] = ()) -> Watched:
    """Run `thirdcard watch` on a film, and return the result."""
    out = table.parent / "out"
    command = [
        sys.executable,
        "-m",
        "thirdcard",
        "watch",
        str(film),
        "--table",
        str(table),
        "--out",
        str(out),
        "--plain",
    ]
    try:
        ran = subprocess.run(
            [*command, "--plain", *arguments], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return Watched(-1, faults=[f"did not end within {TIMEOUT_S} s"])
    watched = Watched(ran.returncode, words=ran.stdout + ran.stderr)
    if "Traceback" in ran.stderr:
        watched.faults.append(ran.stderr.strip().splitlines()[-1])
    since: float | None = None
    for event in _lines(out / "events.jsonl"):
        if event["type"] == "camera_lost":
            since = event["t"] if since is None else since
        elif event["type"] == "camera_back" and since is not None:
            watched.lost.append((since, event["t"]))
            since = None
    if since is not None:
        watched.lost.append((since, float("inf")))
    told = [(alert["code"], alert["t"]) for alert in _lines(out / "alerts.jsonl")]
    watched.alerts = [(code, t) for code, t in told if not code.startswith("camera.")]
    return watched


def judge(case: FilmCase, watched: Watched) -> list[str]:
    """Return the differences from the expected result."""
    found = [*watched.faults]
    if watched.status not in case.exits and not watched.faults:
        found.append(f"exit {watched.status}: {watched.words.strip().splitlines()[-1:]}")
    left = list(watched.alerts)
    for code, at_s in case.alerts:
        t = at_s - case.from_s + case.late_s
        hit = next((one for one in left if one[0] == code and abs(one[1] - t) <= TOLERANCE_S), None)
        if hit is None:
            found.append(f"missing {code} at {t:.1f} s")
        else:
            left.remove(hit)
    found += [f"not in it: {code} at {t:.1f} s" for code, t in left]
    for span in case.lost:
        if not any(max(abs(span[0] - one[0]), abs(span[1] - one[1])) <= LOST_TOLERANCE_S for one in watched.lost):
            found.append(f"no lost sight {span}; there is {watched.lost}")
    return found


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.is_file() else []


def _in(name: str, form: str | None = None, **options: str) -> Maker:
    """Return a maker of the recording's part from 16 to 46 s in a container."""
    return lambda folder: make.cut(folder / name, 16.0, 46.0, form=make.Form(form, tuple(options.items())))


def _encoded(name: str, coder: make.Coder, form: str | None = None) -> Maker:
    return lambda folder: make.encode(folder / name, make.pictures(16.0, 46.0), coder=coder, form=make.Form(form))


def _stamped(change: Callable[[int, int], int]) -> Maker:
    return lambda folder: make.restamp(_in("film.ts")(folder), change)


def _gap(from_s: float, to_s: float) -> make.Keep:
    return lambda t: not from_s <= t < to_s


def _later(from_s: float, by_s: float) -> make.Shift:
    return lambda t: by_s if t >= from_s else 0.0


def _spoilt(name: str, form: str | None, at_share: float, size: int, *, flips: int = 0) -> Maker:
    """Return a maker of a film in which bytes are zeroed or some of their bits are flipped."""

    def spoil(folder: Path) -> Path:
        path = _in(name, form)(folder)
        data, rng = bytearray(path.read_bytes()), random.Random(5)
        at = int(len(data) * at_share)
        if flips:
            for _ in range(flips):
                data[at + rng.randrange(size)] ^= 1 << rng.randrange(8)
        else:
            data[at : at + size] = bytes(size)
        path.write_bytes(data)
        return path

    return spoil


def _prefixed(folder: Path) -> Path:
    """Write a film whose first time stamp is 0 and whose other stamps begin at ten hours."""
    return make.restamp(_in("film.ts")(folder), lambda number, stamp: 0 if number == 0 else stamp + 36_000 * 90_000)


def _amid_group(folder: Path) -> Path:
    return make.cut(folder / "film.ts", 16.6, 46.0)


def _thinned(every: int, name: str = "film.mp4") -> Maker:
    return lambda folder: make.encode(folder / name, make.pictures(0.0, ALL_OF_IT, every=every))


def _half_colour(folder: Path) -> Path:
    return make.encode(folder / "film.mp4", make.without_colour(make.pictures(16.0, 46.0), 12.0))


def _upside_down(folder: Path) -> Path:
    def prepare(stream: av.VideoStream) -> None:
        stream.set_display_rotation(180)

    return make.encode(folder / "film.mp4", make.turned(make.pictures(16.0, 46.0)), prepare=prepare)


def _squeezed(folder: Path) -> Path:
    """Write a film with pixels that are wider than high, as from analogue recorders."""

    def prepare(stream: av.VideoStream) -> None:
        stream.codec_context.sample_aspect_ratio = Fraction(4, 3)

    return make.encode(folder / "film.mp4", make.pictures(16.0, 46.0), size_wh_px=(960, 720), prepare=prepare)


def film_cases() -> list[FilmCase]:
    """Return the films to watch: containers, codecs, clocks, gaps, damage and unusual pictures."""
    whole = [
        FilmCase(name=f"container {name}", make=_in(name, form))
        for name, form in (
            ("film.mp4", None), ("film.mov", None), ("film.mkv", None), ("film.ts", None), ("film.m2ts", "mpegts"),
            ("film.mpg", "vob"), ("film.flv", None), ("film.avi", None), ("film", "mp4"), ("film.dav", "mpegts"),
        )
    ]  # fmt: skip
    whole += [
        FilmCase(name="container fragmented mp4", make=_in("film.mp4", movflags="frag_keyframe+empty_moov")),
        FilmCase(name="raw h264 with --rate", make=_in("film.h264", "h264"), arguments=("--rate", "15")),
        FilmCase(name="raw h264 without suffix", make=_in("film", "h264")),
        FilmCase(name="begun amid its group", make=_amid_group, from_s=18.0),
    ]
    coded = [
        FilmCase(name=f"codec {coder.name} in {name}", make=_encoded(name, coder, form), size_wh_px=SMALL_WH_PX)
        for coder, name, form in (
            (make.Coder(options=(("bf", "3"),)), "film.mp4", None),
            (make.Coder("libx265"), "film.mp4", None),
            (make.Coder("mpeg4"), "film.avi", None),
            (make.Coder("mjpeg", pix_fmt="yuvj420p"), "film.mkv", None),
            (make.Coder("mpeg2video"), "film.mpg", "vob"),
            (make.Coder(), "film.avi", None),
        )
    ]
    return [*whole, *coded, *_clock_cases(), *_damage_cases(), *_picture_cases()]


def _clock_cases() -> list[FilmCase]:
    hour, late = 3600 * 90_000, 16.0
    return [
        FilmCase(name="one stamp far ahead", make=_stamped(lambda n, s: s + 3000 * 90_000 if n == 75 else s)),
        FilmCase(name="one stamp of 0", make=_stamped(lambda n, s: 0 if n == 75 else s)),
        FilmCase(name="five stamps far ahead", make=_stamped(lambda n, s: s + 3000 * 90_000 if 75 <= n < 80 else s)),
        FilmCase(name="first stamp of 0", make=_prefixed),
        FilmCase(name="clock set back an hour", make=_stamped(lambda n, s: s + (2 * hour if n < 130 else hour))),
        FilmCase(name="clock set forward an hour", make=_stamped(lambda n, s: s if n < 130 else s + hour)),
        FilmCase(name="clock back to 0 at 14 s", make=_stamped(lambda n, s: s if n < 210 else s - 210 * 6000)),
        FilmCase(name="clock of 33 bits wraps", make=_stamped(lambda n, s: s - 14 * 90_000)),
        FilmCase(
            name="gap in mp4",
            make=lambda folder: make.cut(folder / "film.mp4", 46.0, 78.0, keep=_gap(2.9, 8.0)),
            from_s=46.0, alerts=(THIRD_CARD,), lost=((2.93, 8.0),),
        ),
        FilmCase(
            name="gap in ts",
            make=lambda folder: make.cut(folder / "film.ts", 46.0, 78.0, keep=_gap(3.5, 7.9)),
            from_s=46.0, alerts=(THIRD_CARD,), lost=((3.5, 8.0),),
        ),
        FilmCase(
            name="gap in mkv",
            make=lambda folder: make.cut(folder / "film.mkv", late, 46.0, keep=_gap(7.1, 9.9)),
            lost=((7.13, 10.0),),
        ),
        FilmCase(name="one frame a second", make=_thinned(15), from_s=0.0, alerts=(), size_wh_px=SMALL_WH_PX),
        FilmCase(name="two frames a second", make=_thinned(7), from_s=0.0, alerts=(), size_wh_px=SMALL_WH_PX),
    ]  # fmt: skip


def _damage_cases() -> list[FilmCase]:
    damaged = (0, 1)
    return [
        FilmCase(name=f"{what} in {name}", make=_spoilt(name, form, share, size, flips=flips), exits=damaged)
        for name, form in (("film.mp4", None), ("film.mkv", None), ("film.ts", None), ("film.mpg", "vob"))
        for what, share, size, flips in (
            ("six bits turned", 0.3, 800, 6), ("16 KB zero", 0.35, 16384, 0), ("64 KB zero", 0.8, 65536, 0),
        )
    ]  # fmt: skip


def _picture_cases() -> list[FilmCase]:
    small = SMALL_WH_PX
    return [
        FilmCase(name="colour to black and white", make=_half_colour, size_wh_px=small),
        FilmCase(name="upside down with a flag", make=_upside_down, size_wh_px=small),
        FilmCase(name="wide pixels", make=_squeezed, size_wh_px=small),
    ]


def run_list(cases: list[FilmCase]) -> int:
    """Watch all films; return the number of wrong results."""
    wrong = 0
    for case in cases:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            table = prepared(folder, case.from_s, case.size_wh_px)
            found = judge(case, watch(case.make(folder), table, case.arguments))
        wrong += bool(found)
        print(f"{'WRONG' if found else 'right'}  {case.name}{': ' + '; '.join(found) if found else ''}", flush=True)
    print(f"{len(cases) - wrong} of {len(cases)} films are judged correctly")
    return wrong


CONTAINERS = {"mp4": ("film.mp4", None), "mkv": ("film.mkv", None), "ts": ("film.ts", None), "ps": ("film.mpg", "vob")}


def run_fuzz(count: int, kinds: list[str], seed: int) -> int:
    """Watch randomly damaged films; return the number of wrong results and crashes."""
    wrong = 0
    for kind in kinds:
        tally: Counter[str] = Counter()
        for number in range(count):
            found, is_asked = fuzz_once(kind, seed + number)
            tally["asked"] += is_asked
            tally["missed"] += any("missing" in one for one in found)
            tally["false"] += any("not in it" in one for one in found)
            tally["bad ends"] += any("missing" not in one and "not in it" not in one for one in found)
            if found:
                print(f"{kind} {seed + number}: {'; '.join(found)}", flush=True)
        print(f"{kind}: {count} damages, {dict(tally)}", flush=True)
        wrong += tally["missed"] + tally["false"] + tally["bad ends"]
    return wrong


def fuzz_once(kind: str, seed: int) -> tuple[list[str], bool]:
    """Damage a film at random and watch it; return the faults of the watch, and whether its alert was expected."""
    rng = random.Random(f"{kind} {seed}")
    name, form = CONTAINERS[kind]
    options = (("movflags", "faststart"),) if kind == "mp4" and rng.random() < 0.5 else ()
    with tempfile.TemporaryDirectory() as folder_name:
        folder = Path(folder_name)
        table = prepared(folder, 16.0, None)
        film = make.cut(folder / name, 16.0, 46.0, form=make.Form(form, options))
        film.write_bytes(make.damage(film.read_bytes(), rng.choice(make.DAMAGES), rng))
        is_asked = _is_shown(film, LATE_BET[1] - 16.0)
        case = FilmCase(name=kind, make=lambda _: film, exits=(0, 1, 2))
        watched = watch(film, table)
    if not is_asked:
        watched.alerts = [one for one in watched.alerts if one[0] != LATE_BET[0]]
        case = replace(case, alerts=())
    return judge(case, watched), is_asked


@cache
def _sound() -> list[NDArray[np.int16]]:
    return [_small(frame) for _, frame in make.pictures(16.0, 46.0)]


def _small(frame: av.VideoFrame) -> NDArray[np.int16]:
    return frame.reformat(240, 135, "gray").to_ndarray().astype(np.int16)


def _is_shown(film: Path, t: float) -> bool:
    """Return whether all pictures around a time decode as in the undamaged film. Thirdcard's own reader is not used."""
    wanted = {
        round(second * make.RATE_HZ)
        for second in np.arange(max(t - AROUND_S[0], 0.0), t + AROUND_S[1], 1 / make.RATE_HZ)
    }
    try:
        container = av.open(str(film))
    except (av.FFmpegError, OSError):
        return False
    with container:
        stream = container.streams.video[0]
        if not hasattr(stream.codec_context, "name"):
            return False
        zero_s: float | None = None
        t = -1 / make.RATE_HZ
        while True:
            try:
                for packet in container.demux(stream):
                    try:
                        frames = packet.decode()
                    except av.FFmpegError:
                        continue
                    for frame in frames:
                        if zero_s is None and frame.time is not None:
                            zero_s = frame.time
                        # program streams stamp some packets only
                        t = t + 1 / make.RATE_HZ if frame.time is None else frame.time - (zero_s or 0.0)
                        wanted.discard(_number_if_sound(frame, t))
                return not wanted
            except av.FFmpegError:
                return not wanted


def _number_if_sound(frame: av.VideoFrame, t: float) -> int:
    number = round(t * make.RATE_HZ)
    if not 0 <= number < len(_sound()):
        return -1
    differs = np.abs(_small(frame) - _sound()[number]) > VISIBLE_LEVELS
    return number if int(differs.sum()) < VISIBLE_PIXELS else -1


def main() -> int:
    """Watch the films; return exit status 1 if any result is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="watch only films whose names contain this")
    parser.add_argument("--fuzz", type=int, default=0, help="instead, watch so many damaged films in each container")
    parser.add_argument("--kinds", default=",".join(CONTAINERS), help="with --fuzz: the containers")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.fuzz:
        return min(run_fuzz(arguments.fuzz, arguments.kinds.split(","), arguments.seed), 1)
    return min(run_list([case for case in film_cases() if arguments.only in case.name]), 1)


if __name__ == "__main__":
    sys.exit(main())
