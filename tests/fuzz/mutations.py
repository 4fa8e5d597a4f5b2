"""Ways to spoil a file, or to write it as few people do. Each takes the bytes and a source of chance."""

from collections.abc import Callable
from random import Random

from tests.fuzz.packing import PACK

Mutation = Callable[[bytes, Random], bytes]

NUMBERS = (
    *(b"1e400", b"-1e400", b"NaN", b"nan", b"-nan", b"inf", b"-Infinity", b"+INF", b"-0", b"+0.0", b"1e-400", b"1e39"),
    *(b"0x10", b"1_000", b"", b"1e", b"e5", b".", b"+", b"-", b"--1", b"1,5", b"1.2.3", b"5.", b".5", b"1e+5", b"1E5"),
    *(b"9" * 400, b"0." + b"0" * 400 + b"1", b"9007199254740993", b"16777217", b"16777216", b"12345678901234567.5"),
    *("٣".encode(), b"\xe2\x88\x921", "½".encode(), b"1f", b"1d0", b"0x1p3", b"infinit", b"nan(1)", b"1\xa0", b"\xff"),
)
BYTES = (
    b"\0",
    b"\x0b",
    b"\x0c",
    b"\r",
    b"\n",
    b"\t",
    b" ",
    b"#",
    b"\xa0",
    b"\xc2\xa0",
    b"\xff",
    b"\xe2\x80\xa8",
    b"\x1c",
    b"\x85",
)


def _at(data: bytes, rng: Random) -> int:
    return rng.randrange(len(data) + 1)


def flip_a_bit(data: bytes, rng: Random) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def insert_a_byte(data: bytes, rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + bytes([rng.randrange(256)]) + data[at:]


def insert_an_odd_byte(data: bytes, rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + rng.choice(BYTES) * rng.choice((1, 1, 1, 2, 70)) + data[at:]


def delete_bytes(data: bytes, rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + data[at + rng.choice((1, 1, 2, 10)) :]


def truncate(data: bytes, rng: Random) -> bytes:
    return data[: _at(data, rng)]


def repeat_a_slice(data: bytes, rng: Random) -> bytes:
    start = _at(data, rng)
    return data[:start] + data[start : start + rng.randrange(1, 80)] + data[start:]


def move_a_slice(data: bytes, rng: Random) -> bytes:
    start, size = _at(data, rng), rng.randrange(1, 80)
    taken, rest = data[start : start + size], data[:start] + data[start + size :]
    at = _at(rest, rng)
    return rest[:at] + taken + rest[at:]


def repeat_a_line(data: bytes, rng: Random) -> bytes:
    lines = data.split(b"\n")
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(lines))
    return b"\n".join(lines)


def shuffle_lines(data: bytes, rng: Random) -> bytes:
    lines = data.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


def _in_a_line(data: bytes, rng: Random, change: Callable[[list[bytes]], None]) -> bytes:
    lines = data.split(b"\n")
    at = rng.randrange(len(lines))
    fields = lines[at].split(b" ")
    change(fields)
    lines[at] = b" ".join(fields)
    return b"\n".join(lines)


def odd_number(data: bytes, rng: Random) -> bytes:
    def change(fields: list[bytes]) -> None:
        # Mostly where the score or the grade stands.
        at = rng.randrange(len(fields)) if rng.random() < 0.3 else min(len(fields) - 1, 3 if len(fields) == 4 else 4)
        fields[at] = rng.choice(NUMBERS)

    return _in_a_line(data, rng, change)


def drop_a_field(data: bytes, rng: Random) -> bytes:
    return _in_a_line(data, rng, lambda fields: fields.__delitem__(rng.randrange(len(fields))))


def add_a_field(data: bytes, rng: Random) -> bytes:
    return _in_a_line(data, rng, lambda fields: fields.insert(rng.randrange(len(fields) + 1), b"more"))


def long_token(data: bytes, rng: Random) -> bytes:
    token = rng.choice((b"x", b"7", b"\xe9", b"ab")) * rng.choice((30, 64, 65, 500, 20_000))
    return _in_a_line(data, rng, lambda fields: fields.__setitem__(rng.randrange(len(fields)), token))


def as_utf_16(data: bytes, rng: Random) -> bytes:
    return data.decode("latin-1").encode(rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32")))


def random_bytes(data: bytes, rng: Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + rng.randbytes(rng.randrange(1, 40)) + data[at:]


def comment_or_blank_line(data: bytes, rng: Random) -> bytes:
    lines = data.split(b"\n")
    odd = (b"# a comment", b"", b"   \t ", b"#", b" # later", b"#1 Q0 a 1 2 t", b"\r", b"# \0")
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(odd))
    return b"\n".join(lines)


def other_blanks(data: bytes, rng: Random) -> bytes:
    return data.replace(b" ", rng.choice((b"\t", b"  ", b" \t ", b"\x0b", b"\x0c", b" \r", b"   ")))


def other_line_ends(data: bytes, rng: Random) -> bytes:
    return data.replace(b"\n", rng.choice((b"\r\n", b" \n", b"\n\n", b"\t\r\n", b"\r", b"\n ")))


def no_last_line_end(data: bytes, rng: Random) -> bytes:
    return data.rstrip(b"\n")


def with_bom(data: bytes, rng: Random) -> bytes:
    return rng.choice((b"\xef\xbb\xbf",) * 4 + (b"\xef\xbb\xbf" * 2, b"\xef\xbb", b"\xff\xfe", b"\xfe\xff")) + data


def nothing(data: bytes, rng: Random) -> bytes:
    return rng.choice((b"", b"\n", b" ", b"\n\n\n", b"\0", b"\xef\xbb\xbf"))


# Files that still say the same, more or less; and files that mostly do not.
HARMLESS: tuple[Mutation, ...] = (
    comment_or_blank_line,
    other_blanks,
    other_line_ends,
    no_last_line_end,
    shuffle_lines,
    with_bom,
)
SPOILING: tuple[Mutation, ...] = (
    *(
        flip_a_bit,
        insert_a_byte,
        insert_an_odd_byte,
        delete_bytes,
        truncate,
        repeat_a_slice,
        move_a_slice,
        repeat_a_line,
    ),
    *(odd_number, odd_number, drop_a_field, add_a_field, long_token, as_utf_16, random_bytes, nothing, *HARMLESS),
)
OF_ARCHIVES: tuple[Mutation, ...] = (flip_a_bit, insert_a_byte, delete_bytes, truncate, random_bytes, repeat_a_slice)


def packed(text: bytes, rng: Random) -> bytes:
    """The text in an archive of one or two members, of one kind."""
    pack = PACK[rng.choice(tuple(PACK))]
    if rng.random() < 0.3:
        at = _at(text, rng)
        return pack(text[:at]) + pack(text[at:])
    return pack(text)
