"""IPython.display, as far as programs written for notebooks need it, where IPython is absent.

Loaded by rich.py when something imports IPython and no such package is found.
"""
import os
from _frozen_importlib import ModuleSpec

MAGIC = ((b"\x89PNG", "image/png"), (b"\xff\xd8", "image/jpeg"), (b"GIF8", "image/gif"),
         (b"RIFF", "image/webp"))


class DisplayObject:
    """Data that is of one MIME type by what its owner calls it."""
    mime, binary = "text/plain", False

    def __init__(self, data=None, url=None, filename=None, metadata=None, **_named):
        if data is None and filename is not None:
            with open(filename, "rb" if self.binary else "r") as file:
                data = file.read()
        self.data, self.url, self.filename, self.metadata = data, url, filename, metadata

    def __repr__(self):
        return "<IPython.core.display.%s object>" % type(self).__name__

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {} if self.data is None else {self.mime: self.data}


class HTML(DisplayObject):
    mime = "text/html"


class Markdown(DisplayObject):
    mime = "text/markdown"


class Latex(DisplayObject):
    mime = "text/latex"


class Math(Latex):
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {self.mime: "$\\displaystyle %s$" % self.data.strip("$")}


class SVG(DisplayObject):
    mime = "image/svg+xml"


class JSON(DisplayObject):
    mime = "application/json"


class Javascript(DisplayObject):
    mime = "application/javascript"


class Pretty(DisplayObject):
    def __repr__(self):
        return str(self.data)


class Image(DisplayObject):
    """Bytes, the name of a file, or an address, which the reader's browser may follow."""
    binary = True

    def __init__(self, data=None, url=None, filename=None, format=None, **named):
        if isinstance(data, (str, os.PathLike)):
            is_url = "://" in str(data)[:16]
            data, url, filename = None, (data if is_url else url), (None if is_url else data)
        super().__init__(data, url, filename, **named)
        self.format = format

    def _repr_mimebundle_(self, include=None, exclude=None):
        if self.data is None:
            return {} if self.url is None else {"text/html": '<img src="%s"/>' % str(
                self.url).replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")}
        known = [mime for magic, mime in MAGIC if bytes(self.data[:4]).startswith(magic)]
        mime = "image/" + self.format.replace("jpg", "jpeg") if self.format else "image/png"
        return {known[0] if known else mime: self.data}


def clear_output(wait=False):
    """There is no screen to clear: what was shown stays in the result."""


class Loader:
    def __init__(self, names):
        self.names = names

    def create_module(self, _spec):
        return None

    def exec_module(self, module):
        module.__dict__.update(self.names)


def display_names(display):
    def update_display(obj, *, display_id, **named):
        display(obj, display_id=display_id, **named)

    shown = (HTML, Markdown, Latex, Math, SVG, JSON, Javascript, Pretty, Image, DisplayObject)
    names = {kind.__name__: kind for kind in shown}
    names.update(display=display, update_display=update_display, clear_output=clear_output)
    return names


def find_spec(name, display):
    modules = {
        # matplotlib asks for the version, and others for a shell, which there is none of.
        "IPython": {"version_info": (8, 24, 0, ""), "__version__": "8.24.0", "__path__": [],
                    "get_ipython": lambda: None, "display": display},
        "IPython.core": {"__path__": []},
        "IPython.display": display_names(display),
        "IPython.core.display": display_names(display),
    }
    if name not in modules:
        return None
    return ModuleSpec(name, Loader(modules[name]), is_package="__path__" in modules[name])
