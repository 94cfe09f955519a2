"""One self-contained page that shows what a watch found."""

from thirdcard.service.watch.report.page import write_report

__all__ = ["write_report"]
