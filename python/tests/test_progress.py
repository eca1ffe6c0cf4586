"""The line that shows how far a run is: in a terminal, and nowhere else."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

# Every call draws: no test waits for a clock.
PENDULUM = """
import sys, warnings
import trammel as tr
from trammel import progress
progress._WAIT = progress._EVERY = 0.0
m = tr.Mechanism({"plane": "xy", "gravity": [0, -9.81], "parameters": {"m": 2}, "simulate": {"duration": 50},
    "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0]}, "bodies": {"rod": {"rod": ["O", "A"], "mass": "m"}}})
"""


def on_terminal(program: str, columns: int = 80) -> str:
    """What a program writes to a terminal by its stderr."""
    terminal, stderr = pty.openpty()
    fcntl.ioctl(stderr, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with subprocess.Popen([sys.executable, "-c", PENDULUM + program], stderr=stderr, env=os.environ) as process:
        os.close(stderr)
        written = b""
        try:
            while some := os.read(terminal, 65536):
                written += some
        except OSError:  # the program has closed it
            pass
    os.close(terminal)
    return written.decode()


def screen(written: str, columns: int = 80) -> list[str]:
    """The lines that are left on the screen."""
    lines, column = [""], 0
    for token in re.findall(r"\r|\n|\x1b\[K|[^\r\n\x1b]", written):
        if token == "\r":
            column = 0
        elif token == "\n":
            lines.append("")
        elif token == "\x1b[K":
            lines[-1] = lines[-1][:column]
        else:
            if column == columns:
                lines.append("")
                column = 0
            lines[-1] = lines[-1][:column].ljust(column) + token + lines[-1][column + 1 :]
            column += 1
    return lines


def percentages(written: str) -> list[int]:
    return [int(percent) for percent in re.findall(r"(\d+)%", written)]


def test_a_line_is_rewritten_and_taken_away() -> None:
    written = on_terminal("m.run()")
    shown = percentages(written)
    assert len(shown) > 3 and shown == sorted(shown) and 0 <= shown[0] < 50 < shown[-1] <= 100
    assert re.search(r"\[#{20} {20}\]  5\d%  t = 2[5-9][.0-9]* s", written)
    assert "\n" not in written and screen(written) == [""]


def test_what_is_left_after_a_failure_is_its_message_alone() -> None:
    lines = screen(on_terminal("m.with_force('f', [('rod', (0, 0, 0))], lambda t, x, v: v if t < 30 else 1/0).run()"))
    assert lines[0].startswith("Traceback") and "%" not in "".join(lines)
    lines = screen(on_terminal("m.with_({'simulate.stop-when': 't > 60'}).run(controller=lambda motion: motion['rod.angel'], every=1)"))
    assert lines[0].startswith("Traceback") and any("rod.angel" in line for line in lines)


def test_a_narrow_terminal_has_one_line_of_it() -> None:
    written = on_terminal("m.run()", columns=30)
    assert percentages(written) == [] and "[####" in written
    assert max(map(len, re.split(r"\r\x1b\[K", written))) == 29
    assert screen(written, columns=30) == [""]


def test_batches_sweeps_and_searches_count_their_runs() -> None:
    # So many that the first look at them, after 20 ms, comes before the last one ends.
    for program, words in (
        ("tr.batch(m, {'m': [1 + k/200 for k in range(200)]}, observe=['rod.angle']).run(threads=1)", r"of 200 runs"),
        ("tr.sweep(m, vary={'m': [1 + k/200 for k in range(200)]}, observe=['peak(O.force)']).run(threads=1)", r"of 200 runs"),
        ("tr.optimize(m, minimize='peak(O.force)', over={'m': (1, 2)}, evaluations=200)", r"\d runs"),
    ):
        written = on_terminal(program)
        assert re.search(words, written) and screen(written)[-1] == ""


def test_nothing_without_a_terminal_or_when_it_is_not_wanted() -> None:
    assert on_terminal("m.run(progress=False)") == ""
    assert on_terminal("tr.batch(m, {'m': [1, 2]}).run(progress=False)") == ""
    assert on_terminal("sys.stderr = None\nm.run()") == ""
    done = subprocess.run([sys.executable, "-c", PENDULUM + "m.run()"], capture_output=True, text=True, env=os.environ)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
