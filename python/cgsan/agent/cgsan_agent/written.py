"""What the system gives as bytes, in JSON, which is UTF-8: paths, words of command lines, names."""

import codecs
import json
import os

# Python keeps a byte that is no UTF-8 as one of these characters.
BYTES = range(0xDC80, 0xDD00)


def path(path):
    """A path for the command to open: a string, or its bytes as numbers where it is not UTF-8."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return list(os.fsencode(path))
    return path


def dumps(value):
    """A value as JSON in UTF-8. In texts, a byte that is none is written as `\\xHH`, as the recorder does."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", ERRORS)


def _written_out(error):
    def one(character):
        code = ord(character)
        # The backslash is one of the text, so JSON wants two.
        return f"\\\\x{code - 0xDC00:02x}" if code in BYTES else "\ufffd"

    return "".join(map(one, error.object[error.start : error.end])), error.end


ERRORS = "cgsan.written"
codecs.register_error(ERRORS, _written_out)
