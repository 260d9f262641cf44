"""Apply commands to an open HDF5 file by h5py."""

from typing import Any

import h5py
import numpy as np
from h5py import h5a, h5o, h5s

from spindlemark.core.errors import UserError
from spindlemark.families.hdf5_edit.editor import types
from spindlemark.families.hdf5_edit.editor.commands import (
    COPY,
    CREATE,
    DELETE,
    MODIFY,
    RENAME,
    Attribute,
    Command,
    Data,
    fits,
)


def apply(file: h5py.File, command: Command) -> None:
    """One command. Raises UserError, with the command's line and column, where it cannot be applied to this file."""
    owner = _owner(file, command.attribute, command)
    try:
        _APPLY[command.verb](file, owner, command)
    except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{command.where}: {command.attribute}: HDF5 does not do it: {_first_line(error)}",
            "look at the file with h5dump -A",
        ) from None


def require(file: h5py.File, command: Command) -> None:
    """Raises UserError unless the file, opened again, has what the command made, or lacks what it removed."""
    here = command.target or (Attribute(command.attribute.owner, command.name) if command.name else command.attribute)
    owner = _owner(file, here, command)
    if h5a.exists(owner, here.name.encode()) == (command.verb == DELETE):
        raise UserError(
            f"{command.where}: HDF5 said that it was done, and the file does not show it",
            "use another way of the backup",
        )


def _create(file: h5py.File, owner: Any, command: Command) -> None:
    _absent(owner, command.attribute, command)
    _write(owner, command.attribute.name.encode(), _data(command))


def _modify(file: h5py.File, owner: Any, command: Command) -> None:
    data, name = _data(command), command.attribute.name.encode()
    if data.type is None:
        data = _like(_present(owner, command.attribute, command), data, command)
    _present(owner, command.attribute, command)
    h5a.delete(owner, name)
    _write(owner, name, data)


def _delete(file: h5py.File, owner: Any, command: Command) -> None:
    _present(owner, command.attribute, command)
    h5a.delete(owner, command.attribute.name.encode())


def _rename(file: h5py.File, owner: Any, command: Command) -> None:
    _present(owner, command.attribute, command)
    _absent(owner, Attribute(command.attribute.owner, command.name), command)
    h5a.rename(owner, command.attribute.name.encode(), command.name.encode())


def _copy(file: h5py.File, owner: Any, command: Command) -> None:
    source, target = _present(owner, command.attribute, command), command.target
    assert target is not None
    other = _owner(file, target, command)
    _absent(other, target, command)
    plain = types.stored(source.get_type())
    if plain is None:
        raise UserError(
            f"{command.where}: {command.attribute} is of no plain type", "create the copy with a type of its own"
        )
    made = h5a.create(other, target.name.encode(), source.get_type(), source.get_space())
    if source.get_space().get_simple_extent_type() != h5s.NULL:
        held = np.empty(source.shape + plain.shape, dtype=plain.dtype)
        source.read(held, mtype=plain.in_memory)
        made.write(held, mtype=plain.in_memory)


_APPLY = {CREATE: _create, MODIFY: _modify, DELETE: _delete, RENAME: _rename, COPY: _copy}


def _write(owner: Any, name: bytes, data: Data) -> None:
    assert data.type is not None
    space = h5s.create_simple(data.dimensions) if data.dimensions else h5s.create(h5s.SCALAR)
    made = h5a.create(owner, name, data.type.identifier, space)
    if data.values:
        made.write(data.type.array([value for value, _ in data.values], data.dimensions), mtype=data.type.in_memory)


def _like(held: Any, data: Data, command: Command) -> Data:
    """The data with the type and the dimensions of the attribute that is there."""
    plain = types.stored(held.get_type())
    if plain is None:
        raise UserError(
            f"{command.where}: {command.attribute} is of no plain type",
            "write the new type and the dimensions with the values",
        )
    fits(data, plain, held.shape, command.where.split(": line ")[0])
    return Data(data.values, plain, held.shape)


def _data(command: Command) -> Data:
    assert command.data is not None
    return command.data


def _owner(file: h5py.File, attribute: Attribute, command: Command) -> Any:
    """The group or dataset of an attribute; links that lead out of the file are not followed."""
    here: Any = file.id
    for part in (p for p in attribute.owner.split("/") if p):
        name = part.encode()
        if not isinstance(here, h5py.h5f.FileID | h5py.h5g.GroupID) or not here.links.exists(name):
            raise UserError(
                f"{command.where}: there is no {attribute.owner} in {_name(file)}", "name a group or a dataset of it"
            )
        if here.links.get_info(name).type == h5py.h5l.TYPE_EXTERNAL:
            raise UserError(f"{command.where}: {attribute.owner} leads to another file", "edit that one")
        here = h5o.open(here, name)
    if isinstance(here, h5py.h5f.FileID):
        here = h5o.open(here, b"/")
    if not isinstance(here, h5py.h5g.GroupID | h5py.h5d.DatasetID):
        raise UserError(f"{command.where}: {attribute.owner} is neither a group nor a dataset", "name one of them")
    return here


def _present(owner: Any, attribute: Attribute, command: Command) -> Any:
    if not h5a.exists(owner, attribute.name.encode()):
        raise UserError(f"{command.where}: there is no attribute {attribute}", "create it first, or correct its path")
    return h5a.open(owner, attribute.name.encode())


def _absent(owner: Any, attribute: Attribute, command: Command) -> None:
    if h5a.exists(owner, attribute.name.encode()):
        raise UserError(f"{command.where}: there is an attribute {attribute} already", "modify it, or delete it first")


def _name(file: h5py.File) -> str:
    return file.filename if isinstance(file.filename, str) else file.filename.decode(errors="replace")


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
