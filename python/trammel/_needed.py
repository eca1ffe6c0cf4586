"""What the package needs of the Python that imports it, said before anything else is imported: the python3 that is first on the
PATH may be another than the one that the package was built for."""

import importlib.util
import pathlib
import re
import sys

here = f"Python {sys.version_info[0]}.{sys.version_info[1]}, {sys.executable}"
built = re.search(r"cpython-(\d)(\d+)", " ".join(path.name for path in pathlib.Path(__file__).parent.glob("_core.*.so")))

if built and tuple(map(int, built.groups())) != sys.version_info[:2]:
    raise ImportError(
        f"trammel was built for Python {built[1]}.{built[2]}, and this is {here}; run the program with the Python that it was built for, "
        "as /usr/bin/python3, or build trammel for this one: cmake -DPython_EXECUTABLE=…"
    )
if importlib.util.find_spec("numpy") is None:
    raise ImportError(f"trammel needs NumPy, which {here}, lacks; install it there, or run the program with the system's Python, /usr/bin/python3")
