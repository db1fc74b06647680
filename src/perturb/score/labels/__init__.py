"""What a benchmark knows of its items beyond the split's records: pairs, chains, traps, audits."""
