"""One writer a file: the same variants, in the forms that harnesses load."""
