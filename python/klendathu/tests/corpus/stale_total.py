"""A total that was computed before the discount became None."""


class Cart:
    def __init__(self):
        self.items = [{"name": "pen", "price": 2.5}, {"name": "ink", "price": None}]


def price_of(item):
    return item["price"] * 1.19


def checkout(cart):
    return sum(price_of(item) for item in cart.items)


FAULT = ('item', "{'name': 'ink', 'price': None}")


def main():
    checkout(Cart())
