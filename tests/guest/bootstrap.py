"""The guests' own files in one folder, as a cell has them: those of src/cell/guest/{python,node} and those that
are made of tables when Belljar is built."""
import atexit
import pathlib
import shutil
import subprocess
import sys
import tempfile

GUEST = pathlib.Path(__file__).resolve().parent.parent.parent / "src/cell/guest"


def folder():
    """A new one, which goes with this process."""
    scratch = tempfile.mkdtemp(prefix="belljar-guest-")
    atexit.register(shutil.rmtree, scratch, ignore_errors=True)
    place = pathlib.Path(scratch, "bootstrap")
    place.mkdir()
    for file in (*GUEST.glob("python/*.py"), *GUEST.glob("node/*.js")):
        shutil.copy(file, place)
    subprocess.run([sys.executable, str(GUEST / "protocol/make_tables.py"), str(place)], check=True)
    return place
