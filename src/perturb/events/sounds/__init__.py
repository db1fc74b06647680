"""Building blocks of procedural sounds: draws, curves, tones, noise, strikes, voices, scenes.

Everything is one channel of float64 at `RATE_HZ`; levels are relative until a bank calibrates them.
"""
