"""The statistics of a model beyond accuracies and contrasts, one family a file."""
