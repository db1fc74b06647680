"""One statistic a file: its definition, its source, and where it is undefined."""
