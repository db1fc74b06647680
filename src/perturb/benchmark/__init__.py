"""Benchmarks: the model of an item, readers of the formats there are, writers of variants."""
