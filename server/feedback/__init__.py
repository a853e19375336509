"""Corrections and ratings that people give with their consent, and take back when they want."""
