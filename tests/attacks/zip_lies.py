"""A zip that lies about its sizes: the directory promises ten bytes and the member unpacks to thirty megabytes, with a
checksum that fits neither.

Verdict: refused cannot be unpacked
Class G.
"""

import io
import struct
import zipfile
from pathlib import Path


def handed_in(folder: Path) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("attention.py", bytes(30 << 20))
    content = bytearray(made.getvalue())
    directory = content.rindex(b"PK\x01\x02")
    struct.pack_into("<I", content, directory + 24, 10)  # the size that it unpacks to, in the directory
    struct.pack_into("<I", content, 22, 10)  # and before the member
    (folder / "zip_lies.zip").write_bytes(content)
