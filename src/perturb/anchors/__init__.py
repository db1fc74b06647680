"""Anchors: segments of a recording, and windows placed inside them by rule."""
