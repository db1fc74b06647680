"""Operators: one file each, one registry. See `perturb.operators.protocol`."""
