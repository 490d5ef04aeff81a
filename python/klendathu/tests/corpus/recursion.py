"""A tree whose node is its own child."""

FAULT = ('name', "'root'")


class Node:
    def __init__(self, name):
        self.name = name
        self.children = []


def depth(node):
    return 1 + max((depth(child) for child in node.children), default=0)


def main():
    root = Node("root")
    root.children.append(root)
    depth(root)
