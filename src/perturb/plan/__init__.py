"""Plans and traces: what is to be done, and what was. Plain records, no audio."""
