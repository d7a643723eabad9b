"""Pictures of text: a printed receipt, notices and cards as PNG, JPEG, GIF and WebP, and a PDF that is a scan."""

import random

import img2pdf
from PIL import Image, ImageDraw, ImageFont

FONTS = "/usr/share/fonts/truetype"
SANS = f"{FONTS}/dejavu/DejaVuSans.ttf"
MONO = f"{FONTS}/dejavu/DejaVuSansMono.ttf"
SERIF = f"{FONTS}/dejavu/DejaVuSerif.ttf"


def make(bench) -> None:
    def kept(picture: Image.Image, name: str, **options) -> None:
        path = bench.folder / name
        picture.save(path, **options)
        bench.keep(path, name)

    receipt = drawn(bench.text("receipt.txt"), MONO, 26)
    notice = drawn(bench.text("notice.txt"), SANS, 34)
    badge = drawn(bench.text("conference-badge.txt"), SERIF, 36)
    meter = drawn(bench.text("meter-reading.txt"), SANS, 28)
    kept(receipt.convert("L"), "receipt.pillow.png", optimize=True)
    kept(scanned(receipt), "receipt.scan.jpg", quality=70)
    kept(notice.convert("P"), "notice.pillow.gif")
    kept(scanned(notice), "notice.scan.jpeg", quality=75)
    kept(notice, "notice.pillow.webp", quality=60)
    kept(badge.convert("P", palette=Image.Palette.ADAPTIVE, colors=8), "conference-badge.pillow.png", optimize=True)
    kept(badge, "conference-badge.pillow.webp", lossless=True)
    kept(badge.convert("L"), "conference-badge.pillow.gif")
    kept(meter, "meter-reading.pillow.jpg", quality=80)
    kept(scanned(meter), "meter-reading.scan.webp", quality=50)
    kept(meter.convert("1"), "meter-reading.pillow.gif")
    kept(scanned(receipt), "receipt.scan.pdf", resolution=150, save_all=True, append_images=[scanned(notice)])
    fax = bench.folder / "fax.pdf"
    meter.convert("1").save(fax, resolution=150)
    bench.keep(fax, "meter-reading.fax.pdf")
    jpeg2000 = bench.folder / "jpeg2000.pdf"
    meter.crop((0, 0, meter.width, 200)).convert("RGBA").save(jpeg2000, resolution=150)
    bench.keep(jpeg2000, "unread/meter-reading.jpeg2000.pdf")
    runs = bench.folder / "runs.tif"
    every_run().save(runs, compression="group4")
    (bench.folder / "runs.pdf").write_bytes(img2pdf.convert(str(runs)))
    bench.keep(bench.folder / "runs.pdf", "faxes/runs.img2pdf.pdf")
    every_run().save(bench.folder / "runs.pdf")
    bench.keep(bench.folder / "runs.pdf", "faxes/runs.pillow.pdf")
    first, *others = [on_paper(page) for page in (receipt, notice, meter)]
    first.save(bench.folder / "pages.pdf", save_all=True, append_images=others)
    bench.keep(bench.folder / "pages.pdf", "faxes/pages.pillow.pdf")
    screenshot(bench, "notice")


def on_paper(picture: Image.Image) -> Image.Image:
    """Black on white, on pages of one size."""
    paper = Image.new("1", (1000, 1000), 1)
    paper.paste(picture.convert("1"), (0, 0))
    return paper


def every_run() -> Image.Image:
    """Runs of every length, short and long; `unpack-fax.test.ts` makes the same picture."""
    width, height = 2719, 300
    pixels: list[int] = []
    for row in range(height):
        line: list[int] = []
        count = 0
        while len(line) < width:
            run = 1 + (row * 37 + count * count * 101) % (5, 70, 2700)[row % 3]
            line += [255 * ((row + count) % 2)] * run
            count += 1
        pixels += line[:width]
    picture = Image.new("1", (width, height))
    picture.putdata(pixels)
    return picture


def drawn(text: str, font: str, size: int) -> Image.Image:
    face = ImageFont.truetype(font, size)
    lines = text.rstrip().split("\n")
    width = max(int(face.getlength(line)) for line in lines) + 120
    picture = Image.new("RGB", (width, int(len(lines) * size * 1.5) + 120), "white")
    draw = ImageDraw.Draw(picture)
    for at, line in enumerate(lines):
        draw.text((60, 60 + at * size * 1.5), line, fill=(20, 20, 30), font=face)
    return picture


def scanned(picture: Image.Image) -> Image.Image:
    """A little crooked, greyish and noisy, as from a flatbed."""
    noise = random.Random(11)
    turned = picture.rotate(0.6, expand=True, fillcolor=(244, 242, 236), resample=Image.Resampling.BICUBIC).convert("L")
    pixels = turned.load()
    for _ in range(turned.width * turned.height // 60):
        at = noise.randrange(turned.width), noise.randrange(turned.height)
        pixels[at] = max(0, pixels[at] - noise.randrange(90))
    return turned


def screenshot(bench, name: str) -> None:
    page = bench.folder / f"{name}.html"
    page.write_text(f"<pre style='font: 26px Georgia, serif; margin: 40px'>{bench.text(name + '.txt')}</pre>")
    path = bench.folder / f"{name}.png"
    bench.chromium(f"--screenshot={path}", "--window-size=760,620", page.as_uri())
    bench.keep(path, f"{name}.chromium.png")
