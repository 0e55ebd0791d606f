"""A scene as a PDF file: one page, its shapes as they are, and its text in an embedded font.

Written by hand, since it is little: matplotlib sets a thousand labels in several seconds. The glyphs that occur are
embedded (fontTools takes them out of the font), and a table says what they mean, so that text can be searched.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from structtree.report.scene import ARC, Box, Curve, Label, Scene, Stroke, bends

__all__ = ["to_pdf"]

_LONGEST = 14_400.0
"""No side of a page may be longer, in points."""


def to_pdf(scene: Scene, fonts: Mapping[bool, Path]) -> bytes:
    """Return a scene as the content of a PDF file.

    Parameters
    ----------
    scene : Scene
    fonts : mapping from bool to path
        The TrueType fonts for plain and for bold text.
    """
    used = {bold: _Font.of(fonts[bold], _signs(scene, bold=bold)) for bold in (False, True)}
    scale = min(1.0, _LONGEST / max(scene.width, scene.height))
    content = [f"{scale:.5f} 0 0 {-scale:.5f} 0 {scene.height * scale:.2f} cm"]
    for item in scene.items:
        content += _shape(item) if not isinstance(item, Label) else _words(item, used[item.bold])
    page = (
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {scene.width * scale:.2f} {scene.height * scale:.2f}] "
        "/Contents 4 0 R /Resources << /Font << /F0 5 0 R /F1 10 0 R >> >> >>"
    )
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>", page.encode()]
    objects.append(_stream("\n".join(content).encode("ascii")))
    objects += [*used[False].objects(5), *used[True].objects(10)]
    return _file(objects)


def _signs(scene: Scene, *, bold: bool) -> frozenset[str]:
    labels = (item for item in scene.items if isinstance(item, Label) and item.bold == bold)
    return frozenset(sign for label in labels for sign in label.text) | {" "}


# ---- what is painted ------------------------------------------------------------------------------------


def _shape(item: Box | Curve | Stroke) -> Iterator[str]:
    if isinstance(item, Stroke):
        look = "0 J [4 3] 0 d" if item.dashed else "1 J [] 0 d"
        yield f"{_rgb(item.colour)} RG {item.line:.2f} w {look} {item.x:.1f} {item.y:.1f} m"
        yield f"{item.to_x:.1f} {item.to_y:.1f} l S"
        return
    if isinstance(item, Curve):
        bent = " ".join(f"{x:.1f} {y:.1f}" for x, y in bends(item))
        yield f"{_rgb(item.colour)} RG {item.line:.2f} w {item.x:.1f} {item.y:.1f} m {bent} c S"
        return
    line = item.line if item.edge != "none" else 0.0
    fill, edge = _rgb(item.fill), f"{_rgb(item.edge)} RG {line:.2f} w " if line else ""
    dashes = "[4 3] 0 d" if item.dashed else "[] 0 d"
    yield f"{fill} rg {edge}{dashes if line else ''} {_outline(item)} {'B' if line else 'f'}"


def _outline(box: Box) -> str:
    """Return the path of a box with round corners."""
    left, top, right, bottom = box.x, box.y, box.x + box.width, box.y + box.height
    r = min(box.radius, box.width / 2, box.height / 2)
    if not r:
        return f"{left:.1f} {top:.1f} {box.width:.2f} {box.height:.2f} re"
    k, path = r * (1 - ARC), [f"{left + r:.1f} {top:.1f} m"]
    corners = ((right, top, 1, 0), (right, bottom, 0, 1), (left, bottom, -1, 0), (left, top, 0, -1))
    for x, y, dx, dy in corners:
        path.append(f"{x - r * dx:.1f} {y - r * dy:.1f} l")
        ends = (x - k * dx, y - k * dy, x - k * dy, y + k * dx, x - r * dy, y + r * dx)
        path.append(" ".join(f"{end:.1f}" for end in ends) + " c")
    return " ".join([*path, "h"])


def _words(label: Label, font: _Font) -> Iterator[str]:
    glyphs = [font.glyphs.get(sign, 0) for sign in label.text]
    width = label.size * sum(font.widths.get(glyph, 600) for glyph in glyphs) / 1000
    x = label.x - {"start": 0.0, "middle": width / 2, "end": width}[label.anchor]
    text = "".join(f"{glyph:04x}" for glyph in glyphs)
    name = "F1" if label.bold else "F0"
    yield f"BT {_rgb(label.colour)} rg /{name} {label.size:.1f} Tf 1 0 0 -1 {x:.1f} {label.y:.1f} Tm <{text}> Tj ET"


def _rgb(colour: str) -> str:
    return " ".join(f"{int(colour[i : i + 2], 16) / 255:.3f}" for i in (1, 3, 5))


# ---- fonts ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Font:
    """The part of a font that is used: its file, the glyph of each sign, and how wide glyphs are in thousandths."""

    content: bytes
    glyphs: dict[str, int]
    widths: dict[int, int]

    @classmethod
    def of(cls, path: Path, signs: Iterable[str]) -> _Font:
        from fontTools.subset import Options, Subsetter
        from fontTools.ttLib import TTFont

        with TTFont(path, lazy=True) as font:
            known, metrics, unit = font.getBestCmap(), font["hmtx"], font["head"].unitsPerEm
            glyphs = {sign: font.getGlyphID(known[ord(sign)]) for sign in signs if ord(sign) in known}
            widths = {glyph: round(1000 * metrics[known[ord(sign)]][0] / unit) for sign, glyph in glyphs.items()}
            options = Options(
                retain_gids=True, notdef_outline=True, glyph_names=False, hinting=False, layout_features=[]
            )
            options.drop_tables += ["FFTM"]  # of which fontTools would say that it does not know it
            subsetter = Subsetter(options)
            subsetter.populate(unicodes=map(ord, glyphs))
            subsetter.subset(font)
            file = io.BytesIO()
            font.save(file)
        return cls(file.getvalue(), glyphs, widths)

    def objects(self, first: int) -> Iterator[bytes]:
        """Yield the five objects of a font, the first of which has this number."""
        widths = " ".join(f"{glyph} [{width}]" for glyph, width in sorted(self.widths.items()))
        name = f"/ST{first:04d}+Sans"
        yield (
            f"<< /Type /Font /Subtype /Type0 /BaseFont {name} /Encoding /Identity-H "
            f"/DescendantFonts [{first + 1} 0 R] /ToUnicode {first + 4} 0 R >>"
        ).encode()
        yield (
            f"<< /Type /Font /Subtype /CIDFontType2 /BaseFont {name} /CIDToGIDMap /Identity /DW 600 /W [{widths}] "
            f"/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> "
            f"/FontDescriptor {first + 2} 0 R >>"
        ).encode()
        yield (
            f"<< /Type /FontDescriptor /FontName {name} /Flags 4 /FontBBox [-1000 -300 1500 1200] /ItalicAngle 0 "
            f"/Ascent 930 /Descent -240 /CapHeight 730 /StemV 80 /FontFile2 {first + 3} 0 R >>"
        ).encode()
        yield _stream(self.content, f"/Length1 {len(self.content)}")
        yield _stream(self._meanings().encode())

    def _meanings(self) -> str:
        """Return the table from glyphs to the signs that they stand for, in the hundreds that the format allows."""
        pairs = [f"<{glyph:04x}> <{sign.encode('utf-16-be').hex()}>" for sign, glyph in sorted(self.glyphs.items())]
        parts = [pairs[i : i + 100] for i in range(0, len(pairs), 100)]
        tables = [f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar" for part in parts]
        return "\n".join([
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def /CMapName /Signs def",
            "1 begincodespacerange <0000> <ffff> endcodespacerange",
            *tables,
            "endcmap CMapName currentdict /CMap defineresource pop end end",
        ])  # fmt: skip


# ---- the file -------------------------------------------------------------------------------------------


def _stream(content: bytes, more: str = "") -> bytes:
    packed = zlib.compress(content)
    return f"<< /Length {len(packed)} /Filter /FlateDecode {more} >>\nstream\n".encode() + packed + b"\nendstream"


def _file(objects: list[bytes]) -> bytes:
    """Return the objects one after the other, with the table that says where each begins."""
    file, places = bytearray(b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n"), []
    for number, content in enumerate(objects, 1):
        places.append(len(file))
        file += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    end = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(file)}\n%%EOF\n"
    return bytes(file) + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode()
