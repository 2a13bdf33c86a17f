"""Errors as the user reads them: one sentence, without the paths of the server."""

import errno
import re

# What the options of the command are called on the page, in errors and notes of tables.
ON_THE_PAGE = {
    r"To use the column as text: --text [^;]+; to leave it out: --drop .+\.$": (
        "Choose how text is written, or leave out the column."
    ),
    r",? (?:or )?give the right one with --decimal": ", or choose the decimal sign",
    r"give the encoding, such as --encoding cp1252": "choose the encoding of text",
    r"give the delimiter with --delimiter": "use commas, semicolons or tabs",
    r"skip comments with --comment ('.')": r"remove the lines that begin with \1",
    r"cluster it alone with --features .+$": "choose it as the only column",
    r"give --scale on if their units differ, or --scale off": (
        "set Scale columns to yes if their units differ"
    ),
    r"use --missing median, or --drop the columns with missing values": (
        "replace missing values, or leave out the columns that have them"
    ),
    r"replace them with --missing median, or drop their rows with --missing drop": (
        "choose what to do under Missing values"
    ),
}
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def for_page(text: str) -> str:
    """Return a sentence with the words of the page in place of options."""
    for pattern, words in ON_THE_PAGE.items():
        text = re.sub(pattern, words, text)
    return text


def reason_of(error: BaseException) -> str:
    """Return an error in one sentence.

    Errors of the system name files of the server, which tell the user nothing.
    """
    if isinstance(error, OSError) and error.errno in FULL:
        return "The disk of the app is full: free some space, and do it again."
    if isinstance(error, OSError) and error.strerror:
        return (
            f"The app cannot use a file in its folder ({error.strerror}): see that it "
            "can read and write there."
        )
    return for_page(" ".join(str(error).split())) or type(error).__name__
