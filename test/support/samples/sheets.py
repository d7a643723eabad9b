"""Spreadsheets: XLSX, XLS, ODS and CSV, with real numbers and dates where the sources show them."""

import datetime
import re

import openpyxl
import xlsxwriter
import xlwt
from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P

import markdown


def typed(text: str):
    """The value of a cell and the format that shows it as the source does."""
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return datetime.date.fromisoformat(text), "yyyy-mm-dd"
    if re.fullmatch(r"\d+%", text):
        return int(text[:-1]) / 100, "0%"
    if re.fullmatch(r"[\d,]+\.\d\d", text):
        return float(text.replace(",", "")), "#,##0.00" if "," in text else "0.00"
    return (int(text), "0") if re.fullmatch(r"\d+", text) else (text, "General")


def make(bench) -> None:
    for name in ("budget-2026", "timesheet", "stock-list"):
        by_openpyxl = with_openpyxl(bench, name)
        bench.keep(by_openpyxl, f"{name}.openpyxl.xlsx")
        for kind in ("xls", "ods"):
            bench.keep(bench.office(by_openpyxl, kind), f"{name}.libreoffice.{kind}")
    bench.keep(with_xlsxwriter(bench, "timesheet"), "timesheet.xlsxwriter.xlsx")
    bench.keep(bench.office(with_xlsxwriter(bench, "budget-2026"), "xlsx:Calc MS Excel 2007 XML"), "budget-2026.libreoffice.xlsx")
    bench.keep(with_xlwt(bench, "budget-2026"), "budget-2026.xlwt.xls")
    bench.keep(with_odfpy(bench, "timesheet"), "timesheet.odfpy.ods")
    separated(bench)


def with_openpyxl(bench, name: str):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in markdown.tables(bench.text(f"{name}.md")):
        sheet = book.create_sheet(title)
        for number, row in enumerate(rows, 1):
            for column, text in enumerate(row, 1):
                value, shown = typed(text)
                cell = sheet.cell(number, column, value)
                cell.number_format = shown
    path = bench.folder / f"{name}.xlsx"
    book.save(path)
    return path


def with_xlsxwriter(bench, name: str):
    path = bench.folder / f"{name}.writer.xlsx"
    book = xlsxwriter.Workbook(str(path))
    for title, rows in markdown.tables(bench.text(f"{name}.md")):
        sheet = book.add_worksheet(title)
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                value, shown = typed(text)
                style = book.add_format({"num_format": shown})
                write = sheet.write_datetime if isinstance(value, datetime.date) else sheet.write
                write(number, column, value, style)
    book.close()
    return path


def with_xlwt(bench, name: str):
    book = xlwt.Workbook()
    for title, rows in markdown.tables(bench.text(f"{name}.md")):
        sheet = book.add_sheet(title)
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                value, shown = typed(text)
                sheet.write(number, column, value, xlwt.easyxf(num_format_str=shown))
    path = bench.folder / f"{name}.xls"
    book.save(str(path))
    return path


def with_odfpy(bench, name: str):
    book = OpenDocumentSpreadsheet()
    for title, rows in markdown.tables(bench.text(f"{name}.md")):
        table = Table(name=title)
        for row in rows:
            line = TableRow()
            for text in row:
                cell = TableCell(valuetype="string")
                cell.addElement(P(text=text))
                line.addElement(cell)
            table.addElement(line)
        book.spreadsheet.addElement(table)
    path = bench.folder / f"{name}.odfpy.ods"
    book.save(str(path))
    return path


def separated(bench) -> None:
    for name, encoding in (("utf8", "utf-8"), ("windows-1252", "cp1252"), ("utf16", "utf-16")):
        path = bench.folder / f"customers.{name}.csv"
        text = bench.text("customers.csv")
        # Windows-1252 has no Ş.
        path.write_bytes((text.replace("Ş", "S") if name == "windows-1252" else text).encode(encoding))
        bench.keep(path, path.name)
    bench.keep(bench.source("measurements.csv"), "measurements.logger.csv")
    bench.keep(bench.office(bench.folder / "stock-list.xlsx", "csv:Text - txt - csv (StarCalc):44,34,76"), "stock-list.libreoffice.csv")
