"""An average over a group that is empty."""

FAULT = ('values', '[]')


def mean(values):
    return sum(values) / len(values)


def main():
    groups = {"a": [1, 2], "b": []}
    for name in groups:
        mean(groups[name])
