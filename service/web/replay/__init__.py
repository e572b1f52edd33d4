"""Pages of what was played: history, replay, result."""

from service.web.replay import downloads, history, open_log, replay, results

PAGES = (downloads, history, open_log, replay, results)
