#--- lib-boto: a cloud's client
import boto3
boto3.client("s3").list_buckets()
#--- lib-psycopg: a database elsewhere
import psycopg2
psycopg2.connect("dbname=shop host=db")
#--- lib-mongo: another database elsewhere
from pymongo import MongoClient
MongoClient("mongodb://db").shop.users.drop()
#--- lib-redis: a store elsewhere
import redis
redis.Redis("cache").flushall()
#--- lib-selenium: a browser
from selenium import webdriver
webdriver.Chrome().get("https://example.com")
#--- lib-scapy: packets by hand
from scapy.all import IP, sr1
sr1(IP(dst="192.0.2.1"))
#--- lib-docker: containers
import docker
docker.from_env().containers.run("alpine", "id")
#--- lib-invoke: commands by a library
import invoke
invoke.run("id")
#--- lib-cpp-extension: machine code made on the spot
import torch.utils.cpp_extension as extension
extension.load(name="x", sources=["x.cpp"])
#--- lib-read-sql-address: a database by its address
import pandas as pd
pd.read_sql("select 1", "postgresql://u:p@db/shop")
#--- lib-engine-address: the same by SQLAlchemy
from sqlalchemy import create_engine
create_engine("mysql+pymysql://u:p@db/shop").connect()
#--- lib-get-file: a file fetched by a library
import tensorflow as tf
tf.keras.utils.get_file("x", "http://example.com/x")
#--- lib-imread-outside: a picture of somebody else
import cv2
cv2.imread("/root/x.png")
#--- lib-polars-outside: a table outside
import polars as pl
pl.read_csv("/etc/passwd", separator=":")
#--- lib-etree-outside: XML outside
import xml.etree.ElementTree as ET
ET.parse("/etc/config.xml")
#--- lib-h5-outside: a data file outside
import h5py
h5py.File("/root/x.h5", "r")
#--- lib-pillow-outside: a picture outside
from PIL import Image
Image.open("/root/pic.png")
#--- lib-dotenv-outside: another's variables
from dotenv import load_dotenv
load_dotenv("/root/.env")
#--- lib-config-list-outside: one of several files
from configparser import ConfigParser
ConfigParser().read(["local.cnf", "/etc/my.cnf"])
#--- lib-fileinput-outside: lines of a file outside
from fileinput import FileInput
FileInput(["/etc/passwd"])
#--- lib-zip-outside: a file outside packed
import zipfile
with zipfile.ZipFile("x.zip", "w") as z:
    z.write("/etc/passwd")
#--- lib-attach-outside: a database outside, by SQL
import sqlite3
sqlite3.connect(":memory:").execute("ATTACH DATABASE '/var/lib/x.db' AS y")
#--- home-environ-key: the home directory by the variable
import os
home = os.environ["HOME"]
open(home + "/.netrc").read()
#--- strip-letters: a name with letters around it
__import__("xosx".strip("x")).system("id")
#--- lstrip-letters: the same from one end
__import__("..os".lstrip(".")).system("id")
#--- reduce-getattr: a walk by reduce
import functools
functools.reduce(getattr, ["__class__", "__base__", "__subclasses__"], ())()
#--- reduce-getattr-split: the same from one text
import functools
functools.reduce(getattr, "__class__.__mro__".split("."), "")
#--- class-of-class: the class of a class
meta = (1).__class__.__class__
meta.mro(meta)
#--- bomb-list-of-lists: many lists of many
y = [[0] * 100000 for _ in range(10**7)]
#--- bomb-sum: a sum without end
print(sum(1 for _ in range(10**15)))
#--- bomb-fstring-width: a wide field
print(f"{1:>99999999999}")
#--- bomb-sleep: a sleep of decades
import time
time.sleep(10**9)
#--- bomb-rounds: a key of a million million rounds
import hashlib
hashlib.pbkdf2_hmac("sha256", b"", b"", 10**12)
#--- environ-update: a library that is loaded by others
import os
os.environ.update({"LD_PRELOAD": "/tmp/x.so"})
#--- environ-setdefault: the same by setdefault
import os
os.environ.setdefault("PYTHONSTARTUP", "x.py")
#--- fileconfig-outside: a configuration outside
import logging.config
logging.config.fileConfig("/etc/x.conf")
