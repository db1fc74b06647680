"""Figures and pages from finished results; computes nothing."""
