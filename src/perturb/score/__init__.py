"""Scores: what the audio contributed, from the answers of models."""
