"""The screen. Widgets show and announce; `services` does the work, on threads (see `talk`)."""
