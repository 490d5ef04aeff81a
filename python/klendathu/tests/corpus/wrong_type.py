"""A number arrives as text from a form."""

FAULT = ('age', "'17'")


def grow(user):
    user.age = user.age + 1
    return user


class User:
    def __init__(self, form):
        self.age = form["age"]


def main():
    grow(User({"name": "Ann", "age": "17"}))
