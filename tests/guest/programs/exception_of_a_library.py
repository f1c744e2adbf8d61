#: {"error": "json.decoder.JSONDecodeError"}
import json

json.loads("{")
