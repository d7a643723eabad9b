"""Presentations: PPTX, PPT and ODP."""

import re

from pptx import Presentation
from pptx.util import Inches

import markdown


def make(bench) -> None:
    for name in ("kickoff-slides", "strategy-slides", "training-slides"):
        shown = bench.folder / f"{name}.md"
        shown.write_text(re.sub(r"^Notes: (.*)$", r"::: notes\n\1\n:::", bench.text(f"{name}.md"), flags=re.M))
        by_pandoc = bench.pandoc(shown, f"{name}.pptx", "--slide-level=1")
        own = with_python_pptx(bench, name)
        bench.keep(by_pandoc, f"{name}.pandoc.pptx")
        bench.keep(bench.office(own, "ppt"), f"{name}.libreoffice.ppt")
        bench.keep(bench.office(own, "odp"), f"{name}.libreoffice.odp")
    bench.keep(bench.folder / "training-slides.python.pptx", "training-slides.python-pptx.pptx")
    again = bench.folder / "office" / "strategy-slides.python.odp"
    bench.keep(bench.office(again, "pptx"), "strategy-slides.libreoffice.pptx")


def with_python_pptx(bench, name: str):
    show = Presentation()
    slide = body = None
    for kind, *rest in markdown.blocks(bench.text(f"{name}.md")):
        if kind == "heading":
            slide = show.slides.add_slide(show.slide_layouts[1])
            slide.shapes.title.text = rest[1]
            body = slide.placeholders[1].text_frame
        elif kind == "table":
            table = slide.shapes.add_table(len(rest[0]), len(rest[0][0]), Inches(1), Inches(3), Inches(8), Inches(3)).table
            for row, cells in enumerate(rest[0]):
                for column, text in enumerate(cells):
                    table.cell(row, column).text = text
        elif rest[-1].startswith("Notes: "):
            slide.notes_slide.notes_text_frame.text = rest[-1].removeprefix("Notes: ")
        else:
            line = body.paragraphs[0] if body.text == "" else body.add_paragraph()
            line.text = rest[-1]
    path = bench.folder / f"{name}.python.pptx"
    show.save(str(path))
    return path
