"""A table that a program prints as Markdown stands in a README, row for row.

usage: tables_test.py README PROGRAM [ARGUMENT]...

NADI_UPDATE_README=1 writes it there, in place of the table with the same first line.
"""

import subprocess
import sys

import readme_files

readme, *command = sys.argv[1:]
printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.rstrip("\n")
title = printed.split("\n")[0]
if not title.startswith("|"):
    sys.exit(f"{command} prints no table")
text = readme_files.text_of(readme)
if printed + "\n\n" in text:
    sys.exit(0)
if title not in text:
    sys.exit(f"{readme} has no table with the first line\n{title}\nof which the rest is\n{printed}")
before, rest = text.split(title, 1)
rows = [line for line in rest.split("\n\n", 1)[0].split("\n") if line]
if not readme_files.MAY_UPDATE:
    expected = printed.split("\n")[1:]
    for row in rows:
        if row not in expected:
            print(f"{readme} has  {row}")
    for row in expected:
        if row not in rows:
            print(f"printed is  {row}")
    sys.exit("NADI_UPDATE_README=1 writes what is printed")
after = rest.split("\n\n", 1)[1]
(readme_files.ROOT / readme).write_text(f"{before}{printed}\n\n{after}")
