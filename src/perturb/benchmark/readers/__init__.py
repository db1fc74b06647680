"""One reader a file; `detection` tells which one a benchmark needs, and why."""
