import os
import pathlib
import shutil
import tempfile

pathlib.Path("made/deep").mkdir(parents=True)
pathlib.Path("made/deep/file.txt").write_text("text ü", encoding="utf-8")
shutil.copy("made/deep/file.txt", "copy.txt")
os.rename("copy.txt", "moved.txt")
print(sorted(os.listdir("made")), open("moved.txt", encoding="utf-8").read())
with tempfile.TemporaryDirectory() as name:
    print(os.path.isdir(name))
print(os.path.isdir(name))
