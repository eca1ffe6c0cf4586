"""A wheel of the package that `make python` has left beside this file."""

import re
from pathlib import Path

from setuptools import Distribution, setup


class Compiled(Distribution):
    """The module is compiled already, for this Python and this machine."""

    def has_ext_modules(self) -> bool:
        return True


here = Path(__file__).resolve().parent
version = re.search(r'TRAMMEL_VERSION "([0-9.]+)"', (here / "version.h").read_text())
assert version is not None
setup(
    name="trammel",
    version=version[1],
    description="Simulates constrained mechanical systems: the motion and every reaction force",
    license="Apache-2.0",
    packages=["trammel"],
    package_data={"trammel": ["*.so", "*.pyi", "py.typed"]},
    python_requires=">=3.9",
    install_requires=["numpy"],
    distclass=Compiled,
)
