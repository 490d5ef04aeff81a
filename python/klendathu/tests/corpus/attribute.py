"""A lookup found nothing, and the result is used three calls later."""

FAULT = ('user', 'None')

USERS = {1: {"name": "Ann"}}


def find(number):
    return USERS.get(number)


def shout(user):
    return user.upper()


def greet(number):
    user = find(number)
    return shout(user)


def main():
    greet(2)
