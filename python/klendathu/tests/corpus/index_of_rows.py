"""One row of a table is shorter than the others."""

FAULT = ('row', "['b']")


def second_column(row):
    return row[1]


def main():
    for row in [["a", "1"], ["b"], ["c", "3"]]:
        second_column(row)
