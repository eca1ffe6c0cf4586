"""The notebooks of examples/python run from their first cell to their last, without a warning. Each has asserts of its own."""

import os
import pathlib

import pytest

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
