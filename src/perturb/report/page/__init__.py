"""The page of a report: sections, tables and style."""
