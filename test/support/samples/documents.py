"""Texts: DOCX, ODT, DOC, RTF, PDF, HTML, plain text, data and code, each by several programs."""

import json
from xml.etree import ElementTree

import docx
import fpdf
import weasyprint
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import BaseDocTemplate, Frame, ListFlowable, PageTemplate, Paragraph, Spacer, Table

import markdown

FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"

# Which texts become what, so that every type has at least three programs or texts and no text is everywhere.
OFFICE = {
    "lease-contract": ["docx", "doc", "pdf"],
    "employment-contract": ["odt", "doc", "rtf"],
    "board-minutes-march": ["docx", "rtf", "html"],
    "research-summary": ["docx", "odt", "doc", "rtf", "pdf"],
    "incident-report": ["doc", "odt"],
    "cv-marta-lindqvist": ["docx", "pdf"],
    "supply-agreement": ["doc", "pdf", "rtf"],
    "lab-protocol": ["odt", "doc"],
}
PANDOC = {
    "lease-contract": ["docx", "html"],
    "service-manual": ["docx"],
    "research-summary": ["docx", "html"],
    "travel-policy": ["rtf", "odt"],
    "complaint-letter": ["rtf", "docx"],
    "incident-report": ["html"],
}


def make(bench) -> None:
    for name, types in PANDOC.items():
        for kind in types:
            bench.keep(bench.pandoc(bench.source(f"{name}.md"), f"{name}.{kind}"), f"{name}.pandoc.{kind}")
    for name, types in OFFICE.items():
        opened = bench.pandoc(bench.source(f"{name}.md"), f"{name}.odt")
        for kind in types:
            bench.keep(bench.office(opened, kind), f"{name}.libreoffice.{kind}")
    for name in ("invoice", "board-minutes-march", "cv-marta-lindqvist"):
        bench.keep(python_docx(bench, name), f"{name}.python-docx.docx")
    for name in ("service-manual", "invoice"):
        bench.keep(reportlab(bench, name, 1), f"{name}.reportlab.pdf")
    bench.keep(reportlab(bench, "press-release", 2), "press-release.reportlab-columns.pdf")
    for name in ("annual-report", "travel-policy", "board-minutes-march"):
        bench.keep(chromium(bench, name), f"{name}.chromium.pdf")
    bench.keep(weasy(bench, "incident-report"), "incident-report.weasyprint.pdf")
    bench.keep(fpdf2(bench, "complaint-letter"), "complaint-letter.fpdf2.pdf")
    texts(bench)
    data(bench)


def python_docx(bench, name: str):
    made = docx.Document()
    made.sections[0].footer.paragraphs[0].text = "Confidential draft, not for circulation"
    for kind, *rest in markdown.blocks(bench.text(f"{name}.md")):
        if kind == "heading":
            made.add_heading(rest[1], rest[0])
        elif kind == "item":
            made.add_paragraph(rest[1], style="List Bullet" if rest[0] == "-" else "List Number")
        elif kind == "table":
            table = made.add_table(len(rest[0]), len(rest[0][0]), style="Table Grid")
            for row, cells in zip(table.rows, rest[0]):
                for cell, text in zip(row.cells, cells):
                    cell.text = text
        else:
            made.add_paragraph(rest[0])
    path = bench.folder / f"{name}.python.docx"
    made.save(path)
    return path


def reportlab(bench, name: str, columns: int):
    styles = getSampleStyleSheet()
    story = []
    for kind, *rest in markdown.blocks(bench.text(f"{name}.md")):
        if kind == "heading":
            story.append(Paragraph(rest[1], styles[f"Heading{rest[0]}"]))
        elif kind == "item":
            story.append(ListFlowable([Paragraph(rest[1], styles["BodyText"])], bulletType="bullet"))
        elif kind == "table":
            cells = [[Paragraph(cell, styles["BodyText"]) for cell in row] for row in rest[0]]
            story += [Table(cells, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.grey)]), Spacer(1, 10)]
        else:
            story.append(Paragraph(rest[0], styles["BodyText"]))
    path = bench.folder / f"{name}.reportlab.pdf"
    width = (A4[0] - 100) / columns
    frames = [Frame(50 + at * width, 400 if columns > 1 else 50, width - 10, 350 if columns > 1 else A4[1] - 100)
              for at in range(columns)]
    made = BaseDocTemplate(str(path), pagesize=A4, invariant=1)
    made.addPageTemplates([PageTemplate(frames=frames)])
    made.build(story)
    return path


def chromium(bench, name: str):
    page = bench.pandoc(bench.source(f"{name}.md"), f"{name}.print.html")
    path = bench.folder / f"{name}.chromium.pdf"
    bench.chromium("--no-pdf-header-footer", f"--print-to-pdf={path}", page.as_uri())
    return path


def weasy(bench, name: str):
    page = bench.pandoc(bench.source(f"{name}.md"), f"{name}.weasy.html")
    path = bench.folder / f"{name}.weasy.pdf"
    weasyprint.HTML(str(page)).write_pdf(str(path))
    return path


def fpdf2(bench, name: str):
    made = fpdf.FPDF()
    made.add_font("dejavu", fname=FONT)
    made.add_page()
    for kind, *rest in markdown.blocks(bench.text(f"{name}.md")):
        made.set_font("dejavu", size=18 if kind == "heading" else 11)
        made.multi_cell(0, 7, rest[-1], new_x="LMARGIN", new_y="NEXT")
        made.ln(3)
    path = bench.folder / f"{name}.fpdf2.pdf"
    made.output(str(path))
    return path


def texts(bench) -> None:
    def kept(name: str, text: str, encoding: str) -> None:
        path = bench.folder / name
        path.write_bytes(text.encode(encoding))
        bench.keep(path, name)

    kept("employment-contract.utf16.txt", markdown.plain(bench.text("employment-contract.md")), "utf-16")
    kept("travel-policy.utf8-bom.txt", markdown.plain(bench.text("travel-policy.md")), "utf-8-sig")
    kept("press-release.latin1.txt", markdown.plain(bench.text("press-release.md")), "latin-1")
    kept("lab-protocol.utf8.txt", markdown.plain(bench.text("lab-protocol.md")), "utf-8")
    kept("changelog.editor.md", bench.text("changelog.md"), "utf-8")
    kept("lab-protocol.editor.md", bench.text("lab-protocol.md"), "utf-8")
    kept("service-manual.editor.md", bench.text("service-manual.md"), "utf-8")
    for name, kind in (("route_planner", "py"), ("tide-table", "ts"), ("rates", "js")):
        kept(f"{name}.editor.{kind}", bench.text(f"{name}.{kind}"), "utf-8")


def data(bench) -> None:
    bench.keep(bench.source("orders.json"), "orders.editor.json")
    minified = bench.folder / "orders.minified.json"
    minified.write_text(json.dumps(json.loads(bench.text("orders.json")), ensure_ascii=False, separators=(",", ":")))
    bench.keep(minified, "orders.minified.json")
    tables = markdown.tables(bench.text("timesheet.md"))
    months = {name: [dict(zip(head, row)) for row in rows] for name, (head, *rows) in tables}
    rows_json = bench.folder / "timesheet.json"
    rows_json.write_text(json.dumps(months, indent=1), encoding="utf-8")
    bench.keep(rows_json, "timesheet.python.json")
    bench.keep(bench.source("catalogue.xml"), "catalogue.editor.xml")
    bench.keep(bench.pandoc(bench.source("press-release.md"), "press.xml", "-t", "docbook"), "press-release.pandoc.xml")
    root = ElementTree.Element("timesheet")
    for name, rows in months.items():
        table = ElementTree.SubElement(root, "table", name=name)
        for row in rows:
            line = ElementTree.SubElement(table, "row")
            for key, value in row.items():
                ElementTree.SubElement(line, "cell", of=key).text = value
    tree = bench.folder / "timesheet.xml"
    ElementTree.ElementTree(root).write(tree, encoding="iso-8859-1", xml_declaration=True)
    bench.keep(tree, "timesheet.python.xml")
