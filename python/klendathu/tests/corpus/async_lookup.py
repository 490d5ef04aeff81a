"""A session that another task removed, behind two awaits."""

import asyncio

FAULT = ('name', "'s2'")


class Store:
    def __init__(self):
        self.sessions = {"s1": "Ann"}

    async def load(self, name):
        await asyncio.sleep(0)
        return self.sessions[name]


async def handle(store, request):
    return await asyncio.create_task(store.load(request["session"]))


def main():
    asyncio.run(handle(Store(), {"session": "s2"}))
