"""Run the command line: `python -m thirdcard`."""

from __future__ import annotations

from thirdcard.service.cli.entry import main

if __name__ == "__main__":
    main()
