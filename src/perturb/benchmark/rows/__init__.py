"""Stores of a source's rows: read whole, written back with nothing changed but what was asked."""
