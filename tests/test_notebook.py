"""Sessions as notebooks know them: what is displayed, and what runs in an event loop."""
import base64

from suite import OnBackend

# As IPython has it: without its shell it prints.
IPYTHON = {
    "IPython/__init__.py": "",
    "IPython/core/__init__.py": "",
    "IPython/core/display_functions.py":
        "def display(*values, **named): print(*values)\n"
        "def publish_display_data(data, metadata=None, **named): print(data)\n"
        "def update_display(value, *, display_id, **named):\n"
        "    display(value, display_id=display_id, update=True)\n",
    "IPython/display.py":
        "from IPython.core.display_functions import *\n"
        "class HTML:\n"
        "    def __init__(self, data): self.data = data\n"
        "    def _repr_html_(self): return self.data\n",
}


def encoded(files):
    return {path: base64.b64encode(text.encode()).decode() for path, text in files.items()}


class Notebook(OnBackend):
    def notebook(self, **wish):
        """What runs a cell in a session of its own."""
        session = self.session(**wish)
        return lambda code: self.run_in(session, code)

    def test_a_module_like_ipython_shows_and_does_not_print(self):
        run = self.notebook(files=encoded(IPYTHON))
        result = run("from IPython.display import *\nfrom IPython.display import HTML\n"
                     "display(HTML('<b>'), 7)\nupdate_display(HTML('<u>'), display_id='x')\n"
                     "publish_display_data({'text/html': '<i>', 'text/plain': 'i'})")
        self.assertEqual((result["outcome"], result["stdout"]), ("ok", ""), result["stderr"])
        self.assertEqual([shown.get("text/html") for shown in result["results"]],
                         ["<b>", None, "<u>", "<i>"])

    def test_the_ipython_of_the_image_does(self):
        run = self.notebook()
        if run("import IPython\nassert hasattr(IPython, 'InteractiveShell')")["outcome"] != "ok":
            self.skipTest("missing: IPython in the image")
        result = run("from IPython.display import display, HTML, JSON, Markdown\n"
                     "display(HTML('<b>'), JSON({'a': 1}), Markdown('*'), raw=False)")
        self.assertEqual((result["outcome"], result["stdout"]), ("ok", ""), result["stderr"])
        self.assertEqual([sorted(set(shown) - {"text/plain"}) for shown in result["results"]],
                         [["text/html"], ["application/json"], ["text/markdown"]])

    def test_tasks_are_made_where_a_loop_runs(self):
        run = self.notebook()
        result = run("import asyncio\nasync def f(): return 7\n"
                     "t = asyncio.create_task(f())\nawait t")
        self.assertEqual(result["results"][0]["text/plain"], "7", result)
        result = run("u = asyncio.create_task(f())\nprint(await u, await t)")
        self.assertEqual(result["stdout"], "7 7\n", result)
        result = run("w = asyncio.create_task(f())")
        self.assertEqual((result["error"]["type"], result["error"]["message"]),
                         ("RuntimeError", "no running event loop"))
        result = run("async def g():\n    return await asyncio.create_task(f())\nawait g()")
        self.assertEqual(result["results"][0]["text/plain"], "7", result)
