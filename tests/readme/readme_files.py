"""The READMEs of the repository as lines, tables and blocks of commands."""

import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAY_UPDATE = bool(os.environ.get("NADI_UPDATE_README"))


def files():
    return sorted(path for path in ROOT.glob("**/*.md")
                  if not path.relative_to(ROOT).parts[0].startswith(("build", ".")))


def text_of(name):
    return (ROOT / name).read_text()


def words_of(name):
    """However lines are broken."""
    return " ".join(text_of(name).split())


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split(" | ")]


def table(name, header):
    """Rows below the table's first line, which begins so."""
    lines = iter(text_of(name).split("\n"))
    for line in lines:
        if line.startswith(header):
            next(lines)
            rows = []
            for row in lines:
                if not row.startswith("|"):
                    return rows
                rows.append(cells_of(row))
    raise AssertionError(f"{name} has no table {header}")


def numbers(text):
    return [float(number) for number in re.findall(r"[-+]?\d+(?:\.\d+)?", text.replace(",", ""))]
