#--- pickle-loads-bytes: a pickle that calls os.system
import pickle
pickle.loads(b"cos\nsystem\n(S'id'\ntR.")
#--- pickle-load-file: a pickle from a file
import pickle
with open("model.pkl", "rb") as f:
    model = pickle.load(f)
print(model)
#--- pickle-from-loads-renamed: loads under another name
from pickle import loads as parse
parse(open("data.bin", "rb").read())
#--- pickle-alias: the module under another name
import pickle as pk
pk.load(open("cache.bin", "rb"))
#--- pickle-reduce-class: a class made to be pickled
import os, pickle
class Evil:
    def __reduce__(self):
        return (os.system, ("id",))
pickle.loads(pickle.dumps(Evil()))
#--- pickle-unpickler: the class in place of the function
import io, pickle
pickle.Unpickler(io.BytesIO(b"cos\nsystem\n(S'id'\ntR.")).load()
#--- pickle-unpickler-subclass: a find_class that allows everything
import io, pickle
class U(pickle.Unpickler):
    def find_class(self, module, name):
        return getattr(__import__(module), name)
U(io.BytesIO(b"cos\nsystem\n(S'id'\ntR.")).load()
#--- pickle-b64: a pickle in base64
import base64, pickle
pickle.loads(base64.b64decode("Y29zCnN5c3RlbQooUydpZCcKdFIu"))
#--- pickle-python-half: the pure Python functions
from pickle import _loads
_loads(b"cos\nsystem\n(S'id'\ntR.")
#--- underscore-pickle: the C half
import _pickle
_pickle.loads(b"cos\nsystem\n(S'id'\ntR.")
#--- cpickle-compat: the old try and except
try:
    import cPickle as p
except ImportError:
    import pickle as p
p.loads(b"cos\nsystem\n(S'id'\ntR.")
#--- pickle-getattr: loads by a built name
import pickle
getattr(pickle, "lo" + "ads")(b"cos\nsystem\n(S'id'\ntR.")
#--- pickletools-then-load: looks at it, then loads it all the same
import pickle, pickletools
blob = open("x.pkl", "rb").read()
pickletools.dis(blob)
print(pickle.loads(blob))
#--- copyreg-pickle: a rebuild function registered
import copy, copyreg, os
class A:
    pass
copyreg.pickle(A, lambda a: (os.system, ("id",)))
copy.copy(A())
#--- copy-reduce-ex: copying calls the rebuild function
import copy, os
class A:
    def __reduce_ex__(self, proto):
        return os.system, ("id",)
copy.deepcopy(A())
#--- marshal-loads: code from bytes
import marshal
exec(marshal.loads(open("code.bin", "rb").read()))
#--- marshal-load-pyc: code from a cache file
import marshal
with open("__pycache__/m.cpython-311.pyc", "rb") as f:
    f.read(16)
    exec(marshal.load(f))
#--- marshal-roundtrip: code to bytes and back
import marshal
c = compile("__import__('os').system('id')", "", "exec")
exec(marshal.loads(marshal.dumps(c)))
#--- shelve-open: a shelf is a row of pickles
import shelve
with shelve.open("store") as db:
    print(db["item"])
#--- shelve-from: open under another name
from shelve import open as open_store
print(dict(open_store("store")))
#--- yaml-load-unsafe-loader: yaml with the unsafe loader
import yaml
yaml.load("!!python/object/apply:os.system ['id']", Loader=yaml.UnsafeLoader)
#--- yaml-load-no-loader: yaml.load alone
import yaml
yaml.load(open("conf.yml"))
#--- yaml-load-full-loader: yaml with the "full" loader
import yaml
yaml.load("!!python/name:os.system", Loader=yaml.FullLoader)
#--- yaml-unsafe-load: the function of that name
import yaml
yaml.unsafe_load("!!python/object/apply:subprocess.check_output [['id']]")
#--- yaml-from-load: load under another name
from yaml import load as read_conf, Loader
read_conf("!!python/object/new:os.system [id]", Loader=Loader)
#--- dill-loads: dill's pickle
import dill
dill.loads(open("fn.dill", "rb").read())()
#--- dill-load-session: a whole session
import dill
dill.load_session("session.pkl")
#--- cloudpickle-load: another pickle
import cloudpickle
cloudpickle.load(open("fn.pkl", "rb"))()
#--- joblib-load: a model from joblib
import joblib
model = joblib.load("model.joblib")
print(model.predict([[1, 2]]))
#--- joblib-from-load: load from joblib under another name
from joblib import load as read_model
read_model("/tmp/m.joblib")
#--- pandas-read-pickle: pandas' pickle reader
import pandas as pd
df = pd.read_pickle("frame.pkl")
print(df.head())
#--- numpy-load-allow-pickle: numpy with pickles allowed
import numpy as np
a = np.load("objs.npy", allow_pickle=True)
print(a.item())
#--- torch-load-untrusted: torch's pickle reader
import torch
state = torch.load("model.pt", weights_only=False)
print(state.keys())
#--- jsonpickle-decode: objects from JSON
import jsonpickle
jsonpickle.decode('{"py/reduce": [{"py/function": "os.system"}, {"py/tuple": ["id"]}]}')
#--- multiprocessing-reduction: the pickler of multiprocessing
from multiprocessing.reduction import ForkingPickler
ForkingPickler.loads(b"cos\nsystem\n(S'id'\ntR.")
#--- logging-socket-receiver: pickles from the network
import logging, pickle, socketserver, struct
class H(socketserver.StreamRequestHandler):
    def handle(self):
        n = struct.unpack(">L", self.connection.recv(4))[0]
        logging.makeLogRecord(pickle.loads(self.connection.recv(n)))
socketserver.TCPServer(("0.0.0.0", 9020), H).serve_forever()
#--- sqlite-pickle-column: pickles out of a database
import pickle, sqlite3
db = sqlite3.connect("jobs.db")
for (blob,) in db.execute("select payload from jobs"):
    pickle.loads(blob)()
