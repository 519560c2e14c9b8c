"""The screen. Widgets show and announce; `services` does the work, on `worker_threads`."""
