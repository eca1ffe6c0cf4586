"""Trammel simulates constrained mechanical systems: from bodies, joints and forces it computes the motion and every reaction.

>>> import trammel as tr
>>> m = tr.load("crank.yaml", L=0.4)
>>> m.check()
>>> r = m.run(duration=10, tolerance=1e-8)
>>> r["crank.angle"], r.error["crank.angle"]
>>> sim = m.simulation()
>>> sim.advance(0.1)

docs/python.md has a guide. SI units and world axes throughout.
"""

from . import _needed  # noqa: F401, first
from . import solve
from ._core import __version__
from .batch import Batch, BatchResult, BatchRun, batch
from .errors import AssemblyError, CostWarning, Error, ModelError, Problem, RunWarning, StepError, UnknownName
from .imported import Imported, LedgerEntry, import_model
from .kernel import Kernel
from .model import Check, Comparison, Formulations, Mechanism, load, loads
from .result import Columns, Result
from .search import Fit, FitColumn, FittedParameter, Optimum, fit, optimize
from .simulation import Controlled, Energy, Event, Load, Motion, Pose, Reaction, Simulation, State
from .stored import Difference, diff, read_results, resume
from .sweep import Sweep, SweepResult, read_sweep, sweep
from .view import Replay, View, replay, view

__all__ = [
    "AssemblyError",
    "Batch",
    "BatchResult",
    "BatchRun",
    "Check",
    "Columns",
    "Comparison",
    "Controlled",
    "CostWarning",
    "Difference",
    "Energy",
    "Error",
    "Event",
    "Fit",
    "FitColumn",
    "FittedParameter",
    "Formulations",
    "Imported",
    "Kernel",
    "LedgerEntry",
    "Load",
    "Mechanism",
    "ModelError",
    "Motion",
    "Optimum",
    "Pose",
    "Problem",
    "Reaction",
    "Replay",
    "Result",
    "RunWarning",
    "Simulation",
    "State",
    "StepError",
    "Sweep",
    "SweepResult",
    "UnknownName",
    "View",
    "__version__",
    "batch",
    "diff",
    "fit",
    "import_model",
    "load",
    "loads",
    "optimize",
    "read_results",
    "read_sweep",
    "replay",
    "resume",
    "solve",
    "sweep",
    "view",
]
