"""Execution: the seam behind which work is spread. Here the local pool; clusters plug in later."""
