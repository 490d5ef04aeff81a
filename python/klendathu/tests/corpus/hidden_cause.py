"""The visible error hides the one with the value."""

import json

FAULT = ('text', '\'{"rate": 1.2.3}\'')


class ConfigError(Exception):
    pass


def parse(text):
    return json.loads(text)


def load():
    try:
        parse('{"rate": 1.2.3}')
    except ValueError as error:
        raise ConfigError("the configuration is invalid") from error


def main():
    load()
