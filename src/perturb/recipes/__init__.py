"""Recipes and suites: ranges and choices in TOML, resolved to plans of plain numbers."""
