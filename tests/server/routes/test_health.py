"""GET /healthz, /readyz, /metrics."""

from __future__ import annotations

from live_server import LiveServer


def read_metric(server: LiveServer, name: str) -> float:
    text = server.client._request("GET", "/metrics")[2].decode()
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(name))


def test_alive_and_ready(server: LiveServer) -> None:
    for path in ("/healthz", "/readyz"):
        status, _, body = server.client._request("GET", path)
        assert (status, body) == (200, b'{"status":"ok"}')


def test_metrics_count(server: LiveServer, clip_bytes: bytes) -> None:
    requests = 'isyarat_requests_total{method="POST",route="/v1/translations",status="200"}'
    signs = 'isyarat_signs_total{bundle="nano",named="true"}'
    before = read_metric(server, requests), read_metric(server, signs)
    server.client.translate(clip_bytes)
    assert read_metric(server, requests) == before[0] + 1
    assert read_metric(server, signs) == before[1] + 2
    assert read_metric(server, "isyarat_workers ") == 1
