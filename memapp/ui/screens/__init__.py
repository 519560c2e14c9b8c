"""Whole screens: the opening, one for each mode, and those that open above them."""
