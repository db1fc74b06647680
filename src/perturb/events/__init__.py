"""Sound events: a bank of procedural sounds, banks of clips in folders, and what to leave out.

An event is named ``CATEGORY#SEED``. Operators never import this package: they reach an event
through a reference, ``bank:CATEGORY#SEED``.
"""
