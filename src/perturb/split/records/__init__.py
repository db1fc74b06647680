"""The records of a split on disk: their types, how they are written and read."""
