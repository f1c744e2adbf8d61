#: {"stdin": "Ada\n36\n"}
name = input("Name? ")
age = int(input("Age? "))
print(f"{name} is {age}")
try:
    input("More? ")
except EOFError as error:
    print("EOF:", error)
