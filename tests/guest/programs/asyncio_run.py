import asyncio


async def wait(n):
    await asyncio.sleep(0.01 * n)
    return n


async def main():
    print(await asyncio.gather(*(wait(n) for n in range(3))), flush=True)
    process = await asyncio.create_subprocess_exec("echo", "from a child")
    print(await process.wait())


asyncio.run(main())
