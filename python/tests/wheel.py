"""wheel.py FOLDER: makes a wheel of the package in FOLDER, installs it in an environment of its own, and runs there a model, its
report and live page, and a notebook."""

import pathlib
import subprocess
import sys
import tempfile

package = pathlib.Path(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    here = pathlib.Path(folder)
    subprocess.run([sys.executable, "setup.py", "-q", "bdist_wheel", "-d", here, "-b", here / "build"], cwd=package, check=True)
    (wheel,) = here.glob("trammel-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", here / "env"], check=True)
    python = here / "env/bin/python"
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", wheel], check=True)
    program = (
        "import trammel as tr; assert 'env' in tr.__file__, tr.__file__; "
        "m = tr.Mechanism({'plane': 'xy', 'points': {'O': {'at': [0, 0], 'on': 'ground'}, 'A': [1, 0]}, "
        "'bodies': {'r': {'rod': ['O', 'A'], 'mass': 1}}}); r = m.run(duration=0.1); assert r.status == 'ok'; "
        "assert '</html>' in r.report(); tr.view(m, browser=False).close()"
    )
    subprocess.run([python, "-c", program], cwd=here, check=True)
    # The kernel of the environment, not Debian's.
    subprocess.run([python, "-m", "ipykernel", "install", "--sys-prefix"], check=True, capture_output=True)
    notebook = pathlib.Path(__file__).resolve().parents[2] / "examples/python/first_mechanism.ipynb"
    subprocess.run([python, "-m", "nbconvert", "--execute", "--to", "html", "--output-dir", here, notebook], cwd=here, check=True)
    assert (here / "first_mechanism.html").stat().st_size > 1e6
