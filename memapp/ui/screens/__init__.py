"""Whole screens: the opening, Chat, Models, Settings, and what opens above them."""
