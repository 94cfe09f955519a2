"""Try what is installed: import every module of Thirdcard, then watch the recording that comes with it.

Run as a file by the Python to try, from anywhere; it needs nothing but the installed package. Leaves with status 1
where a module cannot be imported or the watch finds anything but the demo's three faults.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import thirdcard

EXTRAS = {"fsspec", "onnx", "onnxslim", "ray", "torch", "torchvision", "ultralytics"}
"""What only training or a fleet needs: a module that lacks these is not counted as broken."""
SAME = ("round", "code", "seat", "hand")


def modules(package: str = thirdcard.__name__) -> Iterator[str]:
    """The names of all modules of the package."""
    for found in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        if not found.name.endswith(".__main__"):
            yield found.name
        if found.ispkg:
            yield from modules(found.name)


def import_all() -> list[str]:
    """What cannot be imported, a line each."""
    broken, count, left = [], 0, 0
    for name in modules():
        try:
            importlib.import_module(name)
            count += 1
        except ModuleNotFoundError as error:
            if error.name not in EXTRAS:
                broken.append(f"{name}: {error}")
            left += 1
        except Exception as error:  # whatever a library of another version raises
            broken.append(f"{name}: {type(error).__name__}: {error}")
    print(f"{count} modules imported, {left} left out that need an extra")
    return broken


def watch_demo() -> list[str]:
    """What the watch of the demo should have found and did not, or the other way round."""
    demo = Path(thirdcard.__file__).parent / "datasets" / "demo"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "demo"
        command = [sys.executable, "-m", "thirdcard", "watch", str(demo), "--out", str(out), "--quiet"]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode:
            return [f"thirdcard watch: status {result.returncode}: {result.stderr.strip()}"]
        found, true = alerts(out / "alerts.jsonl"), alerts(demo / "alerts.jsonl")
        print(
            f"demo watched: {len(found)} alerts, {len(true)} true; report {(out / 'report.html').stat().st_size} bytes"
        )
    return [f"demo: not as in truth: {alert}" for alert in sorted(found ^ true, key=str)]


def alerts(path: Path) -> set[tuple[object, ...]]:
    """What each alert says happened."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {tuple(line[key] for key in SAME) for line in lines}


if __name__ == "__main__":
    faults = import_all() + watch_demo()
    sys.exit("\n".join(faults) or None)
