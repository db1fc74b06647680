"""The records of a score: what `perturb score` writes, and `perturb report` reads."""
