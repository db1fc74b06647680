"""Joined stimuli: a clip among others in a drawn order."""
