"""Drawings as text: elements, measures of text, axes, and charts of rows; pure functions."""
