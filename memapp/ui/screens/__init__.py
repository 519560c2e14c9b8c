"""Whole screens: the opening, one for each mode, and what opens above them."""
