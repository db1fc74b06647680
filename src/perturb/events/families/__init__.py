"""The generated categories, a file or two per family; each function makes one kind of sound."""
