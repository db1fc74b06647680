"""Counterfactual splits: every item of a benchmark in every condition, paired and proven."""
