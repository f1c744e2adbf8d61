out = open("result.txt", "w")
out.write("written, never closed")


def keeps_the_module_in_a_cycle():
    return out


print("end")
