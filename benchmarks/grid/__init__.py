"""A tool that nobody knows, an executor that learns its words by trial, and lessons in memory: for
`benchmarks.phases`.
"""
