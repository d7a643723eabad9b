"""Judges the files that a task writes by its results: workbooks with openpyxl, CSV, JSON and JSON Lines with Python's own readers.

Reads one case a line from standard input, {"case", "file", "results"}. Writes one line for each fault.
"""

import csv
import datetime
import json
import sys
import warnings

import openpyxl

# What openpyxl has to mend is a fault of the file.
warnings.simplefilter("error", UserWarning)


def columns_of(schema, names=()):
    """The single fields and the arrays of objects of an effective schema, each with its path."""
    single, tables = [], []
    for name, node in schema["properties"].items():
        path = (*names, name)
        if node.get("properties"):
            inner = columns_of(node, path)
            single, tables = single + inner[0], tables + inner[1]
        elif node.get("items", {}).get("properties"):
            tables.append((path, columns_of(node["items"])[0]))
        elif "items" not in node:
            single.append((path, node))
    return single, tables


def at(data, path):
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def node_at(schema, path):
    """The schema of a field, in whose path entries of arrays have numbers."""
    for name in path.split("."):
        schema = schema.get("properties", {}).get(name) or schema.get("items") or {}
    return schema


def is_typed(cell, value, node):
    if value is None:
        return cell.value is None
    if node.get("format") == "date":
        is_date = isinstance(cell.value, (datetime.date, datetime.datetime)) and cell.number_format == "yyyy-mm-dd"
        return is_date and cell.value.strftime("%Y-%m-%d") == value
    return type(cell.value) in ((int, float) if type(value) in (int, float) else (type(value),)) and cell.value == value


GRADES = ["proven", "computed", "judged", "unverified", "conflict", "missing"]
GRADE_HEAD = ["grade", "to_check"]


def grades_of(record, *entries):
    """The weakest grade of the fields in a row, and those to check: single fields and those of entries such as `lines.0`."""
    wanted = set(record["missing"])
    own = [
        field
        for field in record["fields"]
        if any(field["path"].startswith(f"{entry}.") if entry else not any(map(str.isdigit, field["path"].split("."))) for entry in entries)
        if field["status"] != "missing" or field["path"] in wanted or field["candidates"]
    ]
    found = [field for field in own if field["status"] != "missing" or field["candidates"]]
    grade = max((field["status"] for field in found or own), key=GRADES.index, default=None)
    doubts = [f"{field['path']} ({field['status']})" for field in own if field["status"] not in ("proven", "computed", "judged")]
    return [grade, ", ".join(doubts) or None]


def is_graded(texts, wanted):
    """A long list of fields to check is cut."""
    [grade, to_check] = [text or None for text in texts]
    return grade == wanted[0] and (to_check == wanted[1] or ", and " in (to_check or "") and (wanted[1] or "").startswith(to_check.split(", and ")[0]))


def table_faults(sheet):
    """Each sheet is a table with a frozen header that filters it, and columns as wide as their cells."""
    if sheet.max_row < 2:
        return
    if sheet.freeze_panes != "A2":
        yield f"{sheet.title}: the header is not frozen"
    if sheet.auto_filter.ref != sheet.dimensions:
        yield f"{sheet.title}: the filter is {sheet.auto_filter.ref} of {sheet.dimensions}"
    for cells in sheet.iter_cols():
        width = sheet.column_dimensions[cells[0].column_letter].width
        longest = max(10 if cell.is_date else len(str(cell.value or "")) for cell in cells)
        if not 8 <= width <= 60 or width < min(60, longest):
            yield f"{sheet.title}: column {cells[0].value} is {width} wide for {longest} characters"
        if not cells[0].font.b:
            yield f"{sheet.title}: the head {cells[0].value} is not bold"
        if any(cell.data_type == "f" for cell in cells):
            yield f"{sheet.title}: column {cells[0].value} has a formula"


def rows_faults(sheet, columns, rows, about):
    head = [cell.value for cell in sheet[1]]
    if head != [*about, *(".".join(path) for path, _ in columns), *GRADE_HEAD]:
        yield f"{sheet.title}: the columns are {head}"
        return
    if sheet.max_row != len(rows) + 1:
        yield f"{sheet.title}: {sheet.max_row - 1} rows for {len(rows)}"
        return
    for number, (document, data, grades) in enumerate(rows, 2):
        cells = sheet[number]
        if not is_graded([cell.value for cell in cells[-2:]], grades):
            yield f"{sheet.title}: row {number} has the grades {[cell.value for cell in cells[-2:]]} for {grades}"
        if cells[0].value != document:
            yield f"{sheet.title}: row {number} is of document {cells[0].value}"
        for cell, (path, node) in zip(cells[len(about) :], columns):
            if not is_typed(cell, at(data, path), node):
                yield f"{sheet.title}: {cell.coordinate} is {cell.value!r} for {at(data, path)!r}"


def evidence_faults(sheet, records, urls, schema):
    rows_of = {id(record): number for number, record in enumerate(records, 2)}
    head = [cell.value for cell in sheet[1]]
    rows = [(record, field) for record in records for field in record["fields"]]
    if sheet.max_row != len(rows) + 1:
        yield f"Evidence: {sheet.max_row - 1} rows for {len(rows)} fields"
        return
    for number, (record, field) in enumerate(rows, 2):
        cells = dict(zip(head, sheet[number]))
        basis = field["basis"][0] if field["basis"] else {}
        wanted = {"document": record["document"], "field": field["path"], "status": field["status"], "value": field["value"]}
        wanted |= {name: basis.get(name) for name in ("place", "quote", "column")}
        for name, value in wanted.items():
            node = node_at(schema, field["path"]) if name == "value" else {}
            if not is_typed(cells[name], value, node):
                yield f"Evidence: {cells[name].coordinate} is {cells[name].value!r} for {value!r}"
        url, link = urls[record["document"]], cells["url"].hyperlink
        if cells["url"].value != url or (link.target if link else None) != (url if url.startswith("https:") else None):
            yield f"Evidence: {cells['url'].coordinate} leads to {link and link.target} for {url}"
        inward = cells["name"].hyperlink
        if not inward or inward.location != f"'Records'!A{rows_of[id(record)]}":
            yield f"Evidence: {cells['name'].coordinate} leads to {inward and inward.location}"


def xlsx_faults(path, results):
    book = openpyxl.load_workbook(path)
    records = results["records"]
    single, tables = columns_of(results["output_schema"])
    for sheet in book.worksheets:
        yield from table_faults(sheet)
    data = [(record["document"], record["data"], grades_of(record, "")) for record in records]
    yield from rows_faults(book["Records"], single, data, ["document", "name", "complete"])
    for names, columns in tables:
        entries = [
            (record["document"], entry, grades_of(record, ".".join([*names, str(number)])))
            for record in records
            for number, entry in enumerate(at(record["data"], names) or [])
        ]
        yield from rows_faults(book[" ".join(names)], columns, entries, ["document", "name"])
    urls = {one["document"]: one["url"] for one in results["documents"]}
    yield from evidence_faults(book["Evidence"], records, urls, results["output_schema"])


def text_of(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def is_same(text, value):
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return text != "" and float(text) == value if is_number else text == text_of(value)


def csv_faults(path, results):
    """One column a field; a record is repeated beside each entry of its first array."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    single, tables = columns_of(results["output_schema"])
    [names, columns] = tables[0] if tables else [(), []]
    wanted_head = ["document", "name", *(".".join(path) for path, _ in single), *(".".join([*names, *path]) for path, _ in columns), *GRADE_HEAD]
    if head != wanted_head:
        yield f"the columns are {head}"
        return
    wanted = [
        (
            [record["document"], None, *(at(record["data"], path) for path, _ in single), *(at(entry, path) for path, _ in columns)],
            grades_of(record, "", ".".join([*names, str(number)])) if entry else grades_of(record, ""),
        )
        for record in results["records"]
        for number, entry in enumerate((at(record["data"], names) if tables else None) or [{}])
    ]
    if len(rows) != len(wanted):
        yield f"{len(rows)} rows for {len(wanted)}"
    for number, (row, (values, grades)) in enumerate(zip(rows, wanted), 2):
        if not is_graded(row[-2:], grades):
            yield f"row {number} has the grades {row[-2:]} for {grades}"
        for name, text, value in zip(head, row, values):
            if name != "name" and not is_same(text, value):
                yield f"row {number}, {name} is {text!r} for {value!r}"


def jsonl_faults(path, results):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if lines != results["records"]:
        yield "the lines are not the records"


def json_faults(path, results):
    with open(path, encoding="utf-8") as file:
        whole = json.load(file)
    if whole["records"] != results["records"] or whole["output_schema"] != results["output_schema"]:
        yield "the file is not the results"


JUDGES = {"xlsx": xlsx_faults, "csv": csv_faults, "jsonl": jsonl_faults, "json": json_faults}


def main():
    for line in sys.stdin:
        case = json.loads(line)
        for fault in JUDGES[case["file"].rsplit(".", 1)[-1]](case["file"], case["results"]):
            print(json.dumps({"case": case["case"], "path": case["file"].rsplit("/", 1)[-1], "fault": fault}))


if __name__ == "__main__":
    main()
