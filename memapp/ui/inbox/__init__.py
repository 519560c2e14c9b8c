"""The parts of the Inbox: what waits for the person's word, and what the profile says."""
