"""What the answers show of a model, claim by claim, in plain language."""
