"""HDF5's plain types by the names of its library: integers, bit fields, floating-point numbers, strings and arrays of them."""

import re
from dataclasses import dataclass
from typing import Any

import h5py
import numpy as np
from h5py import h5t

_STANDARD = re.compile(r"H5T_(?:STD_(?P<whole>[IUB])|IEEE_(?P<float>F))(?P<bits>8|16|32|64)(?P<order>LE|BE)")
_NATIVE = {
    "CHAR": "b",
    "SCHAR": "b",
    "UCHAR": "B",
    "SHORT": "h",
    "USHORT": "H",
    "INT": "i",
    "UINT": "I",
    "LONG": "l",
    "ULONG": "L",
    "LLONG": "q",
    "ULLONG": "Q",
    "FLOAT": "f",
    "DOUBLE": "d",
}
_NATIVE |= {
    f"{name}{bits}": f"{kind}{bits // 8}"
    for name, kind in (("INT", "i"), ("UINT", "u"), ("B", "u"))
    for bits in (8, 16, 32, 64)
}
_KINDS = {"I": "i", "U": "u", "B": "u"}
PADS = {"H5T_STR_NULLTERM": h5t.STR_NULLTERM, "H5T_STR_NULLPAD": h5t.STR_NULLPAD, "H5T_STR_SPACEPAD": h5t.STR_SPACEPAD}
CHARACTERS = {"H5T_CSET_ASCII": h5t.CSET_ASCII, "H5T_CSET_UTF8": h5t.CSET_UTF8}
NAMES = "H5T_STD_I32LE and its like, H5T_IEEE_F64BE and its like, H5T_NATIVE_INT and its like, H5T_STRING, H5T_ARRAY"


@dataclass(frozen=True)
class Plain:
    """A type: `identifier` is HDF5's, `dtype` NumPy's for the same bytes, `shape` that of an array type.

    `most_bytes` is what a fixed string holds, None for others.
    """

    identifier: Any
    dtype: np.dtype
    shape: tuple[int, ...] = ()
    most_bytes: int | None = None

    @property
    def in_memory(self) -> Any:
        """HDF5's type of the array's bytes: the same, but for strings of any length, which h5py turns into its own."""
        return None if self.dtype.kind == "O" else self.identifier

    @property
    def textual(self) -> bool:
        """Whether its values are texts."""
        return self.dtype.kind in "SO"

    def rejects(self, value: str | int | float) -> str | None:
        """Why a value cannot be of this type, in words that follow it; None where it can."""
        if isinstance(value, str) != self.textual:
            return (
                "is a text, and the type is a number"
                if isinstance(value, str)
                else "is a number, and the type is a text"
            )
        if isinstance(value, str):
            size = len(value.encode())
            return (
                f"takes {size} bytes of {self.most_bytes}"
                if self.most_bytes is not None and size > self.most_bytes
                else None
            )
        if self.dtype.kind in "iu":
            if isinstance(value, float):
                return "is not a whole number"
            limits = np.iinfo(self.dtype)
            return None if limits.min <= value <= limits.max else f"is not within {limits.min} to {limits.max}"
        try:
            with np.errstate(over="ignore"):
                fits = not np.isfinite(float(value)) or np.isfinite(np.array(float(value)).astype(self.dtype))
        except OverflowError:  # a whole number beyond all floating-point ones
            fits = False
        return None if fits else f"is too large for {8 * self.dtype.itemsize} bits"

    def array(self, values: list[str | int | float], dimensions: tuple[int, ...]) -> np.ndarray:
        """The values, none of which it `rejects`, in the shape of `dimensions` and of the type itself."""
        own = [value.encode() if isinstance(value, str) else value for value in values]
        return np.array(own, dtype=self.dtype).reshape(dimensions + self.shape)


def number(name: str) -> Plain | None:
    """The number type of a name, as H5T_STD_I32BE; None where there is none."""
    if found := _STANDARD.fullmatch(name):
        if found["float"] and found["bits"] == "8":
            return None
        kind = "f" if found["float"] else _KINDS[found["whole"]]
        order = "<" if found["order"] == "LE" else ">"
        return Plain(getattr(h5t, name.removeprefix("H5T_")), np.dtype(f"{order}{kind}{int(found['bits']) // 8}"))
    code = _NATIVE.get(name.removeprefix("H5T_NATIVE_")) if name.startswith("H5T_NATIVE_") else None
    if code is None:
        return None
    dtype = np.dtype(code)
    if re.fullmatch(r"H5T_NATIVE_B\d+", name):
        return Plain(getattr(h5t, f"STD_B{8 * dtype.itemsize}{'LE' if np.little_endian else 'BE'}"), dtype)
    return Plain(h5t.py_create(dtype), dtype)


def string(size: int | None, pad: str = "H5T_STR_NULLTERM", characters: str = "H5T_CSET_ASCII") -> Plain:
    """A string of `size` bytes, the ending zero of H5T_STR_NULLTERM included, or of any length for None."""
    identifier = h5t.C_S1.copy()
    identifier.set_size(h5t.VARIABLE if size is None else size)
    identifier.set_strpad(PADS[pad])
    identifier.set_cset(CHARACTERS[characters])
    if size is None:
        return Plain(identifier, h5py.string_dtype("utf-8" if characters.endswith("UTF8") else "ascii"))
    return Plain(identifier, np.dtype(f"S{size}"), most_bytes=size - (pad == "H5T_STR_NULLTERM"))


def array(base: Plain, shape: tuple[int, ...]) -> Plain:
    """An array of numbers or fixed strings as one element."""
    return Plain(h5t.array_create(base.identifier, shape), base.dtype, shape, base.most_bytes)


def stored(identifier: Any) -> Plain | None:
    """The plain type that an attribute in a file has; None for any other, as a compound one."""
    if identifier.get_class() == h5t.ARRAY:
        base = stored(identifier.get_super())
        return base and Plain(identifier, base.dtype, identifier.get_array_dims(), base.most_bytes)
    if identifier.get_class() == h5t.STRING:
        if identifier.is_variable_str():
            return Plain(identifier, h5py.string_dtype())
        size = identifier.get_size()
        return Plain(identifier, np.dtype(f"S{size}"), most_bytes=size - (identifier.get_strpad() == h5t.STR_NULLTERM))
    if identifier.get_class() == h5t.BITFIELD:
        order = "<" if identifier.get_order() == h5t.ORDER_LE else ">"
        return Plain(identifier, np.dtype(f"{order}u{identifier.get_size()}"))
    if identifier.get_class() not in (h5t.INTEGER, h5t.FLOAT):
        return None
    dtype = identifier.dtype
    return Plain(identifier, dtype) if dtype.kind in "iuf" else None
