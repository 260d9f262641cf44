"""The file that the editor's tests edit."""

import h5py
import numpy as np
import pytest

from spindlemark.core import durability


@pytest.fixture(params=durability.LIBVERS)
def file(tmp_path, request):
    """A file with a group, a chunked dataset and attributes, once in each format."""
    path = tmp_path / "media.h5"
    with h5py.File(path, "w", libver=request.param) as made:
        made.create_dataset("d", data=np.arange(50_000), chunks=(1000,))
        made.attrs["x"] = 1
        made.create_group("g").attrs["y"] = "text"
    return path
