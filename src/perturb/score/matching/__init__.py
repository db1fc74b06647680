"""One rule a file: which option an answer names. Ours is stated; benchmarks have their own."""
