"""From answers to verdicts: predictions joined to a split, statistics, inference."""
