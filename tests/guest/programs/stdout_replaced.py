import io
import sys

sys.stdout = io.StringIO()
print("captured")
text = sys.stdout.getvalue()
sys.stdout = sys.__stdout__
print("got", repr(text))
