"""Documents behind the password `secret`: what the tests want to see refused."""

import subprocess

import fpdf
import msoffcrypto

FILTERS = {"doc": "MS Word 97", "odt": "writer8", "xls": "MS Excel 97"}


def make(bench) -> None:
    letter = bench.folder / "complaint-letter.docx"
    sheet = bench.folder / "timesheet.xlsx"
    for source, kind in ((letter, "doc"), (letter, "odt"), (sheet, "xls")):
        made = bench.folder / f"locked.{kind}"
        subprocess.run(["/usr/bin/python3", "test/support/samples/lock.py", source, made, FILTERS[kind]], check=True, timeout=120)
        bench.keep(made, f"locked/{source.stem}.libreoffice.{kind}")
    for source in (letter, sheet):
        made = bench.folder / f"locked{source.suffix}"
        with source.open("rb") as plain, made.open("wb") as locked:
            msoffcrypto.OfficeFile(plain).encrypt("secret", locked)
        bench.keep(made, f"locked/{source.stem}.msoffcrypto{source.suffix}")
    made = fpdf.FPDF()
    made.add_page()
    made.set_font("helvetica")
    made.cell(text="The rent is due on Friday.")
    made.set_encryption(owner_password="owner", user_password="secret")
    path = bench.folder / "locked.pdf"
    made.output(str(path))
    bench.keep(path, "locked/letter.fpdf2.pdf")
