"""Bundles: what an exporter writes and every client runs."""
