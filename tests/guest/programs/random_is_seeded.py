import random
import uuid

print(len({random.random() for _ in range(10)}), len(str(uuid.uuid4())))
random.seed(7)
print(random.randint(0, 10 ** 9))
