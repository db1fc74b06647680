"""Verification of a whole split from its folder alone."""
