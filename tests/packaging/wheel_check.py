"""Build the sdist and the wheel, check their contents, and try the wheel in a fresh venv with Hugging Face's
`datasets`.

`python -m tests.packaging.wheel_check`, or `make package-check`. All results stay in build/package-check.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from hashlib import sha256
from pathlib import Path

from tests.house.source_tree import NAME, PACKAGES
from tests.repository import ROOT

WORK = ROOT / "build" / "package-check"
BESIDE = (
    "tests/conftest.py",
    "docs/operations/install.md",
    "docs/report.png",
    "Makefile",
    ".ci/run",
    "requirements.lock",
)
"""Some of the files that an sdist must hold besides the package."""
LOAD_CSV = """
import sys, datasets
rows = datasets.load_dataset("csv", data_files=sys.argv[1], cache_dir=sys.argv[2])["train"]
assert rows[1] == {"card": "9S", "points": 9}, rows[1]
print("datasets", datasets.__version__, "loads a CSV")
"""


class PackageError(Exception):
    """The distribution is not as required."""


def build_wheel(source: Path, out: Path) -> Path:
    """Build the wheel of a source tree."""
    shutil.rmtree(source / "build" / "lib", ignore_errors=True)  # setuptools would ship remains of an earlier build
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", out, ".", at=source)
    (wheel,) = out.glob("*.whl")
    return wheel


def build_sdist(out: Path) -> Path:
    """Build the sdist of this tree, and unpack it."""
    out.mkdir(parents=True)
    run(sys.executable, "-c", f"from setuptools import build_meta; build_meta.build_sdist({str(out)!r})", at=ROOT)
    (archive,) = out.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        links = [member.name for member in files.getmembers() if not (member.isfile() or member.isdir())]
        demand(not links, f"sdist: links instead of files: {links}")
        files.extractall(out, filter="data")
    return out / archive.name.removesuffix(".tar.gz")


def shipped(wheel: Path) -> dict[str, str]:
    """The SHA-256 of each file of a wheel."""
    with zipfile.ZipFile(wheel) as files:
        return {name: sha256(files.read(name)).hexdigest() for name in files.namelist()}


def written() -> set[str]:
    """Every file of the package in the tree, by its installed path."""
    found = {path.relative_to(ROOT / "src") for path in (ROOT / "src" / NAME).iterdir() if path.is_file()}
    for package in PACKAGES:
        found |= {NAME / path.relative_to(ROOT) for path in (ROOT / package).rglob("*") if path.is_file()}
    return {path.as_posix() for path in found if "__pycache__" not in path.parts}


def check_contents(wheel: Path) -> dict[str, str]:
    """Check that the wheel holds the package with all its data, and nothing else; returns its files."""
    files = shipped(wheel)
    inside = {name for name in files if name.startswith(f"{NAME}/")}
    others = {name for name in files if not name.startswith((f"{NAME}/", f"{NAME}-"))}
    demand(not others, f"wheel: files outside {NAME}/: {sorted(others)}")
    demand(inside == written(), f"wheel and tree differ: {sorted(inside ^ written())}")
    tell(f"wheel: {len(inside)} files, {wheel.stat().st_size / 1e6:.1f} MB, all of them in {NAME}/")
    return files


def check_sdist(files: dict[str, str]) -> None:
    """Check that the sdist holds tests and docs, and that a wheel made from it is the same."""
    tree = build_sdist(WORK / "sdist")
    missing = [name for name in BESIDE if not (tree / name).is_file()]
    demand(not missing, f"sdist: without {missing}")
    again = shipped(build_wheel(tree, WORK / "from-sdist"))
    differing = sorted(name for name in files.keys() | again.keys() if files.get(name) != again.get(name))
    demand(not differing, f"wheel made from the sdist: other than the tree's: {differing}")
    tell("sdist: holds tests and docs as files; its wheel is the tree's, byte for byte")


def check_installed(wheel: Path) -> None:
    """Check that the wheel works outside the checkout, and that `datasets` works before and after its removal."""
    outside = WORK / "outside"
    outside.mkdir()
    run(sys.executable, "-m", "venv", WORK / "venv", at=WORK)
    python = WORK / "venv" / "bin" / "python"
    pip = (python, "-m", "pip")
    run(*pip, "install", "--quiet", "--constraint", ROOT / "requirements.lock", "datasets", wheel, at=outside)
    tell("installed beside Hugging Face's datasets")
    load_csv(python, outside, "before")
    command = WORK / "venv" / "bin" / NAME
    demand("referee" in run(command, "--help", at=outside), "thirdcard --help: names no referee")
    version = run(command, "--version", at=outside)
    demand(version == f"{NAME} {wheel.name.split('-')[1]}\n", f"thirdcard --version: {version}")
    page = run(python, "-m", NAME, "rulebooks", "page", at=outside)
    demand(page == (ROOT / "docs" / "rulebooks.md").read_text(encoding="utf-8"), "rulebooks: not docs/rulebooks.md")
    tell(run(python, Path(__file__).with_name("installed.py"), at=outside).rstrip())
    run(*pip, "uninstall", "--quiet", "--yes", NAME, at=outside)
    left = [path for site in (WORK / "venv").rglob("site-packages") for path in site.glob(f"{NAME}*")]
    demand(not left, f"uninstalled, but left: {left}")
    load_csv(python, outside, "after")


def load_csv(python: Path, folder: Path, when: str) -> None:
    """Load a local file with `datasets`, without network and cache."""
    table = folder / "cards.csv"
    table.write_text("card,points\nKH,0\n9S,9\n", encoding="utf-8")
    tell(f"{when}: {run(python, '-c', LOAD_CSV, table, folder / f'cache-{when}', at=folder).rstrip()}")


def run(*command: object, at: Path) -> str:
    """Run a program without access to the checkout or a model hub; returns its output, and fails if it fails."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env |= {"HF_HUB_OFFLINE": "1", "HF_HOME": str(WORK / "hub"), "PYTHONIOENCODING": "utf-8", "COLUMNS": "120"}
    texts = [str(part) for part in command]
    result = subprocess.run(texts, cwd=at, env=env, capture_output=True, encoding="utf-8", check=False)
    demand(result.returncode == 0, f"{' '.join(texts)}: status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def demand(holds: bool, text: str) -> None:
    """Raise PackageError where a condition does not hold."""
    if not holds:
        raise PackageError(text)


def tell(text: str) -> None:
    """Print a progress line."""
    print(text, flush=True)


if __name__ == "__main__":
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    try:
        built = build_wheel(ROOT, WORK / "tree")
        check_sdist(check_contents(built))
        check_installed(built)
    except PackageError as fault:
        sys.exit(f"package-check: {fault}")
