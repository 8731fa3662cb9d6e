#!/usr/bin/env python3
"""Prints a line for each column of a CSV file: its name, and what is in it."""

import csv
import sys


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def main(path: str) -> None:
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for column in rows[0] if rows else []:
        values = [row[column] for row in rows if row[column]]
        numbers = sum(is_number(value) for value in values)
        print(f"{column}: filled {len(values)}, distinct {len(set(values))}, numbers {numbers}")


if __name__ == "__main__":
    main(sys.argv[1])
