"""Sound makers: pure functions that turn analyses and random numbers into samples.

They put kernels and transforms together for the operators, and know nothing of spans, plans or
proofs.
"""
