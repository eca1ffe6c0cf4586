#!/usr/bin/env python3
"""documents_test.py TRAMMEL SOURCE [PYTHON_PACKAGE] [PAGE…]: runs every code block of the documents, page by page.

Each page has a folder of its own, with `models` and `examples` in it and `trammel` on the path. Its blocks run in their
order:

    ```yaml       after `<!-- file: NAME -->`: written to that file; else a part of a model, checked against the JSON Schema
    ```sh         run by bash, which stops at the first error
    ```console    lines after `$ ` are run; what they print must be the other lines, in which `…` stands for any text,
                  and alone in a line for any lines
    ```python     run in one interpreter for the whole page
    ```json       must be JSON

`<!-- file: NAME -->` saves a block of any other language too. `<!-- not run: REASON -->` leaves the next block out, and
`<!-- python … -->` runs lines that the reader does not see. Other blocks (cpp, cmake, text) are not run: examples/ has them
as programs, which installed_package_test.py compiles. Links and pictures must lead to a file or heading that exists.
"""
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

import jsonschema
import yaml

PAGES = ["README.md", "CONTRIBUTING.md", "docs/*.md", "docs/guides/*.md", "docs/decisions/*.md", "examples/python/README.md", "bench/README.md"]
# Languages whose blocks something else compiles, or that are pictures of text.
SHOWN = {"", "cpp", "cmake", "text", "xml", "matlab", "lisp", "vim", "{toctree}", "{literalinclude}"}
SECONDS = 120  # for one block: far more than any needs, so that a block that hangs is named


class Loader(yaml.SafeLoader):
    """YAML 1.2, as the program reads it: `on` and `no` are words."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in known if tag != "tag:yaml.org,2002:bool" or first in "tTfF"]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()}


class Wrong(Exception):
    """What a reader who follows the page would stumble over."""


class Block:
    def __init__(self, language, text, line, file, skipped):
        self.language, self.text, self.line, self.file, self.skipped = language, text, line, file, skipped


def blocks_of(text):
    """The code blocks of a page, and the hidden lines of Python among them."""
    found, file, skipped = [], None, None
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if match := re.match(r"<!-- file: (\S+) -->$", line):
            file = match[1]
        elif match := re.match(r"<!-- not run: (.+) -->$", line):
            skipped = match[1]
        elif line == "<!-- python":
            end = lines.index("-->", at)
            found.append(Block("python", "\n".join(lines[at + 1:end]), at + 2, None, None))
            at = end
        elif match := re.match(r"( *)(```+)(\S*)", line):
            indent, fence = len(match[1]), match[2]
            end = next((k for k in range(at + 1, len(lines)) if lines[k].strip() == fence), None)
            if end is None:
                raise Wrong(f"line {at + 1}: this block has no end")
            body = "\n".join(text_line[indent:] for text_line in lines[at + 1:end])
            found.append(Block(match[3], body, at + 1, file, skipped))
            file = skipped = None
            at = end
        at += 1
    return found


class Page:
    """A folder in which the blocks of one page run."""

    def __init__(self, program, source, package, folder):
        self.source, self.folder, self.python = source, folder, None
        for name in ("models", "examples", "docs", "papers", "Makefile"):
            (folder / name).symlink_to(source / name)
        (folder / "build/bin").mkdir(parents=True)
        (folder / "build/bin/trammel").symlink_to(program)
        (folder / "build/bin/python3").symlink_to("/usr/bin/python3")  # the one with Debian's packages
        self.environment = os.environ | {"PATH": f"{folder}/build/bin:{os.environ['PATH']}", "MPLBACKEND": "Agg", "COLUMNS": "200"}
        if package:
            (folder / "build/python").symlink_to(package)
            self.environment["PYTHONPATH"] = str(package)
        self.package = package
        self.pending = ""

    def run(self, block):
        if block.file:
            target = self.folder / block.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text + "\n")
            return
        if block.language == "sh":
            self.shell(block.text)
        elif block.language == "console":
            self.console(block.text)
        elif block.language == "python":
            self.pending += f"\n#line {block.line}\n{block.text}\n"
        elif block.language == "yaml":
            self.part_of_model(block.text)
        elif block.language == "json":
            if "…" not in block.text:  # else it is shortened
                json.loads(block.text)
        elif block.language not in SHOWN:
            raise Wrong(f"nothing runs blocks of the language '{block.language}'")

    def shell(self, text):
        commands = []
        for line in text.split("\n"):
            command = re.sub(r"\s+# .*", "", line).strip()
            if match := re.match(r"make (\w[\w-]*)", command):
                if not re.search(rf"^{match[1]}:", (self.source / "Makefile").read_text(), re.M):
                    raise Wrong(f"the Makefile has no '{match[1]}'")
            elif re.match(r"(build/bin/)?trammel view\b", command):
                self.finish(commands)
                commands = []
                self.view(command)
            elif command.startswith("python3") and not self.package:
                continue
            else:
                commands.append(line)
        self.finish(commands)

    def finish(self, commands):
        if any(line.strip() for line in commands):
            self.call("set -e\n" + "\n".join(commands))

    def call(self, script):
        done = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.environment, text=True, timeout=SECONDS,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Wrong(f"exit status {done.returncode} of\n{script}\n{done.stdout}")
        return done.stdout

    def view(self, command):
        """A live run has no end: it must start, tell its address, and end by Ctrl-C."""
        command = command.removeprefix("build/bin/")
        process = subprocess.Popen(command.split() + ["--no-browser"], cwd=self.folder, env=self.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        first = process.stdout.readline()
        while first and "http://" not in first:
            first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=SECONDS)[0]
        if "http://" not in first or process.returncode != 0:
            raise Wrong(f"exit status {process.returncode} of '{command}': {first}{rest}")

    def console(self, text):
        parts = re.split(r"^\$ (.*)$", text, flags=re.M)
        for command, expected in zip(parts[1::2], parts[2::2]):
            # By lines, so that messages stand where a terminal shows them.
            printed = self.call(f"stdbuf -oL bash -c {shlex.quote(command)} 2>&1 || true").strip("\n")
            lines = expected.strip("\n").split("\n")
            pattern = "".join(r"(?:.*\n)*?" if line.strip() == "…" else
                              ".*?".join(re.escape(piece) for piece in line.split("…")) + r"\n" for line in lines)
            if not re.fullmatch(pattern, printed + "\n"):
                raise Wrong(f"'{command}' prints\n{printed}\nand not\n{expected.strip()}")

    def part_of_model(self, text):
        """A whole model must pass `trammel check`; of a part the keys and values are checked."""
        part = yaml.load(text, Loader)
        if not isinstance(part, dict):
            raise Wrong("this is not a mapping")
        if "trammel" in part:
            (self.folder / "shown.yaml").write_text(text + "\n")
            self.call("trammel check shown.yaml")
            return
        schema = json.loads((self.source / "docs/trammel.schema.json").read_text())
        known = schema["properties"]
        strangers = [key for key in part if key not in known]
        if strangers == list(part):
            return  # entries of one section: a body, a joint
        if strangers:
            raise Wrong(f"a model has no section '{strangers[0]}'")
        whole = {key: value for key, value in schema.items() if key not in ("required", "anyOf")}
        error = jsonschema.exceptions.best_match(jsonschema.Draft7Validator(whole).iter_errors(part))
        if error:
            raise Wrong(f"{'.'.join(map(str, error.path))}: {error.message[:300]}")

    def finish_python(self):
        if not self.pending or not self.package:
            return
        done = subprocess.run(["/usr/bin/python3", "-"], input=self.pending, cwd=self.folder, env=self.environment, text=True,
                              timeout=SECONDS, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            raise Wrong(f"the Python of this page fails:\n{done.stdout[-3000:]}")


def headings_of(text):
    """Anchors as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    names = []
    for title in re.findall(r"^#+ (.*)$", text, flags=re.M):
        plain = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title).lower())
        names.append(plain.strip().replace(" ", "-"))
    return names


def check_links(page, text):
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)
    text = re.sub(r"`[^`]*`", "", text)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"https?:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            raise Wrong(f"the link {link} leads nowhere")
        if anchor and target.suffix == ".md" and anchor not in headings_of(target.read_text()):
            raise Wrong(f"the link {link}: there is no such heading")


def check(path, program, source, package):
    text = path.read_text()
    check_links(path, text)
    with tempfile.TemporaryDirectory() as folder:
        page = Page(program, source, package, pathlib.Path(folder))
        count = 0
        for block in blocks_of(text):
            if block.skipped:
                continue
            try:
                page.run(block)
            except (Wrong, json.JSONDecodeError, yaml.YAMLError, subprocess.TimeoutExpired) as error:
                raise Wrong(f"line {block.line}: {error}") from None
            count += block.language not in SHOWN
        page.finish_python()
    return count


def main():
    program, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    package = pathlib.Path(sys.argv[3]).resolve() if len(sys.argv) > 3 and pathlib.Path(sys.argv[3]).is_dir() else None
    wanted = sys.argv[4:]
    pages = [path for pattern in PAGES for path in sorted(source.glob(pattern))]
    failed = 0
    for path in pages:
        name = str(path.relative_to(source))
        if wanted and name not in wanted:
            continue
        try:
            print(f"{name}: {check(path, program, source, package)} blocks", flush=True)
        except Wrong as error:
            failed += 1
            print(f"{name}: {error}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
