"""The richer forms of values: what notebooks show of them, as MIME bundles.

Loaded by session.py when a statement first shows something that is more than its text (`guest` here is
guest.py). A value says itself what it can look like, by the methods that IPython has made common
(_repr_html_ and so on). Added here: JSON for plain lists and dicts and for data frames, and PNG for
matplotlib's figures, both those that plt.show() shows and those a statement leaves open.

Nothing is imported for this that the program has not imported itself, except json and binascii.
A form that cannot be made is left out and its error printed; the text is always there.
"""
import io
import os
import sys
from _frozen_importlib import ModuleSpec

PLAIN, JSON, PNG = "text/plain", "application/json", "image/png"
FORMS = (("_repr_html_", "text/html"), ("_repr_markdown_", "text/markdown"),
         ("_repr_latex_", "text/latex"), ("_repr_svg_", "image/svg+xml"), ("_repr_png_", PNG),
         ("_repr_jpeg_", "image/jpeg"), ("_repr_json_", JSON))
MOST_FORMS = 16
MIME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+-._/")
MOST_VALUES = 100000  # in a list, a dict or a data frame that is also shown as JSON
DEEPEST = 40
FIGURES = "_belljar_figures"  # matplotlib's backend

session = None
figures_shown = []  # by this statement


def open_for(its_session):
    global session
    session = its_session


# JSON.

class NotJson(Exception):
    pass


def check_json(value, depth=0, left=None):
    """Raises NotJson unless `value` is made of JSON's own types, within the limits."""
    left = [MOST_VALUES] if left is None else left
    left[0] -= 1
    kind = type(value)
    if left[0] < 0 or depth > DEEPEST:
        raise NotJson("more than %d values, or more than %d levels" % (MOST_VALUES, DEEPEST))
    if kind is dict:
        for key, inner in value.items():
            if type(key) is not str:
                raise NotJson("a key that is no text")
            check_json(inner, depth + 1, left)
    elif kind in (list, tuple):
        for inner in value:
            check_json(inner, depth + 1, left)
    elif kind is float:
        if value - value != 0:
            raise NotJson("a number that is not finite")
    elif kind not in (str, int, bool, type(None)):
        raise NotJson(kind.__name__)


def json_form(value):
    import json
    check_json(value)
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except ValueError as error:  # an integer of thousands of digits
        raise NotJson(str(error))
    return text.encode("utf-8", "replace").decode("utf-8")  # no halves of surrogate pairs


def base64_form(data):
    import binascii
    if isinstance(data, str):
        data = binascii.a2b_base64(data)  # IPython takes both
    return '"%s"' % binascii.b2a_base64(data, newline=False).decode("ascii")


def form(mime, data):
    """`data` as the JSON text that stands for it in a bundle."""
    if mime == JSON or mime.endswith("+json"):
        if isinstance(data, str):
            import json
            data = json.loads(data)
        return json_form(data)
    if (mime.startswith("image/") and mime != "image/svg+xml") or mime == "application/pdf":
        return base64_form(data)
    if isinstance(data, (bytes, bytearray)):
        data = data.decode("utf-8", "replace")
    return guest.json_text(data, sys.maxsize) if isinstance(data, str) else None


# Bundles.

def complain(error):
    """A form that fails is no failure of the statement; the program's author wants to see why."""
    if not isinstance(error, (NotImplementedError, NotJson)):
        session.strip(error)
        guest.showing.excepthook(type(error), error, error.__traceback__)


def method_of(value, name):
    try:
        method = getattr(value, name, None)
    except Exception:
        return None
    return method if callable(method) else None


def has_forms(value):
    # Not a class, whose methods want an instance, nor one of those that have any attribute.
    return not isinstance(value, type) and method_of(value, "_belljar_has_no_such_form_") is None


def declared_forms(value):
    """What the value's own methods give, as pairs of a MIME type and its data."""
    method = method_of(value, "_repr_mimebundle_")
    if method is not None:
        try:
            bundle = method(include=None, exclude=None)
            bundle = bundle[0] if isinstance(bundle, tuple) else bundle
            yield from dict(bundle or ()).items()
        except Exception as error:
            complain(error)
    for name, mime in FORMS:
        method = method_of(value, name)
        try:
            data = None if method is None else method()
        except Exception as error:
            complain(error)
            continue
        yield mime, data[0] if isinstance(data, tuple) and data else data


def added_forms(value):
    if type(value) in (list, tuple, dict):
        yield JSON, value
    elif is_of(value, "matplotlib.figure", "Figure"):
        figures_shown.append(value)
        yield PNG, png_of(value)
    elif is_of(value, "pandas", "DataFrame"):
        yield JSON, columns_of(value)


def is_of(value, module, name):
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def add(bundle, mime, data):
    if data is None or mime in bundle or len(bundle) >= MOST_FORMS:
        return
    if type(mime) is not str or mime.count("/") != 1 or not MIME_CHARACTERS.issuperset(mime) or (
            mime[0] == "/" or mime[-1] == "/" or len(mime) > 128):
        return
    try:
        text = form(mime, data)
        if text is not None:
            bundle[mime] = text
    except Exception as error:
        complain(error)


def bundle_of(value):
    """MIME types and the JSON texts of their data; always with a text."""
    if type(value) in (list, tuple, dict):
        bundle = {PLAIN: session.plain(value)}
    else:
        bundle = {}
        for mime, data in declared_forms(value) if has_forms(value) else ():
            add(bundle, mime, data)
        if PLAIN not in bundle:
            bundle = {PLAIN: session.plain(value), **bundle}
    try:
        for mime, data in added_forms(value):
            add(bundle, mime, data)
    except NotJson:
        pass
    return bundle


def raw_bundle(forms):
    bundle = {}
    for mime, data in forms.items():
        add(bundle, mime, data)
    return bundle or {PLAIN: session.plain(forms)}


class DisplayHandle:
    """What display(display_id=...) returns. There is no screen to change: an update is shown."""

    def __init__(self, display_id):
        self.display_id = display_id

    def display(self, value, **named):
        display(value, **named)

    update = display


def display(*values, include=None, exclude=None, raw=False, display_id=None, **_named):
    """Shows values, each in the richest forms it has."""
    for value in values:
        bundle = raw_bundle(value) if raw else bundle_of(value)
        kept = {mime: text for mime, text in bundle.items() if mime == PLAIN or (
            (include is None or mime in include) and (exclude is None or mime not in exclude))}
        session.displays.show(kept)
    if display_id is not None:
        return DisplayHandle("display" if display_id is True else display_id)
    return None


# Data frames.

def scalar(value):
    if value is None or type(value) in (bool, int, str):
        return value
    if value != value:  # NaN, NaT
        return None
    if type(value) is float:
        return value if value - value == 0 else str(value)
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def columns_of(frame):
    names = [str(name) for name in frame.columns]
    if frame.size > MOST_VALUES or len(set(names)) < len(names):
        raise NotJson("too large, or columns of the same name")
    return {name: [scalar(value) for value in frame.iloc[:, place].tolist()]
            for place, name in enumerate(names)}


# Figures.

def png_of(figure):
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", bbox_inches="tight")
    return buffer.getvalue()


def show_open_figures(*_arguments, **_named):
    """plt.show(), and the end of every statement: shows what is open, and closes it."""
    managers = sys.modules["matplotlib._pylab_helpers"].Gcf
    try:
        for manager in managers.get_all_fig_managers():
            figure = manager.canvas.figure
            if (figure.axes or figure.lines) and not any(one is figure for one in figures_shown):
                display(figure)
    finally:
        managers.destroy_all()


def forget_figures():
    del figures_shown[:]


def publish(data, metadata=None, source="", **_named):
    """IPython.display.publish_display_data(): forms that somebody else has made."""
    session.displays.show(raw_bundle(data))


def configure_ipython(module):
    """Without its shell IPython prints what it should show; here it is shown. Its classes stay."""
    for name, ours in (("display", display), ("publish_display_data", publish)):
        own = module.__dict__.get(name)
        if getattr(own, "__module__", None) == module.__name__:
            module.__dict__[name] = ours


def configure_matplotlib(matplotlib):
    if os.environ.get("MPLBACKEND"):
        return
    matplotlib.rcParams["backend"] = "module://" + FIGURES
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.switch_backend("module://" + FIGURES)


# Imports.

class FiguresLoader:
    """matplotlib's backend for pictures in memory, with a show() that shows them."""

    def create_module(self, _spec):
        return None

    def exec_module(self, module):
        from matplotlib.backends import backend_agg
        for name, value in vars(backend_agg).items():
            module.__dict__.setdefault(name, value)
        module.show = show_open_figures


class ThenConfigure:
    """Loads a module as its own loader does, and then tells it of the session."""

    def __init__(self, loader, configure):
        self.loader, self.configure = loader, configure

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        self.configure(module)


# IPython 7.23 has moved what it had in the first to the second.
CONFIGURED = {"matplotlib": configure_matplotlib, "IPython.core.display": configure_ipython,
              "IPython.core.display_functions": configure_ipython}


def find_spec(hook, name, path):
    if name == FIGURES:
        return ModuleSpec(name, FiguresLoader())
    if hook.place == "last":
        return guest.load_part("notebook").find_spec(name, display)
    configure = CONFIGURED.get(name)
    if configure is None:
        return None
    for finder in sys.meta_path:
        if isinstance(finder, type(hook)):
            continue
        spec = finder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader = ThenConfigure(spec.loader, configure)
            return spec
    return None
