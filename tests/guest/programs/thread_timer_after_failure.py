#: {"error": "RuntimeError"}
import threading

threading.Timer(0.1, print, ["timer fired"]).start()
raise RuntimeError("main failed first")
