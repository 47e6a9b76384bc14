"""Map images in the form of MBTiles 1.3."""

import sqlite3
import struct
import zlib


def write_map(path, colour):
    """One image for the whole Earth, in the form of MBTiles 1.3."""
    database = sqlite3.connect(path)
    database.executescript("CREATE TABLE metadata (name TEXT, value TEXT); "
                           "CREATE TABLE tiles (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER, tile_data BLOB);")
    metadata = {"name": "test", "format": "png", "minzoom": "0", "maxzoom": "0", "attribution": "drawn by the test"}
    database.executemany("INSERT INTO metadata VALUES (?, ?)", metadata.items())
    database.execute("INSERT INTO tiles VALUES (0, 0, 0, ?)", [image(colour)])
    database.commit()
    database.close()


def image(colour):
    """A PNG of 256 by 256 pixels."""
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    rows = (b"\0" + bytes(colour) * 256) * 256
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
