"""Published splits made again from plans and hashes."""
