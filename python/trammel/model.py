"""Models: read from files, or made in Python."""

from __future__ import annotations

import difflib
import hashlib
import inspect
import json
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from os import PathLike, fsdecode
from os.path import isdir, join
from typing import TYPE_CHECKING, Any, Union, cast

import numpy as np

from . import _core
from .errors import Error, ModelError
from .given import names, positive, switch
from .parts import Constraint, Force, Law, Part, Points, Value

if TYPE_CHECKING:
    from .kernel import Kernel
    from .result import Result
    from .simulation import Controlled, Motion, Simulation

__all__ = ["Check", "Comparison", "Formulations", "Mechanism", "load", "loads"]

Number = Union[int, float, str]
# What a model that is made from a mapping begins with.
_MADE = {"trammel": 1}
_HEAD = json.dumps(_MADE, indent=1)[:-2]


# What the engine says of a place in a model: file, line, column.
_CITED = re.compile(r"([^:\n]*):(\d+):(\d+): (.*)")

_DEEPEST = 64  # levels of a model, as its reader allows


def _plain(value: Any, path: str = "", outer: tuple[int, ...] = ()) -> Any:
    """NumPy's numbers and arrays as Python's, for JSON; what no model can hold is refused with its path."""
    if id(value) in outer:
        raise ModelError(f"{path}: it contains itself; give a model without circles")
    if len(outer) > _DEEPEST:
        raise ModelError(f"{path[:40]}…: more than {_DEEPEST} mappings and lists within each other; no model needs as many")
    if isinstance(value, Mapping):
        return {str(key): _plain(entry, f"{path}.{key}".lstrip("."), (*outer, id(value))) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry, f"{path}[{k}]", (*outer, id(value))) for k, entry in enumerate(value)]
    if isinstance(value, (str, bool, int, float, type(None))):
        return value
    if hasattr(value, "tolist") and not isinstance(value.tolist(), type(value)):
        return _plain(value.tolist(), path, outer)
    raise ModelError(f"{path or 'the model'} is {value!r}, which no model can hold; give a number, a text, a list or a mapping")


# A text that YAML reads as itself, without quotes.
_BARE = re.compile(r"[A-Za-z0-9_.(][\w.()+*/^-]*( [\w.()+*/^-]+)*")


def _written(path: str, value: Any) -> str:
    """A value as a setting has it: numbers to the last bit, texts as they are."""
    value = _plain(value, path)
    if isinstance(value, str) and _BARE.fullmatch(value) and value != "null":
        return value
    return json.dumps(value, ensure_ascii=False)


def _changes(settings: Any, parameters: Mapping[str, Any]) -> list[str]:
    """Other values of a model, as the reader takes them."""
    if not isinstance(settings, (Mapping, type(None))):
        raise ModelError(f"settings is {settings!r}, no mapping; give paths with values, as {{'bodies.crank.mass': 2}}")
    if isinstance(parameters.get("settings"), Mapping):
        raise ModelError("settings= is a parameter of that name; give paths with values without a name, as {'bodies.crank.mass': 2}")
    given = {**(settings or {}), **{f"parameters.{name}": value for name, value in parameters.items()}}
    return [f"{path}={_written(str(path), value)}" for path, value in given.items()]


def _options(options: Mapping[str, Any]) -> list[str]:
    """Keys of ``simulate:`` as options of the command line."""
    return [f"--{key.replace('_', '-')}={_written(key, value)}" for key, value in options.items()]


def check_options(function: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Refuses options that are neither the function's own nor keys of ``simulate:``, with the nearest name."""
    simulate = [key.replace("-", "_") for key in _core.simulate_keys()]
    unknown = [name for name in options if name.replace("-", "_") not in simulate]
    if not unknown:
        return
    own = [p.name for p in inspect.signature(function).parameters.values() if p.kind is p.KEYWORD_ONLY]
    name = function.__name__
    known = [*own, *simulate]
    near = difflib.get_close_matches(unknown[0], known, 1) or [key for key in known if key.startswith(unknown[0]) and len(unknown[0]) > 2][:1]
    raise ModelError(
        f"{name}() has no option {unknown[0]!r}; "
        + (f"did you mean {near[0]!r}? It" if near else "it")
        + f" takes {', '.join(own)}{' and ' if own else ''}the keys of simulate: {', '.join(simulate)}"
    )


def check_mechanism(function: str, given: Any) -> Mechanism:
    """Refuses what is no mechanism, as the path of a model file."""
    if not isinstance(given, Mechanism):
        raise TypeError(f"{function}() needs a Mechanism, not {given!r}; tr.load() reads one from a file")
    return given


class Check:
    """What ``Mechanism.check()`` found: degrees of freedom, redundant constraints, loops, how near the start is to
    singular, reactions that are not unique.

    It prints as ``trammel check`` does.

    >>> m.check().degrees_of_freedom
    1
    """

    def __init__(self, text: str, found: Mapping[str, Any]) -> None:
        self._text = text
        self.figures: dict[str, Any] = dict(found)  # everything, with the keys of ``trammel check --json``

    @property
    def degrees_of_freedom(self) -> int:
        """How many independent velocities the mechanism has.

        >>> m.check().degrees_of_freedom
        1
        """
        return int(self.figures["degrees_of_freedom"])

    @property
    def redundant(self) -> int:
        """How many equations of the joints follow from others, whatever the coordinates.

        >>> m.check().redundant
        0
        """
        return int(self.figures["redundant_constraints"])

    @property
    def dependent_sets(self) -> list[list[str]]:
        """Sets of joints with redundant equations; ``figures["redundancies"]`` has the number of redundant equations.

        >>> m.check().dependent_sets
        [['hinge1', 'hinge2']]
        """
        return list(self.figures["dependent_sets"])

    @property
    def loops(self) -> list[dict[str, Any]]:
        """Independent loops: ``joints``, ``bodies``, and the ``freedom`` and number of ``redundant`` equations of each alone.

        >>> [loop["joints"] for loop in m.check().loops]
        """
        return list(self.figures["loops"])

    @property
    def remedies(self) -> list[dict[str, Any]]:
        """Joints that would remove redundant equations, each alone: ``joint``, ``kind``, the kind ``instead``, its ``axes``, how many it
        ``removes``. ``remedies_together`` are those of which all together remove the most.

        >>> [(one["joint"], one["instead"]) for one in m.check().remedies]
        """
        return list(self.figures["remedies"]["single"])

    @property
    def remedies_together(self) -> list[dict[str, Any]]:
        """Joints of which all together remove every redundant equation, but ``redundant_left``.

        >>> [(one["joint"], one["instead"]) for one in m.check().remedies_together]
        """
        return list(self.figures["remedies"]["together"])

    @property
    def redundant_left(self) -> int:
        """How many redundant equations are left after ``remedies_together``.

        >>> m.check().redundant_left
        0
        """
        return int(self.figures["remedies"]["left"])

    @property
    def singularity_gauge(self) -> float | None:
        """How near the position is to singular: 0 is singular, 1 as far as can be; None where it was not computed.

        >>> m.check().singularity_gauge
        """
        return cast("float | None", self.figures["singularity_gauge"])

    @property
    def nearest_singular(self) -> dict[str, Any] | None:
        """The nearest singular position of a mechanism with one freedom: ``coordinate``, ``value``, ``distance``; None: none is known.

        >>> m.check().nearest_singular["distance"]
        """
        return cast("dict[str, Any] | None", self.figures["nearest_singular"])

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


class Comparison:
    """What ``Mechanism.compare()`` measured: one row for each formulation and integrator.

    It prints as ``trammel compare`` does; ``rows`` have the keys of ``trammel compare --json``.

    >>> [row["energy_drift"] for row in m.compare(formulations=["penalty", "lagrange"]).rows]
    """

    def __init__(self, text: str, rows: Sequence[dict[str, Any]], core: _core.Comparison | None) -> None:
        self._text = text
        self._core = core
        self.rows: list[dict[str, Any]] = list(rows)

    def report(self) -> str:
        """A page of HTML with the table and a plot of error against computing time. Each row is run with several steps or tolerances
        for it, which ``rows`` then have too, as ``work_precision``.

        >>> open("compare.html", "w").write(m.compare(duration=2).report())
        """
        if self._core is None:
            raise Error("this comparison came from another process, with its figures alone; make its report there")
        self._core.measure()
        self.rows = json.loads(self._core.json())
        return self._core.page()

    def __reduce__(self) -> tuple[Any, ...]:
        return Comparison, (self._text, self.rows, None)

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


class Formulations:
    """What ``Mechanism.formulations()`` found: one row for each combination of coordinates, formulation and integrator.

    It prints as ``trammel formulations`` does; ``rows`` have the keys of ``trammel formulations --json``.

    >>> [row["formulation"] for row in m.formulations().rows if row["accepted"]]
    """

    def __init__(self, text: str, rows: Sequence[dict[str, Any]]) -> None:
        self._text = text
        self.rows: list[dict[str, Any]] = list(rows)

    def __repr__(self) -> str:
        return self._text.rstrip("\n")


class Mechanism:
    """A model: bodies, joints, drivers and forces, as docs/model-format.md describes them.

    It is made from the text of a model file, or from a mapping with the same keys. It is immutable; ``with_()`` returns
    a changed copy. It can be pickled.

    >>> m = tr.Mechanism({
    ...     "plane": "xy", "gravity": [0, -9.81],
    ...     "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0]},
    ...     "bodies": {"rod": {"rod": ["O", "A"], "mass": "2 kg"}}})
    >>> m.run(duration=2)["rod.angle"]
    """

    def __init__(
        self,
        model: str | Mapping[str, Any],
        *,
        file: str = "",
        settings: Sequence[str] = (),
        parts: Sequence[Part] = (),
    ) -> None:
        """Reads a model; ``settings`` change values of it, as ``--set`` does: ``["bodies.crank.mass=2"]``; ``parts`` are
        forces and constraints written in Python.
        """
        if not isinstance(model, (str, Mapping)):
            raise TypeError(f"a model is a text or a mapping, not {model!r}; tr.load() reads one from a file")
        if not isinstance(model, str):
            model = json.dumps({**_MADE, **_plain(model)}, indent=1, ensure_ascii=False)
        self._file = file
        self._parts = tuple(parts)
        # A mechanism with parts of one's own has no text; what it was read from has.
        plain = accepted(_core.read_text(model, file or "model", file or "model", list(settings), False, []), model)
        self._text = plain.text
        self._own = [part.own(plain.is_planar, plain.bodies) for part in self._parts]
        # Only the parts can still be wrong, and these have no place in the text.
        self._core = accepted(_core.read_text(plain.text, "", file or "model", [], False, [own.core for own in self._own])) if self._own else plain

    @classmethod
    def of(cls, core: _core.Mechanism, file: str) -> Mechanism:
        """What the engine has read from a file; ``load()`` calls it.

        >>> tr.load("crank.yaml")
        """
        mechanism = cls.__new__(cls)
        mechanism._core = core
        mechanism._text = core.text
        mechanism._file = file
        mechanism._parts, mechanism._own = (), []
        return mechanism

    @property
    def _digest(self) -> str:
        """Differs wherever the model or the names of its parts in Python differ."""
        names = [f"{type(part).__name__} {part.name}" for part in self._parts]
        return hashlib.blake2b("\0".join([self._text, *names]).encode(), digest_size=16).hexdigest()

    @property
    def name(self) -> str:
        """The model's name.

        >>> m.name
        'slider-crank'
        """
        return self._core.name

    @property
    def text(self) -> str:
        """The model file, with all settings in it.

        >>> open("changed.yaml", "w").write(m.text)
        """
        if self._parts:
            names = ", ".join(repr(part.name) for part in self._parts)
            raise ModelError(f"a model file cannot say what is written in Python: {names}")
        return self._text

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters and their values, SI units.

        >>> m.parameters["L"]
        0.3
        """
        return self._core.parameters

    @property
    def inputs(self) -> dict[str, float]:
        """Inputs and their values at the start.

        >>> m.inputs
        {'u': 0.0}
        """
        return self._core.inputs

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies; ``ground`` is not among them.

        >>> m.bodies
        ['crank', 'coupler', 'slider']
        """
        return self._core.bodies

    @property
    def points(self) -> list[str]:
        """Names of the points that are not one body's own.

        >>> m.points
        ['O', 'A', 'B']
        """
        return self._core.points

    @property
    def joints(self) -> list[str]:
        """Names of the joints of ``joints:``, and of the points that bodies share, which are joints too. Each has columns, as
        ``"A.force.x"``, and a reaction.

        >>> sim.reaction(m.joints[0]).force
        """
        return self._core.joints

    @property
    def drivers(self) -> list[str]:
        """Names of the drivers.

        >>> m.drivers
        ['motor']
        """
        return self._core.drivers

    @property
    def forces(self) -> list[str]:
        """Names of the forces.

        >>> m.forces
        ['spring']
        """
        return self._core.forces

    @property
    def states(self) -> list[str]:
        """Names of the states.

        >>> m.states
        []
        """
        return self._core.states

    @property
    def is_planar(self) -> bool:
        """Whether it moves in the plane.

        >>> m.is_planar
        True
        """
        return self._core.is_planar

    @property
    def duration(self) -> float:
        """How long ``run()`` simulates, s.

        >>> m.duration
        10.0
        """
        return self._core.duration

    def with_(self, settings: Mapping[str, Any] | None = None, /, **parameters: Number) -> Mechanism:
        """The same model with other values: parameters by name, anything else by its path in the file.

        >>> m.with_({"bodies.crank.mass": "2 kg"}, L=0.4)
        """
        return Mechanism(self._text, file=self._file, settings=_changes(settings, parameters), parts=self._parts)

    def with_force(
        self,
        name: str,
        points: Points,
        force: Law,
        *,
        derivatives: str | Callable[..., tuple[Any, Any]] = "automatic",
        length_scale: float = 1.0,
        speed_scale: float = 1.0,
    ) -> Mechanism:
        """The same mechanism with a force written in Python: ``force(t, x, v)`` returns the force on each point, N, at the
        positions ``x`` (m) and velocities ``v`` (m/s). Each of the three is an array with one row for each point, in
        world axes. ``points`` are pairs of a body and a position in its axes.

        Implicit methods need derivatives. If the function uses NumPy they are exact, by dual numbers; otherwise they are
        computed by finite differences, with a ``CostWarning``. ``derivatives(t, x, v)`` may return both, ∂f/∂x and ∂f/∂v.
        ``length_scale`` and ``speed_scale`` are the changes over which the force changes noticeably, for differences.

        >>> m.with_force("drag", [("ball", (0, 0, 0))], lambda t, x, v: -0.1 * np.linalg.norm(v) * v)
        """
        return self._with(Force(name, points, force, derivatives, length_scale, speed_scale))

    def with_constraint(
        self,
        name: str,
        points: Points,
        value: Value,
        *,
        scale: float = 1.0,
        gradient: Value | None = None,
        time_derivative: Value | None = None,
        gamma: Law | None = None,
        derivatives: str = "automatic",
        length_scale: float = 1.0,
        time_scale: float = 1.0,
    ) -> Mechanism:
        """The same mechanism with one constraint written in Python: ``value(t, x)`` is zero at the positions ``x`` that it
        allows; ``scale`` is the size of the value that counts as one.

        Its derivatives are exact if the function uses NumPy (by dual numbers), or if ``gradient(t, x)``,
        ``time_derivative(t, x)`` and ``gamma(t, x, v)``, the rest of its second time derivative, are given. Otherwise they are
        computed by finite differences, with a ``CostWarning``.

        >>> m.with_constraint("track", [("car", (0, 0, 0))], lambda t, x: x[0, 1] - 0.1 * np.sin(x[0, 0]))
        """
        return self._with(
            Constraint(name, points, value, scale, gradient, time_derivative, gamma, derivatives, length_scale, time_scale)
        )

    def _with(self, part: Part) -> Mechanism:
        return Mechanism(self._text, file=self._file, parts=(*self._parts, part))

    def check(self) -> Check:
        """Degrees of freedom, redundant constraints, and which reactions the motion determines.

        >>> m.check().redundant
        0
        """
        text, found = _core.check(_core.Simulation(self._core))
        return Check(text, json.loads(found))

    def run(
        self,
        *,
        progress: bool = True,
        controller: Callable[[Controlled], None] | type | None = None,
        every: float = 0.0,
        events: Mapping[str, Callable[[Motion], float]] | None = None,
        until: Mapping[str, Callable[[Motion], float]] | None = None,
        **options: Any,
    ) -> Result:
        """Simulates the whole motion. Options are the keys of ``simulate:``, such as ``duration``, ``tolerance``, ``step``,
        ``formulation``, with underscores for hyphens.

        ``controller(motion)`` reads the motion and sets ``motion.inputs`` at the start and then every ``every`` seconds;
        in between they are constant. A second run estimates the errors and calls the controller too: if it has internal
        state, pass a class, from which each run creates an object. ``events`` are functions of the motion: when one changes
        its sign, an event is listed. A function of ``until`` also ends the run.

        If a run fails or Ctrl-C stops it, the rows computed so far are kept: ``status`` and ``message`` of the result
        say so, and a ``RunWarning`` is issued. A second Ctrl-C within a second raises ``KeyboardInterrupt``.

        >>> r = m.run(duration=10, tolerance=1e-8)
        >>> r = m.run(until={"lands": lambda motion: motion.point("A")[0][1]})
        """
        from .result import Result
        from .simulation import Simulation, controller_factory, watched_functions

        check_options(Mechanism.run, options)
        simulation = Simulation(self, **options)
        if controller is not None and isinstance(every, (int, float)) and every == 0:
            raise ModelError("a controller acts at sample times; give every=…, the time between them in s")
        if controller is not None:
            every = positive("every, the time between calls of the controller in s,", every)
        elif every:
            raise ModelError(f"every={every!r} is the time between calls of a controller, and there is none; give controller=…")
        factory = controller_factory(controller, list(self.inputs)) if controller is not None else None
        return Result.of(simulation, switch("progress", progress), every, factory, watched_functions(events, until, list(self.inputs)))

    def simulation(self, **options: Any) -> Simulation:
        """The mechanism at its start, to be advanced step by step. Options are those of ``run()``.

        >>> sim = m.simulation(tolerance=1e-8)
        """
        from .simulation import Simulation

        return Simulation(self, **options)

    def compare(self, formulations: Sequence[str] = (), integrators: Sequence[str] = (), **options: Any) -> Comparison:
        """Runs the model with several formulations and compares them (default: all suitable ones).

        >>> m.compare(formulations=["lagrange", "baumgarte"], duration=5)
        """
        for key, several in (("formulation", formulations), ("integrator", integrators)):
            if key in options:
                raise ModelError(f"compare() runs several; give {key}s=[{options[key]!r}, …] instead of {key}={options[key]!r}")
            names(f"{key}s", several)
        check_options(Mechanism.compare, options)
        core = self._with_options(options, True)
        compared = _core.Comparison(core, list(formulations), list(integrators))
        return Comparison(compared.text(), json.loads(compared.json()), compared)

    def formulations(self) -> Formulations:
        """Which coordinates, formulations and integrators simulate this mechanism, and why the others do not.

        >>> print(m.formulations())
        """
        text, rows = _core.acceptance(self._with_options({}, True))
        return Formulations(text, json.loads(rows))

    def kernel(self, target: str = "cpp", *, others: Sequence[Mechanism] = (), **options: Any) -> Kernel:
        """Source code for the steps of this mechanism, with several instances side by side: ``target`` is ``"cpp"`` or ``"cuda"``. Options
        are those of ``run()``. What differs in ``others``, models that differ in numbers alone, is an input of each instance.

        >>> open("crank.cpp", "w").write(m.kernel(step=1e-3).text)
        """
        from .kernel import Kernel

        check_options(Mechanism.kernel, options)
        return Kernel(self, target, others, options)

    def _with_options(self, options: Mapping[str, Any], any_option: bool = False) -> _core.Mechanism:
        if not options and not any_option:
            return self._core
        file, parts = self._file or "model", [own.core for own in self._own]
        return accepted(_core.read_text(self._text, file, file, _options(options), any_option, parts), self._text)

    def _problems(self, message: str) -> list[tuple[str, int, int, str, str]]:
        """What a message of the engine cites by lines of the model, one problem a line, with the places that the caller knows."""
        found = []
        for each in message.split("\n"):
            cited = _CITED.fullmatch(each)
            file, line, column, what = cited.groups() if cited else ("", "0", "0", each)
            head, separator, remedy = what.rpartition("; ")
            problem = (file or self._file or "model", int(line), int(column), *((head, remedy) if separator else (what, "")))
            found.append(_placed(problem, self._text) if cited else ("", *problem[1:]))
        return found

    def _placed(self, error: ModelError) -> ModelError:
        """An error of the engine with the place that the caller knows."""
        return ModelError.of(self._problems(str(error)))

    def _told(self, message: str) -> str:
        """The message of a run, likewise."""
        return str(self._placed(ModelError(message))) if message else ""

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._text, self._file, self._parts)

    def __repr__(self) -> str:
        place = "in the plane" if self.is_planar else "in space"
        return f"<Mechanism {self.name!r}: bodies {len(self.bodies)}, joints {len(self.joints)}, {place}>"


def check_readable(path: str | PathLike[str]) -> str:
    """The name of a file; FileNotFoundError and the like, as everywhere in Python."""
    file = fsdecode(path)
    with open(file, "rb"):
        pass
    return file


def accepted(read: tuple[_core.Mechanism | None, list[tuple[str, int, int, str, str]]], text: str = "") -> _core.Mechanism:
    mechanism, problems = read
    if mechanism is None:
        raise ModelError.of([_placed(problem, text) for problem in problems])
    return mechanism


def _placed(problem: tuple[str, int, int, str, str], text: str) -> tuple[str, int, int, str, str]:
    """A problem with the place that the caller knows: of a model that was made from a mapping, its keys."""
    file, line, column, message, remedy = problem
    if not line:  # options and settings are those of the command line there
        return file.removeprefix("--set ").removeprefix("--"), 0, 0, message, remedy
    if not file:
        return "", 0, 0, message, remedy
    path = path_at(text, line, column) if text.startswith(_HEAD) else ""
    return (path, 0, 0, message, remedy) if path else problem


def path_at(text: str, line: int, column: int) -> str:
    """The keys that lead to a place in JSON, as ``bodies.rod.rod[1]``."""
    end = sum(len(each) + 1 for each in text.split("\n")[: line - 1]) + max(column, 1)
    path: list[str | int] = []
    last = ""
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[\]{},:]|[^\s\[\]{},:"]+', text):
        sign = token[0]
        if sign == "," and path:
            path[-1] = path[-1] + 1 if isinstance(path[-1], int) else ""
        if sign == ":" and path:
            path[-1] = last
        last = json.loads(sign) if sign[0] == '"' else sign
        # A key is the place of its value.
        if token.end() >= end and sign not in ",:":
            if path and path[-1] == "" and sign not in "[]{}":
                path[-1] = last
            break
        if sign in "[{":
            path.append(0 if sign == "[" else "")
        if sign in "]}" and path:
            path.pop()
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path if step != "").lstrip(".")


def _unpickled(text: str, file: str, parts: tuple[Part, ...]) -> Mechanism:
    return Mechanism(text, file=file, parts=parts)


_IMPORTS = ("base", "strict", "accept_inertia", "loops")  # options of import_model()


def _is_foreign(file: str) -> bool:
    """Whether it is XML, by its first character, and so not a model file of Trammel."""
    with open(file, "rb") as opened:
        return opened.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"


def load(path: str | PathLike[str], settings: Mapping[str, Any] | None = None, /, **parameters: Number) -> Mechanism:
    """Reads a model file, with other values of its parameters; ``settings`` change anything else by its path.

    From a ``results.h5``, or a folder with one, it reads the model of that run, with its settings. URDF, MJCF and SDF files are imported (docs/robots.md); a warning lists ignored parts that affect the motion. ``import_model()`` reads these with options.

    >>> m = tr.load("crank.yaml", L=0.4)
    >>> m = tr.load("crank.yaml", {"bodies.crank.mass": "2 kg"})
    """
    file = fsdecode(path)
    file = check_readable(join(file, "results.h5") if isdir(file) else file)
    if file.endswith(".h5"):
        mechanism = Mechanism(_core.model_in_results(file), file=file)
        return mechanism.with_(settings, **parameters) if settings is not None or parameters else mechanism
    wrong = [name for name in parameters if name in _IMPORTS]
    if wrong and _is_foreign(file):
        raise ModelError(f"load() imports {file!r} without options; give {wrong[0]}= to tr.import_model(), whose result has the mechanism")
    read, notes = _core.read_file(file, [], False)
    mechanism = Mechanism.of(accepted(read), file)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return mechanism.with_(settings, **parameters) if settings is not None or parameters else mechanism


def loads(text: str, settings: Mapping[str, Any] | None = None, /, **parameters: Number) -> Mechanism:
    """Reads a model from a string.

    >>> m = tr.loads(open("crank.yaml").read())
    """
    mechanism = Mechanism(text)
    return mechanism.with_(settings, **parameters) if settings is not None or parameters else mechanism
