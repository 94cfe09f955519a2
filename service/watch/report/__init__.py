"""A self-contained page that shows the results of a watch."""

from thirdcard.service.watch.report.page import write_report

__all__ = ["write_report"]
