"""The little Markdown of the sources, cut into blocks for the programs that know none."""

import re


def blocks(text: str):
    """Yields ("heading", level, text), ("item", mark, text), ("table", rows) and ("text", text)."""
    for chunk in re.split(r"\n\s*\n", text.strip()):
        lines = chunk.strip().split("\n")
        if lines[0].startswith("#"):
            marks, _, title = lines[0].partition(" ")
            yield "heading", len(marks), title
        elif lines[0].startswith("|"):
            yield "table", rows(lines)
        elif re.match(r"(-|\d+\.) ", lines[0]):
            for line in lines:
                mark, _, item = line.partition(" ")
                yield "item", mark, item
        else:
            yield "text", " ".join(lines)


def rows(lines: list[str]) -> list[list[str]]:
    cells = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    return [row for row in cells if not all(re.fullmatch(r":?-+:?", cell) for cell in row)]


def tables(text: str) -> list[tuple[str, list[list[str]]]]:
    """The tables of a workbook by the heading above each."""
    found, name = [], ""
    for kind, *rest in blocks(text):
        if kind == "heading":
            name = rest[1]
        elif kind == "table":
            found.append((name, rest[0]))
    return found


def plain(text: str) -> str:
    """As somebody would type it into an editor."""
    lines = []
    for kind, *rest in blocks(text):
        if kind == "heading":
            lines += ["", rest[1], ("=" if rest[0] == 1 else "-") * len(rest[1])]
        elif kind == "item":
            lines.append(f"  {rest[0]} {rest[1]}")
        elif kind == "table":
            lines += ["", *["\t".join(row) for row in rest[0]], ""]
        else:
            lines += ["", rest[0]]
    return "\n".join(lines).strip() + "\n"
