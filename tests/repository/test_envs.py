"""The conda files: the versions of pyproject.toml, and everything that each group imports."""

import re
import subprocess
import sys
import tomllib

import pytest
import yaml

from spindlemark.core.paths import ROOT

CONDA_NAMES = {"duckdb": "python-duckdb", "snakemake": "snakemake-minimal"}
# Installed by pip, and publishing needs them not.
PIP_ONLY = {
    "av",
    "cyomtlib",
    "h5py",
    "hdf5plugin",
    "imageio-ffmpeg",
    "mfusepy",
    "olefile",
    "openexr",
    "opentimelineio",
    "otio-aaf-adapter",
    "otio-cmx3600-adapter",
    "otio-fcp-adapter",
    "otio-fcpx-xml-adapter",
    "pyaaf2",
    "pycmx",
    "virtme-ng",
    "zarr",
}
GROUPS = {
    "measure": ["measure.__main__"],
    "publish": [
        "analysis.database",
        "analysis.findings.__main__",
        "site.__main__",
        "site.assemble",
        "release.__main__",
    ],
}


def split(text: str) -> tuple[str, str]:
    name, bounds = re.fullmatch(r"([A-Za-z0-9_-]+)\s*(.*)", text).groups()
    return name, bounds.replace(" ", "")


def project() -> dict[str, str]:
    """Conda name -> bounds of what the project depends on, Python included."""
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    bounds = dict(split(text) for text in declared["dependencies"])
    return {CONDA_NAMES.get(name, name): bound for name, bound in bounds.items()} | {
        "python": declared["requires-python"]
    }


def conda(group: str) -> dict[str, str]:
    listed = yaml.safe_load((ROOT / f"envs/{group}.yaml").read_text())["dependencies"]
    by_pip = [text for entry in listed if isinstance(entry, dict) for text in entry["pip"]]
    return dict(split(text) for text in [*(e for e in listed if isinstance(e, str) and e != "pip"), *by_pip])


@pytest.mark.parametrize("group", GROUPS)
def test_versions_are_those_of_the_project(group):
    listed = conda(group)
    assert listed == {name: bounds for name, bounds in project().items() if name in listed}


def test_publishing_lists_the_whole_project():
    assert conda("publish") == {name: bounds for name, bounds in project().items() if name not in PIP_ONLY}


def test_measuring_lists_what_only_measuring_needs():
    assert conda("measure").keys() >= PIP_ONLY


@pytest.mark.parametrize("group", GROUPS)
def test_everything_that_a_wing_imports_is_listed(group):
    imports = "; ".join(f"import spindlemark.{module}" for module in GROUPS[group])
    code = (
        f"import sys; {imports}; from importlib.metadata import packages_distributions as known; known = known(); "
        "print(*{name for module in sys.modules if '.' not in module for name in known.get(module, [])}, sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", code], text=True, capture_output=True, check=True)
    imported = {CONDA_NAMES.get(name.lower(), name.lower()) for name in done.stdout.split()}
    assert "pydantic" in imported
    assert imported & project().keys() <= conda(group).keys()
