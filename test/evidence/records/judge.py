"""Judges records of the product against their documents. It shares no code with the product or the generator.

Reads one case a line from standard input, {"case", "documents": [file], "results": {...}}: the public results of a processing
task with a schema and the files that it read. Writes one line for each field that is not in its document as claimed.
"""

import csv
import html.parser
import json
import os
import re
import subprocess
import sys
import zipfile
from datetime import date
from xml.etree import ElementTree

import openpyxl

PDFTOTEXT = os.environ.get("PDFTOTEXT_PATH", "pdftotext")
WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"

# A document is a list of units in order: a line of text or the row of a table, each with its place.


def unit(place, text, cells=None):
    return {"place": place, "text": text, "cells": cells}


def row(place, cells):
    return unit(place, " | ".join(cells), cells)


def of_pdf(path):
    pages = subprocess.run([PDFTOTEXT, "-layout", path, "-"], capture_output=True, check=True, text=True).stdout.split("\f")
    for number, page in enumerate(pages, 1):
        for line in page.splitlines():
            cells = re.split(r"\s{3,}", line.strip())
            yield row(("page", number), cells) if len(cells) > 1 else unit(("page", number), line.strip())


def shown(value):
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def of_xlsx(path):
    book = openpyxl.load_workbook(path, data_only=True)
    for sheet in book.worksheets:
        for cells in sheet.iter_rows(values_only=True):
            yield row(("sheet", sheet.title), [shown(cell) for cell in cells])


def of_docx(path):
    with zipfile.ZipFile(path) as archive:
        body = ElementTree.fromstring(archive.read("word/document.xml")).find(WORD + "body")
    number = 0
    text_of = lambda node: "".join(part.text or "" for part in node.iter(WORD + "t"))
    for node in body:
        # A table counts as one paragraph.
        number += node.tag in (WORD + "p", WORD + "tbl")
        if node.tag == WORD + "p":
            yield unit(("paragraphs", number), text_of(node))
        elif node.tag == WORD + "tbl":
            for cells in node.iter(WORD + "tr"):
                yield row(("paragraphs", number), [text_of(cell) for cell in cells.iter(WORD + "tc")])


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.units, self.section, self.cells, self.text, self.is_heading = [], "", None, "", False

    def handle_starttag(self, tag, _):
        if tag == "tr":
            self.cells = []
        self.text, self.is_heading = "", tag in ("h1", "h2", "h3")

    def handle_data(self, data):
        self.text += data

    def handle_endtag(self, tag):
        if tag in ("h1", "h2", "h3"):
            self.section = self.text
        if tag in ("td", "th"):
            self.cells.append(self.text)
        elif tag == "tr":
            self.units.append(row(("section", self.section), self.cells))
        elif tag in ("p", "h1", "h2", "h3"):
            self.units.append(unit(("section", self.section), self.text))


def of_html(path):
    page = Page()
    with open(path, encoding="utf-8") as file:
        page.feed(file.read())
    return page.units


def of_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        for number, cells in enumerate(csv.reader(file), 1):
            yield row(("rows", number), cells)


def of_text(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    for number, line in enumerate(lines, 1):
        is_row = line.startswith("|") and line.endswith("|")
        yield row(("lines", number), cells_of(line)) if is_row else unit(("lines", number), line)


READERS = {"pdf": of_pdf, "xlsx": of_xlsx, "docx": of_docx, "html": of_html, "csv": of_csv, "md": of_text, "txt": of_text}


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def at_place(units, place):
    """The units of a place such as `page 2`, `sheet Prices` or `lines 3-9`; none if there is no such place."""
    kind, _, rest = place.partition(" ")
    kind = {"line": "lines", "row": "rows", "paragraph": "paragraphs"}.get(kind, kind)
    if kind in ("sheet", "section"):
        return [one for one in units if one["place"] == (kind, rest)]
    span = re.fullmatch(r"(\d+)(?: ?(?:-|to) ?(\d+))?", rest)
    if not span:
        return []
    first, last = int(span[1]), int(span[2] or span[1])
    if last > max((one["place"][1] for one in units if one["place"][0] == kind), default=0):
        return []
    return [one for one in units if one["place"][0] == kind and first <= one["place"][1] <= last]


TOKEN = re.compile(r"\d[\d.,]*\d|\d|[^\W\d_]+")


def plain_number(digits):
    whole, point, fraction = digits.replace(",", "").partition(".")
    return whole + (point + fraction).rstrip("0").rstrip(".")


def tokens_of(text):
    return [plain_number(token) if token[0].isdigit() else token for token in TOKEN.findall(text)]


def position_of(part, whole):
    """Where the list `part` begins in `whole`; -1 if it does not stand there."""
    return next((at for at in range(len(whole) - len(part) + 1) if whole[at : at + len(part)] == part), -1) if part else -1


MONTHS = "January February March April May June July August September October November December".split()
MONTH = "|".join(MONTHS)
DATES = [
    (re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b"), lambda m: (m[1], m[2], m[3])),
    (re.compile(rf"\b(\d{{1,2}}) ({MONTH}) (\d{{4}})\b"), lambda m: (m[3], MONTHS.index(m[2]) + 1, m[1])),
    (re.compile(rf"\b({MONTH}) (\d{{1,2}}), (\d{{4}})\b"), lambda m: (m[3], MONTHS.index(m[1]) + 1, m[2])),
    (re.compile(r"\b(\d\d)/(\d\d)/(\d{4})\b"), lambda m: (m[3], m[2], m[1])),
]


def dates_in(text):
    found = [(found.start(), found.end(), to(found)) for form, to in DATES for found in form.finditer(text)]
    return [(start, end, date(*map(int, parts)).isoformat()) for start, end, parts in sorted(found)]


SCALES = {"thousand": 3, "million": 6, "billion": 9}
NUMBER = re.compile(r"(?<![\w.,/-])(-?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(?: (thousand|million|billion)\b)?(?![\w]|[.,]\d)")


def numbers_in(text):
    for start, end, _ in dates_in(text):
        text = text[:start] + " " * (end - start) + text[end:]
    for found in NUMBER.finditer(text):
        sign, whole, fraction, scale = found.groups(default="")
        number = float(f"{sign}{whole.replace(',', '')}{fraction}e{SCALES.get(scale, 0)}")
        yield found.start(), found.end(), number


def words_in(text, words, value):
    pattern = r"[\W_]+".join(re.escape(word) for word in words)
    for found in re.finditer(rf"(?<![^\W_]){pattern}(?![^\W_])", text, re.IGNORECASE):
        yield found.start(), found.end(), value


def readings_of(leaf, text, value):
    """Every value of the leaf's type in the text, with where it begins and ends. Of a free text, only this value."""
    kinds = leaf["type"] if isinstance(leaf.get("type"), list) else [leaf.get("type")]
    if "boolean" in kinds:
        return sorted([*words_in(text, ["yes"], True), *words_in(text, ["no"], False)])
    if "number" in kinds or "integer" in kinds:
        return list(numbers_in(text))
    if leaf.get("format") == "date":
        return dates_in(text)
    if "enum" in leaf:
        return sorted(one for word in leaf["enum"] if word is not None for one in words_in(text, [word], word))
    return list(words_in(text, re.findall(r"[^\W_]+", str(value)), value))


NEGATIVE = re.compile(r"\b(?:not|no|never|without|nor|neither)\b|n't\b", re.IGNORECASE)


def fault_of_label(leaf, name, value, quote):
    """A proven value is the first of its type behind the words of its field, in a sentence or row that denies nothing."""
    words = name.split("_")
    own = [found for found in words_in(quote, words, None)]
    if not own:
        return "no words of the quote name the field"
    _, end, _ = own[-1]
    behind = quote[end:]
    readings = readings_of(leaf, behind, value)
    if not readings or readings[0][2] != value:
        return "another value stands behind the words of the field"
    is_flag = isinstance(value, bool)
    return None if is_flag or not NEGATIVE.search(quote) else "the quote is negative"


def fault_of_column(units, basis, value, leaf):
    """The value stands in the quoted row below the head of its column."""
    cells, head = cells_of(basis["quote"]), basis["column"]
    rows = [one["cells"] for one in units if one["cells"]]
    if not any(one == cells or [*map(tokens_of, one)] == [*map(tokens_of, cells)] for one in rows):
        return "the quote is not a row of a table there"
    columns = {one.index(head) for one in rows if head in one}
    standing = [readings_of(leaf, cells[column], value) for column in columns if column < len(cells)]
    is_so = any(len(found) == 1 and found[0][2] == value for found in standing)
    return None if is_so else "the row has another value in this column"


def fault_of(units_of, leaf, field):
    value, name = field["value"], field["path"].split(".")[-1]
    if not field["basis"]:
        return "nothing is cited"
    for basis in field["basis"]:
        units = at_place(units_of(basis["document"]), basis["place"])
        if not units:
            return "there is no such place"
        whole = [token for one in units for token in tokens_of(one["text"])]
        if position_of(tokens_of(basis["quote"]), whole) < 0:
            return "the quote does not stand there"
    if field["status"] == "computed":
        return None
    [basis] = field["basis"]
    is_flag = isinstance(value, bool)
    is_in = any(found == value for _, _, found in readings_of(leaf, basis["quote"], value))
    if not is_in and not (is_flag and field["status"] == "judged"):
        return "the value does not stand in the quote"
    if field["status"] != "proven":
        return None
    if "column" in basis:
        return fault_of_column(units, basis, value, leaf)
    return fault_of_label(leaf, name, value, basis["quote"])


def leaf_at(schema, path):
    for name in path.split("."):
        schema = schema["items"] if name.isdigit() else schema["properties"][name]
    return schema


def value_at(data, path):
    for name in path.split("."):
        data = data[int(name)] if name.isdigit() and int(name) < len(data) else data.get(name) if isinstance(data, dict) else None
        if data is None:
            return None
    return data


def entry_faults(fields):
    """The values of an entry stand in one row, and no row is two entries."""
    rows = {}
    for field in fields:
        parts = field["path"].split(".")
        if field["basis"] and any(part.isdigit() for part in parts):
            at = next(at for at, part in enumerate(parts) if part.isdigit())
            rows.setdefault(".".join(parts[: at + 1]), []).append(field)
    taken = {}
    for entry, own in rows.items():
        quotes = [field["basis"][0]["quote"] for field in own]
        usual = max(quotes, key=quotes.count)
        for field, quote in zip(own, quotes):
            if quote != usual:
                yield field["path"], "the value stands in another row than its entry"
            elif usual in taken and taken[usual] != entry:
                yield field["path"], "the row is already another entry"
        taken.setdefault(usual, entry)


def faults_of_case(case):
    results = case["results"]
    read = {}

    def units_of(number):
        if not 1 <= number <= len(case["documents"]):
            return []
        if number not in read:
            path = case["documents"][number - 1]
            read[number] = list(READERS[path.rsplit(".", 1)[-1]](path))
        return read[number]

    for record in results["records"]:
        for field in record["fields"]:
            path, value = field["path"], field["value"]
            is_list = path not in record["missing"] and isinstance(value_at(record["data"], path), list)
            if value is None:
                if field["status"] not in ("missing", "conflict", "unverified"):
                    yield path, "a status without a value"
                if not is_list and value_at(record["data"], path) not in (None, []):
                    yield path, "the data has a value without proof"
                continue
            if value_at(record["data"], path) != value:
                yield path, "the data has another value"
            if path in record["missing"] or field["status"] in ("missing", "conflict"):
                yield path, "a value that is called missing"
            fault = fault_of(units_of, leaf_at(results["output_schema"], path), field)
            if fault:
                yield path, fault
        yield from entry_faults(record["fields"])
        if record["complete"] != (record["missing"] == []):
            yield "", "complete, although fields are missing"


def main():
    for line in sys.stdin:
        case = json.loads(line)
        for path, fault in faults_of_case(case):
            print(json.dumps({"case": case["case"], "path": path, "fault": fault}))


if __name__ == "__main__":
    main()
