"""Makes the bad images of this folder. Needs Pillow. The message each must get stands in
`tests/tests/bad_images.rs`."""

import io
import struct
import zlib
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent


def encode(fmt, **options):
    image = Image.linear_gradient("L").resize((48, 40)).convert("RGB")
    buffer = io.BytesIO()
    image.save(buffer, fmt, **options)
    return buffer.getvalue()


def png_header(width, height):
    data = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + data + struct.pack(">I", zlib.crc32(data))


def patched(data, at, value):
    return data[:at] + value + data[at + len(value) :]


jpeg, png, gif = encode("JPEG"), encode("PNG"), encode("GIF")
frame = jpeg.index(b"\xff\xc0")
files = {
    "empty.jpg": b"",
    "text.jpg": b"These are not the pixels you are looking for.\n",
    "page.html.jpg": b"<!DOCTYPE html>\n<title>404 Not Found</title>\n",
    "model.onnx.png": b"\x08\x08\x12\x07pytorch\x1a\x052.0.0:\x10",
    "one_byte.png": b"\x89",
    "half.jpg": jpeg[: len(jpeg) // 2],
    "without_end_marker.jpg": jpeg[:-2],
    "only_markers.jpg": b"\xff\xd8\xff\xd9",
    "half.png": png[: len(png) // 2],
    "half.gif": gif[: len(gif) // 2],
    "half.bmp": (lambda data: data[: len(data) // 2])(encode("BMP")),
    "half.tiff": (lambda data: data[: len(data) // 2])(encode("TIFF")),
    "half.webp": (lambda data: data[: len(data) // 2])(encode("WEBP", lossless=True)),
    "bad_checksum.png": patched(png, 29, b"\0\0\0\0"),
    "bad_pixels.png": patched(png, png.index(b"IDAT") + 4, b"\xff" * 8),
    "no_pixels.png": png_header(0, 5) + png[33:],
    "bomb.png": png_header(60000, 60000) + png[33:],
    "bomb.jpg": patched(jpeg, frame + 5, struct.pack(">HH", 65500, 65500)),
    "bomb.gif": patched(gif, 6, struct.pack("<HH", 65535, 65535)),
    "arithmetic.jpg": patched(jpeg, frame + 1, b"\xc9"),
    "palette.tiff": (lambda b: (Image.linear_gradient("L").resize((9, 9)).convert("P").save(b, "TIFF"), b.getvalue())[1])(
        io.BytesIO()
    ),
    "photo.avif": b"\0\0\0\x20ftypavif\0\0\0\0avifmif1miafMA1B",
    "photo.ppm": b"P6\n1 1\n255\nabc",
}
for name, data in files.items():
    (HERE / name).write_bytes(data)
