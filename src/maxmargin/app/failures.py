"""Errors as the user reads them: one sentence, without the paths of the server."""

import errno

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


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
    return " ".join(str(error).split()) or type(error).__name__
