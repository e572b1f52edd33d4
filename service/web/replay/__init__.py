"""Pages of what was played: history, replay, result."""

from service.web.replay import downloads, open_log, replay, results

PAGES = (downloads, open_log, replay, results)
