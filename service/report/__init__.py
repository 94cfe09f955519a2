"""One self-contained page that shows what a watch found."""

from service.report.page import write_report

__all__ = ["write_report"]
