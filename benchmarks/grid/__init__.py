"""An unknown tool, an executor that learns by trial, and lessons, for `benchmarks.phases`."""
