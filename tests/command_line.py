"""What tests of the command line share: a model, a folder of their own, the program's words and files.

Tests are called with the program, and where they read models with the folder of the sources: TEST.py TRAMMEL [SOURCE_DIR]. After
both, options of unittest may follow, as -k NAME for some tests alone.
"""
import html.parser
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TRAMMEL = str(pathlib.Path(sys.argv[1]).resolve())
MODELS = pathlib.Path(sys.argv[2]).resolve() / "models" if len(sys.argv) > 2 else None

PENDULUM = """\
trammel: 1
name: pendulum
plane: xy
gravity: [0, -9.81]
points: {O: {at: [0, 0], on: ground}, A: [1, 0]}
bodies: {rod: {rod: [O, A], mass: 1 kg}}
simulate: {duration: 1 s, step: 10 ms}
"""


class Page(html.parser.HTMLParser):
    """Which elements are left open, what they say, and whether anything comes from outside."""
    EMPTY = {"meta", "br", "line", "rect", "circle", "polygon", "polyline", "path"}

    def __init__(self):
        super().__init__()
        self.open, self.outside, self.numbers, self.text, self.titles = [], [], [], "", 0

    def handle_starttag(self, tag, attributes):
        if tag not in self.EMPTY:
            self.open.append(tag)
        self.titles += tag == "title" and "svg" in self.open
        self.outside += [tag for name, _ in attributes if name in ("src", "href") or tag == "script"]
        self.numbers += [value for name, value in attributes if name in ("x", "y", "cx", "cy", "points", "d")]

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        # Elements close in the order in which they opened.
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        self.text += data


class CommandLine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def model(self, text, name="model.yaml"):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def trammel(self, *arguments):
        return subprocess.run([TRAMMEL, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder, timeout=120)

    def expect(self, result, status, *words):
        said = result.stdout + result.stderr
        self.assertEqual(result.returncode, status, said)
        for word in words:
            self.assertIn(word, said)

    def begin(self, *arguments):
        """A run that writes to `out`, once its log is there."""
        process = subprocess.Popen([TRAMMEL, "run", *map(str, arguments), "--out", "out"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while not (self.folder / "out/results.log").exists() and time.monotonic() < end:
            time.sleep(0.1)
        return process

    def interrupt(self, process, sent=signal.SIGINT):
        """Ctrl-C, or another signal; what is said then."""
        time.sleep(0.3)
        process.send_signal(sent)
        said = process.communicate(timeout=120)[1]
        self.assertEqual(process.returncode, 3, said)
        return said


def main():
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[3:]])
