"""The notebooks of examples/python run from their first cell to their last, without a warning. Each has asserts of its own."""

import os
import pathlib
import shutil
import subprocess
from typing import Any

import pytest

import trammel as tr

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
for needed in ("matplotlib", "scipy", "pandas", "xarray", "h5py"):
    pytest.importorskip(needed)

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples/python"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def test_there_are_notebooks_and_the_table_names_each() -> None:
    table = (FOLDER / "README.md").read_text()
    assert NOTEBOOKS
    assert [path.name for path in NOTEBOOKS if path.name not in table] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_small_and_has_no_outputs(path: pathlib.Path) -> None:
    notebook = nbformat.read(path, 4)
    nbformat.validate(notebook)
    assert path.stat().st_size < 50_000
    assert [cell.source for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")] == []


def test_the_cells_have_no_wrong_types(tmp_path: pathlib.Path) -> None:
    """By mypy --strict, but for packages without types and what they return."""
    mypy = shutil.which("mypy", path="/usr/bin")
    if mypy is None:
        pytest.skip("mypy is not installed")
    for path in NOTEBOOKS:
        lines = [line for cell in nbformat.read(path, 4).cells if cell.cell_type == "code" for line in f"{cell.source}\n".split("\n")]
        (tmp_path / f"{path.stem}.py").write_text("\n".join("" if line.startswith(("%", "!")) else line for line in lines))
    options = ["--strict", "--ignore-missing-imports", "--allow-any-generics", "--allow-untyped-calls", "--no-warn-return-any", "--no-warn-unused-ignores"]
    package = pathlib.Path(tr.__file__).parents[1]
    cache = f"--cache-dir={package.parent / 'mypy-notebooks'}"
    environment = {**os.environ, "MYPYPATH": str(package)}
    done = subprocess.run([mypy, *options, cache, "."], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and f"{len(NOTEBOOKS)} source files" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # a warning of the debugger, of no concern here
    monkeypatch.setenv("PYTHONPATH", os.environ["PYTHONPATH"])
    notebook = nbformat.read(path, 4)
    client = nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}})
    client.execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [output.text for output in outputs if output.output_type == "stream" and output.name == "stderr"] == []
    assert any("image/png" in output.get("data", {}) for output in outputs)


class Messages(nbclient.NotebookClient):  # type: ignore[misc, name-defined]
    """A notebook that keeps what its kernel sends of displays."""

    def process_message(self, msg: Any, cell: Any, cell_index: int) -> Any:
        if msg["msg_type"].endswith("display_data"):
            self.displays = [*getattr(self, "displays", []), (msg["msg_type"], msg["content"])]
        return super().process_message(msg, cell, cell_index)


def test_a_notebook_shows_progress_in_a_display_that_is_updated() -> None:
    code = """
import trammel as tr
from trammel import progress
progress._WAIT = progress._EVERY = 0.0
m = tr.load("../../models/four-bar.yaml")
"""
    cells = [nbformat.v4.new_code_cell(source) for source in (code, "r = m.run(duration=20)", "r = m.run(duration=20, progress=False)")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    client = Messages(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}})
    client.execute()
    (first, opened), *updates = client.displays
    assert first == "display_data" and {kind for kind, _ in updates} == {"update_display_data"}
    assert {content["transient"]["display_id"] for _, content in updates} == {opened["transient"]["display_id"]}
    *shown, last = [content["data"]["text/plain"] for _, content in updates]
    percents = [int(text.split("]")[1].split("%")[0]) for text in shown]
    assert len(percents) > 3 and percents == sorted(percents) and shown[-1].startswith("[####") and last == ""
    # The line is empty at the end, and there is no other output.
    assert [output.data for output in notebook.cells[1].outputs] == [{"text/plain": ""}]
    assert notebook.cells[2].outputs == []
