"""Runs the mechanisms of docs/gallery/gallery.yaml and compares them with what verifies them."""
import csv
import math
import pathlib
import re
import subprocess
import tempfile

import numpy as np
import yaml

from . import forms

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs/gallery/gallery.yaml"
NUMPY = "sin cos tan sqrt exp log hypot arcsin arccos arctan arctan2 abs sign floor where angle imag real array unwrap".split()
FUNCTIONS = {name: getattr(np, name) for name in NUMPY} | {
    name: value for name, value in vars(forms).items() if callable(value)
}
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")


def table():
    return yaml.safe_load(TABLE.read_text(encoding="utf-8"))


def model_file(entry):
    """models/NAME.yaml, or a path from the root of the repository."""
    name = entry["model"]
    return ROOT / (name if "/" in name else f"models/{name}.yaml")


def slug(entry):
    return model_file(entry).stem


def parameters(entry):
    """The names of the model's parameters."""
    return list(yaml.safe_load(model_file(entry).read_text(encoding="utf-8")).get("parameters") or {})


def options(chosen):
    return [word for name, value in (chosen or {}).items() for word in (f"--{name}", str(value))]


def columns_of(path):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    names = [name.split(" [")[0] for name in rows[0]]
    values = np.array([[float(x or math.nan) for x in row] for row in rows[1:]])
    return dict(zip(names, values.T))


def run(program, entry, chosen=None, settings=()):
    """All columns of a run, and the values of the parameters beside them."""
    with tempfile.TemporaryDirectory() as out:
        command = [program, "run", str(model_file(entry)), "--quiet", "--csv", "--verify", "off", "--out", out]
        command += options(chosen)
        own = entry.get("columns", {}) | {f"parameter_{name}": name for name in parameters(entry)}
        for name, text in own.items():
            command += ["--set", f"outputs.columns.{name}={text}"]
        for setting in [*entry.get("set", []), *settings]:
            command += ["--set", setting]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{entry['model']}: {done.stderr or done.stdout}")
        return columns_of(pathlib.Path(out) / "results.csv")


def value(text, columns, names):
    """An expression of columns, parameters and functions; a whole column, or a number."""
    expression = DOTTED.sub(lambda match: f'column("{match.group()}")', str(text))
    scope = FUNCTIONS | names | {"pi": math.pi, "column": columns.__getitem__, "__builtins__": {}}
    return eval(expression, scope)  # pylint: disable=eval-used


def names_of(columns, let):
    """Columns without a dot, parameters by their names, then what `let` adds, in its order."""
    names = {name: x for name, x in columns.items() if "." not in name}
    names |= {name.removeprefix("parameter_"): x[0] for name, x in columns.items() if name.startswith("parameter_")}
    for name, text in (let or {}).items():
        names[name] = value(text, columns, names)
    return names


def difference(check, columns, again=None):
    """The largest difference of a check over all rows; infinite where a value is missing."""
    if again is not None:
        found, expected = (np.array([run[name] for name in check["columns"]]) for run in (columns, again))
    else:
        names = names_of(columns, check.get("let"))
        found, expected = value(check["is"], columns, names), value(check["equals"], columns, names)
    largest = float(np.max(abs(found - expected)))
    return largest if math.isfinite(largest) else math.inf


def measured(program, entry):
    """The difference of each check."""
    first = run(program, entry, entry.get("run"))
    return [difference(check, first, second_run(program, entry, check)) for check in entry["checks"]]


def spoilt(program, entry, check):
    """The difference of a check with what it must fail with: a setting of the run, or where there is a second run, of that one."""
    settings = [check["fails-with"]]
    if "again" in check:
        return difference(check, run(program, entry, entry.get("run")), second_run(program, entry, check, settings))
    return difference(check, run(program, entry, entry.get("run"), settings))


def second_run(program, entry, check, settings=()):
    if "again" not in check:
        return None
    return run(program, entry, (entry.get("run") or {}) | check["again"], settings)
