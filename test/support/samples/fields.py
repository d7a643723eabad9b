"""The documents of the evaluation of named rules, from test/agents/processing/fields/sources, by the same programs as the samples.

    python3 test/support/samples/fields.py

needs what make.py needs, less Chromium. Documents of test/engines/documents/samples are evaluated beside them.
"""

import shutil
import tempfile
from pathlib import Path

import documents
import make
import markdown
import pictures
import sheets

FOLDER = Path("test/agents/processing/fields")
OFFICE = {
    "bank-letter-zuerich": "pdf",
    "contrat-atlantique": "docx",
    "credit-note-shannon": "odt",
    "factura-olivares": "pdf",
    "facture-lumiere": "doc",
    "insurance-renewal-pennine": "pdf",
    "mietvertrag-seeblick": "doc",
    "nda-falkenberg": "rtf",
    "rechnung-holzapfel": "pdf",
    "services-agreement-cedar": "odt",
}
PANDOC = {
    "email-thread-quarry": "html",
    "factuur-van-dijk": "docx",
    "invoice-redwood": "html",
    "notulen-waterschap": "rtf",
    "quarterly-report-deccan": "odt",
    "quotation-gent": "docx",
    "umowa-wisla": "html",
}
REPORTLAB = ("fattura-bellini", "invoice-redwood", "purchase-order-thornbury", "services-agreement-cedar")
WEASY = ("factuur-van-dijk", "quarterly-report-deccan", "rechnung-holzapfel")
PYTHON_DOCX = ("lieferschein-graz", "payslip-nordvik", "purchase-order-thornbury", "travel-claim-tacoma")
PLAIN = ("email-thread-quarry", "umowa-wisla")


class Bench(make.Bench):
    def source(self, name: str) -> Path:
        return (FOLDER / "sources" / name).resolve()

    def keep(self, made: Path, name: str) -> None:
        shutil.copyfile(made, FOLDER / "documents" / name)
        print(f"{name}: {made.stat().st_size:,} bytes")


def main(bench: Bench) -> None:
    for name, kind in PANDOC.items():
        bench.keep(bench.pandoc(bench.source(f"{name}.md"), f"{name}.{kind}"), f"{name}.pandoc.{kind}")
    for name, kind in OFFICE.items():
        opened = bench.pandoc(bench.source(f"{name}.md"), f"{name}.odt")
        bench.keep(bench.office(opened, kind), f"{name}.libreoffice.{kind}")
    for name in REPORTLAB:
        bench.keep(documents.reportlab(bench, name, 1), f"{name}.reportlab.pdf")
    for name in WEASY:
        bench.keep(documents.weasy(bench, name), f"{name}.weasyprint.pdf")
    for name in PYTHON_DOCX:
        bench.keep(documents.python_docx(bench, name), f"{name}.python-docx.docx")
    bench.keep(documents.fpdf2(bench, "tax-notice-umbria"), "tax-notice-umbria.fpdf2.pdf")
    for name in PLAIN:
        path = bench.folder / f"{name}.txt"
        path.write_text(markdown.plain(bench.text(f"{name}.md")), encoding="utf-8")
        bench.keep(path, f"{name}.utf8.txt")
    bench.keep(sheets.with_xlsxwriter(bench, "statement-kestrel"), "statement-kestrel.xlsxwriter.xlsx")
    by_openpyxl = sheets.with_openpyxl(bench, "rate-card-lisbon")
    bench.keep(by_openpyxl, "rate-card-lisbon.openpyxl.xlsx")
    bench.keep(bench.office(by_openpyxl, "ods"), "rate-card-lisbon.libreoffice.ods")
    text = bench.text("kassenbon-biomarkt.md").replace("\n\n", "\n")
    printed = bench.folder / "kassenbon.png"
    pictures.drawn(text, pictures.SANS, 32).convert("L").save(printed, optimize=True)
    bench.keep(printed, "kassenbon-biomarkt.pillow.png")


if __name__ == "__main__":
    (FOLDER / "documents").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        main(Bench(Path(folder)))
