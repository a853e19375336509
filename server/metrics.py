"""Counters and timings for Prometheus; nothing in them says who asked or what was signed."""

from __future__ import annotations

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

# From a gloss that is answered at once to a long clip on a busy machine.
BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """All metrics of one server."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        place = self.registry
        self.requests = Counter("isyarat_requests", "Answered requests.", ["method", "route", "status"], registry=place)
        self.seconds = Histogram(
            "isyarat_request_seconds",
            "From first byte to answer.",
            ["route"],
            buckets=BUCKETS_S,
            registry=place,
        )
        self.problems = Counter("isyarat_problems", "Answers that were problems.", ["code"], registry=place)
        self.signs = Counter("isyarat_signs", "Signs that were recognised.", ["bundle", "named"], registry=place)
        self.ratings = Counter("isyarat_ratings", "Ratings given, stored or not.", ["rating"], registry=place)
        self.streams = Gauge("isyarat_streams", "Live streams that are open.", registry=place)
        self.dropped = Counter("isyarat_frames_dropped", "Frames of streams that a newer one overtook.", registry=place)
        self.waiting = Gauge("isyarat_jobs_waiting", "Jobs in the queue.", registry=place)
        self.workers = Gauge("isyarat_workers", "Worker processes that run.", registry=place)
        self.restarts = Gauge("isyarat_worker_restarts", "Workers that had to be replaced.", registry=place)

    def count_signs(self, translation: dict[str, object]) -> None:
        """Counts the signs of a translation."""
        glosses = translation["glosses"]
        assert isinstance(glosses, list)
        for gloss in glosses:
            self.signs.labels(str(translation["bundle"]), str(not gloss["unknown"]).lower()).inc()

    def render(self) -> tuple[bytes, str]:
        """(text, media type) for a scrape."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST
