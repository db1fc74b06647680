"""Anchor probes as a split: clips planned, chain questions as its items, the edit manifest."""
