"""The parts of the Inbox: consent requests, and the profile."""
