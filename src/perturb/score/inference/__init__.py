"""Intervals, tests and verdicts; everything is clustered by source clip."""
