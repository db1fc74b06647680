"""Rendering: plans become audio with proof, and proof is checked again."""
