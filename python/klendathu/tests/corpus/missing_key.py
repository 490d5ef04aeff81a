"""The configuration spells a key differently."""

FAULT = ('"time_out"', '30')


def connect(config):
    return config["timeout"] + 1


def main():
    connect({"host": "db", "time_out": 30})
