"""Looks into the running program: frames, values, evaluation, redaction."""
