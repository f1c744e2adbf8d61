print("hello")
print("grüße 漢字 🫙")
