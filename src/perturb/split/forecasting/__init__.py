"""What a split will cost, and what it could show."""
