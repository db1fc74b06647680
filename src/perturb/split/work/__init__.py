"""The work of a split: clips, shards, the journal; what a worker gets and returns."""
