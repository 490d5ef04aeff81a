"""What the kernel keeps a read-only evaluation from: everything but computing, and reading the project and Python."""
