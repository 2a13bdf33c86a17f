"""The encoding of a text file.

It is that of a byte order mark, or UTF-8. Text that is not UTF-8 is taken for cp1252,
which spreadsheets on Windows write in the west of Europe and in America, unless it has
bytes that cp1252 has not, or is UTF-8 for the most part: then it is damaged.
"""

import codecs
import re
from functools import partial
from itertools import chain
from typing import NamedTuple

from maxmargin.tables.formats import InputFile
from maxmargin.tables.table import TableError

_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # begins as that of UTF-16
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_NOT_UTF8 = re.compile("[\udc80-\udcff]")  # as `surrogateescape` writes these bytes
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_NOT_CP1252 = re.compile(b"[\x81\x8d\x8f\x90\x9d]")
_CP1252_NOTE = (
    "the text is not UTF-8 and is read as cp1252: if letters are wrong, give "
    "the encoding"
)


class Encoding(NamedTuple):
    """The name of an encoding, and notes for the user."""

    name: str
    notes: tuple[str, ...] = ()


def find_encoding(file: InputFile) -> Encoding:
    """Return the encoding of a file; UTF-8 if none is found that fits."""
    n_others = n_invalid = 0
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    plain = True  # as far as cp1252 is concerned
    with file.open() as stream:
        start = stream.read(1 << 16)
        for mark, name in _BYTE_ORDER_MARKS.items():
            if start.startswith(mark):
                return Encoding(name)
        if b"\0" in start:
            raise TableError(
                f"{file.name} is not a table: it is a binary file, not text, or it "
                "needs --encoding utf-16."
            )
        for chunk in chain([start], iter(partial(stream.read, 1 << 20), b""), [b""]):
            text = decoder.decode(chunk, final=not chunk)
            if not text.isascii():
                invalid = len(_NOT_UTF8.findall(text))
                n_invalid += invalid
                n_others += len(_NOT_ASCII.findall(text)) - invalid
                plain = plain and _NOT_CP1252.search(chunk) is None
    if n_invalid and plain and n_invalid >= n_others:
        return Encoding("cp1252", (_CP1252_NOTE,))
    return Encoding("utf-8")
