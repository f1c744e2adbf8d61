#: {"error": "RuntimeError"}
import asyncio


async def main():
    await asyncio.sleep(0)
    raise RuntimeError("in a coroutine")


asyncio.run(main())
