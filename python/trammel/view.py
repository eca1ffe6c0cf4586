"""The live page of a mechanism: a person pulls and edits it while it runs, and the edited model comes back."""

from __future__ import annotations

import atexit
import json
import os
import time
import webbrowser
import weakref
from os import PathLike, fspath
from types import TracebackType
from typing import Any

from . import _core
from .errors import Error, ModelError
from .given import text, whole
from .model import Mechanism, _options, _plain, check_mechanism, check_options, check_readable
from .progress import in_notebook

__all__ = ["Replay", "View", "replay", "view"]

_open: weakref.WeakSet[View] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for each in list(_open):
        each.close()


class View:
    """A mechanism that runs live, with its page at ``url``, until ``close()`` or the end of the program.

    >>> v = tr.view(m)
    >>> v.mechanism               # as it was edited in the page
    >>> v.close()

    ``with tr.view(m) as v:`` closes it at the end. In a notebook a view shows a link to its page.
    """

    def __init__(self, core: _core.View, file: str) -> None:
        self._core = core
        self._file = file
        self.url = core.url  # with the token that a page must show
        _open.add(self)

    def do(self, command: str, **fields: Any) -> dict[str, Any]:
        """A command of docs/live-protocol.md, as the page sends them; its reply. Raises an ``Error`` if it is refused.

        >>> v.do("set-parameter", name="L", value=0.5)
        >>> v.do("pull", body="rod", at=[1, 0, 0], target=[0, 1, 0])
        """
        command = text("a command", command)
        try:
            asked = json.dumps({"do": command, **_plain(fields)}, allow_nan=False)
        except ValueError as error:
            raise ModelError(f"{command}: {error}; give finite numbers, texts, lists or mappings") from None
        reply: dict[str, Any] = json.loads(self._core.ask(asked))
        if not reply.get("ok"):
            raise Error(str(reply.get("error", reply)))
        return reply

    @property
    def mechanism(self) -> Mechanism:
        """The model with all edits and its initial state.

        >>> m = v.mechanism
        """
        return Mechanism(self.do("save")["yaml"], file=self._file)

    @property
    def now(self) -> Mechanism:
        """The model with all edits and its present state: a run of it continues from here.

        >>> v.now.run(duration=5)
        """
        return Mechanism(self.do("save", now=True)["yaml"], file=self._file)

    @property
    def journal(self) -> str:
        """Every edit with its step, as ``tr.replay()`` and ``trammel replay`` read it.

        >>> open("journal.jsonl", "w").write(v.journal)
        """
        return str(self.do("journal")["journal"])

    @property
    def is_open(self) -> bool:
        """Whether it still runs.

        >>> v.is_open
        True
        """
        return self._core.is_open

    def wait(self) -> None:
        """Waits until Ctrl-C and closes the view; for programs that have nothing else to do.

        >>> tr.view(m).wait()
        """
        try:
            while self.is_open:
                time.sleep(0.2)
        except KeyboardInterrupt:
            pass
        finally:
            self.close()

    def close(self) -> None:
        """Ends the run and its page.

        >>> v.close()
        """
        self._core.close()

    def __enter__(self) -> View:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _repr_html_(self) -> str:
        if not self.is_open:
            return "<p>This view is closed.</p>"
        return f'<p><a href="{self.url}" target="_blank">Open the live page</a>, on the machine where this kernel runs.</p>'

    def __repr__(self) -> str:
        return f"<View at {self.url}>" if self.is_open else "<View, closed>"


def view(
    mechanism: Mechanism,
    *,
    port: int = 0,
    browser: bool | None = None,
    journal: str | PathLike[str] = "",
    **options: Any,
) -> View:
    """Runs a mechanism live and opens its page, as ``trammel view`` does; it returns at once.

    ``port`` 0 is any free one. ``browser``: whether to open the page in a browser (default: if there is a display and
    this is not a notebook). Without a ``journal`` file the edits are kept in memory. Options are the keys of ``simulate:``.

    >>> v = tr.view(m)
    """
    check_mechanism("view", mechanism)
    check_options(view, options)
    port = whole("port", port, 0, 65535)
    core = mechanism._with_options(options)
    _core.Simulation(core)  # says what is wrong, as everywhere
    found = View(_core.view(mechanism.text, mechanism._file or "model.yaml", _options(options), port, fspath(journal)), mechanism._file)
    if browser is None:
        browser = not in_notebook() and bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    if not in_notebook():
        print(found.url, flush=True)
    if browser:
        webbrowser.open(found.url)
    return found


class Replay:
    """What ``replay()`` found; it prints as ``trammel replay`` does.

    ``identical`` says whether the motion had the same bits; if not, ``difference`` is the first one. ``steps``, ``edits`` and ``t`` are how
    far it went; ``cut``: the last line of the journal was not complete, and was left out.

    >>> tr.replay("edits.jsonl").identical
    True
    """

    def __init__(self, found: tuple[bool, str, bool, int, int, float, str, str]) -> None:
        self.identical, self.difference, self.cut, self.steps, self.edits, self.t, self._text, self._unsaid = found

    @property
    def mechanism(self) -> Mechanism:
        """The model with all edits and its initial state.

        >>> tr.replay("edits.jsonl").mechanism.run(duration=5)
        """
        if not self._text:
            raise Error(f"there is no model of the end: {self._unsaid}")
        return Mechanism(self._text)

    def __repr__(self) -> str:
        told = "the same to the bit" if self.identical else self.difference
        end = "\nThe last line of the journal is not complete, and was left out." if self.cut else ""
        return f"{self.steps} steps and {self.edits} edits to t = {self.t:.6g} s: {told}{end}"


def replay(journal: str | PathLike[str]) -> Replay:
    """Repeats the edits of a live run, as ``trammel replay`` does: the file that ``view()`` has written by its ``journal=``.

    >>> print(tr.replay("edits.jsonl"))
    """
    with open(check_readable(journal), encoding="utf-8", errors="replace") as file:
        text = file.read()
    return Replay(_core.replay(text))
