"""Donors: for every clip another one that takes its place."""
