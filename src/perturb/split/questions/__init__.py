"""How conditions ask: options, transcripts, other languages, edits told in words."""
