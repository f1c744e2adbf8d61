#: {"error": "NameError"}
exec("a = 1\nb = undefined_name")
