"""Makes test/engines/documents/samples anew from the texts in its folder `sources`, by programs other than the product.

Needs Debian's libreoffice-writer, libreoffice-calc, libreoffice-impress, pandoc, chromium, poppler-utils and
fonts-dejavu, and from PyPI reportlab, fpdf2, weasyprint, python-docx, python-pptx, openpyxl, XlsxWriter, xlwt, odfpy,
pillow, img2pdf, msoffcrypto-tool. What `lock.py` needs is said there. Run it from the root of the project:

    python3 test/support/samples/make.py

A sample is called <source>.<program>.<type>, so its text can be found; the tests need only the committed files.
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import documents
import locked
import pictures
import sheets
import slides

SAMPLES = Path("test/engines/documents/samples")
SOURCES = SAMPLES / "sources"


def run(*command: str, cwd: Path) -> None:
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=180)


class Bench:
    """A folder to work in, and what all makers need of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def source(self, name: str) -> Path:
        return (SOURCES / name).resolve()

    def text(self, name: str) -> str:
        return self.source(name).read_text(encoding="utf-8")

    def pandoc(self, source: Path, to: str, *options: str) -> Path:
        made = self.folder / to
        run("pandoc", str(source), "-s", "-o", str(made), "--metadata", "lang=en-GB", *options, cwd=self.folder)
        return made

    def office(self, source: Path, to: str) -> Path:
        """Converts by LibreOffice; `to` is a type, or a type and a filter."""
        out = self.folder / "office"
        profile = (self.folder / "profile").as_uri()
        run("soffice", f"-env:UserInstallation={profile}", "--headless", "--convert-to", to, "--outdir", str(out),
            str(source), cwd=self.folder)
        return out / f"{source.stem}.{to.split(':')[0]}"

    def chromium(self, *options: str) -> None:
        run("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *options, cwd=self.folder)

    def keep(self, made: Path, name: str) -> None:
        shutil.copyfile(made, SAMPLES / name)
        print(f"{name}: {made.stat().st_size:,} bytes")


def main() -> None:
    for old in SAMPLES.iterdir():
        if old.is_file():
            old.unlink()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        for kind in (documents, sheets, slides, pictures, locked):
            kind.make(bench)


if __name__ == "__main__":
    main()
