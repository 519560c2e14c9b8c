"""The screen. It shows and announces; work is done by `services`, on threads (see `talk`)."""
