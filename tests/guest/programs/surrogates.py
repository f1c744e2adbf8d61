#: {"error": "UnicodeEncodeError"}
print("escaped: \udcff")
print("not encodable: \ud800")
