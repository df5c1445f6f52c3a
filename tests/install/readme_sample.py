"""readme_sample.py README - prints the first C sample that is a whole program."""
import re
import sys

text = open(sys.argv[1], encoding="utf-8").read()
samples = re.findall(r"^```c\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
whole = [sample for sample in samples if "int main" in sample]
if not whole:
    sys.exit(f"{sys.argv[1]}: no ```c block contains `int main`")
print(whole[0], end="")
