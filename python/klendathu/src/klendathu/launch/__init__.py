"""Starts the CLI, and turns what it prints into reports, results and errors."""
