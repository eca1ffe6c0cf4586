"""Every public class, function and method has a docstring with an example."""

import ast
import pathlib
from collections.abc import Iterator

import trammel as tr

PACKAGE = pathlib.Path(tr.__file__).parent
EXPORTED = {*tr.__all__, *tr.solve.__all__}


def is_public(node: ast.AST) -> bool:
    """Of the classes that are exported, and of those that they have members from."""
    if not isinstance(node, (ast.ClassDef, ast.FunctionDef)):
        return False
    return node.name in EXPORTED or isinstance(node, ast.ClassDef) and node.name.startswith("_")


def needs_none(function: ast.FunctionDef) -> bool:
    """Special methods, and the second half of what has an example already."""
    return function.name.startswith("_") or any("setter" in ast.unparse(one) or "overload" in ast.unparse(one) for one in function.decorator_list)


def documented() -> Iterator[tuple[str, str]]:
    for path in sorted(PACKAGE.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if not is_public(node):
                continue
            assert isinstance(node, (ast.ClassDef, ast.FunctionDef))
            name = f"{path.stem}.{node.name}"
            if not node.name.startswith("_") and not (isinstance(node, ast.FunctionDef) and needs_none(node)):
                yield name, ast.get_docstring(node) or ""
            for member in node.body if isinstance(node, ast.ClassDef) else []:
                if isinstance(member, ast.FunctionDef) and not needs_none(member):
                    yield f"{name}.{member.name}", ast.get_docstring(member) or ""


def test_everything_public_has_an_example() -> None:
    all_of_it = dict(documented())
    assert len(all_of_it) > 150 and "model.Check.loops" in all_of_it
    assert [name for name, text in all_of_it.items() if ">>> " not in text] == []
