"""One line of a file is in another encoding."""

FAULT = ('line', "b'caf\\xe9'")


def read(line):
    return line.decode("utf-8")


def main():
    [read(line) for line in (b"tea", b"caf\xe9")]
