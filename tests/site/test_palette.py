"""Looks: the same colour and shape for a name in every version, and a declared one for everything that is compared."""

import pytest

from spindlemark import config
from spindlemark.config.models import Look
from spindlemark.core.paths import CONFIG
from spindlemark.core.record import Part
from spindlemark.site import palette
from spindlemark.site.configuration_labels import Configurations


def known(*names):
    return Configurations({name: Part(value=name.partition("+")[0], setting=name.partition("+")[2]) for name in names})


def test_every_filesystem_has_a_look_of_its_own():
    names = config.read_yaml(CONFIG / "filesystems.yaml", dict[str, config.Filesystem])
    looks = [palette.declared()[name] for name in names]
    assert len({(look.colour, look.shape) for look in looks}) == len(names)


def test_a_name_looks_the_same_whatever_it_is_shown_with():
    few, many = (
        {"ext4", "xfs", "xfs+noatime"},
        {"btrfs", "ext3", "ext4", "ext4+m0", "jfs", "xfs", "xfs+log64m", "xfs+noatime"},
    )
    one, other = palette.assign(known(*few), few), palette.assign(known(*many), many, together=[many])
    assert {name: other[name] for name in few} == one


def test_a_setting_has_the_colour_of_its_base_and_another_shape():
    names = {"ext4", "ext4+m0", "ext4+optimized"}
    looks = palette.assign(known(*names), names)
    assert len({look["colour"] for look in looks.values()}) == 1
    assert all(looks[name]["shape"] != looks["ext4"]["shape"] for name in names - {"ext4"})


@pytest.mark.parametrize("wrong", [{"colour": 11, "shape": "circle"}, {"colour": 1, "shape": "star"}])
def test_a_look_that_pages_do_not_have_is_refused(wrong):
    with pytest.raises(ValueError, match="colour|shape"):
        Look.model_validate(wrong)
