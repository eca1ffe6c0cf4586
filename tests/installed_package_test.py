#!/usr/bin/env python3
"""The installed package as another project meets it.

Installs a build tree into a temporary prefix, builds examples/ outside the repository against it, runs all
seven programs and compares what they print with what is known by other means; then compiles one of them with
the flags of pkg-config. Documents, models, the JSON Schema and the Python package must be there too.

usage: installed_package_test.py BUILD_FOLDER SOURCE_FOLDER
       installed_package_test.py --alone SOURCE_FOLDER    core and model, without their optional parts
"""
import csv
import glob
import json
import math
import os
import re
import subprocess
import sys
import tempfile

G = 9.81


def call(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\nexit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def near(what, value, expected, tolerance):
    if not abs(value - expected) <= tolerance:
        sys.exit(f"{what}: {value!r}, expected {expected!r} to {tolerance}")


def rows(text):
    """Each line that has 'name = number' pairs, as a dictionary."""
    found = [dict(re.findall(r"(\w+) = (\S+)", line)) for line in text.splitlines()]
    return [{k: float(v) for k, v in row.items()} for row in found if row]


def read_and_run(program, source, folder, trammel):
    """The same numbers, to the last bit, as the command line."""
    model = os.path.join(source, "models", "double-four-bar.yaml")
    out = call(program, model, os.path.join(folder, "results.h5"))
    call(trammel, "run", model, "--csv", "--quiet", "--out", os.path.join(folder, "by-trammel"))
    with open(os.path.join(folder, "by-trammel", "results.csv")) as file:
        table = list(csv.reader(file))
    names = [cell.split(" ")[0] for cell in table[0]]
    printed = dict(re.findall(r"^(\S+) = (\S+)", out, re.M))
    for name in names[:5]:
        near(f"read_and_run, {name}", float(printed[name]), float(table[-1][names.index(name)]), 0)
    near("read_and_run, rows", int(printed["rows"]), len(table) - 1, 0)
    if open(os.path.join(folder, "results.h5"), "rb").read(8) != b"\x89HDF\r\n\x1a\n":
        sys.exit("read_and_run: no HDF5 file")


def build_in_cpp(program, *_):
    """x = r cos θ + √(l² − r² sin² θ); the motor moves the slider alone, so torque · ω = m v a."""
    found = rows(call(program))
    if len(found) != 4:
        sys.exit("build_in_cpp: expected four times")
    r, l, w = 0.3, 0.6, 2 * math.pi

    def x(t):
        return r * math.cos(w * t) + math.sqrt(l * l - (r * math.sin(w * t)) ** 2)

    for row in found:
        t, d = row["t"], 1e-4
        v = (x(t + d) - x(t - d)) / (2 * d)
        a = (x(t + d) - 2 * x(t) + x(t - d)) / (d * d)
        near("build_in_cpp, x", row["x"], x(t), 1e-10)
        near("build_in_cpp, v", row["v"], v, 1e-5)
        near("build_in_cpp, torque", row["torque"], v * a / w, 1e-4)
        near("build_in_cpp, unique", row["unique"], 1, 0)


def own_force(program, *_):
    """Falling with drag c v²: v = −v∞ tanh(g t/v∞), z = z0 − v∞²/g ln cosh(g t/v∞)."""
    motion, energy = rows(call(program))
    m, c, t, z0 = 0.2, 0.005, 5, 100
    limit = math.sqrt(m * G / c)
    near("own_force, v", motion["v"], -limit * math.tanh(G * t / limit), 1e-7)
    near("own_force, z", motion["z"], z0 - limit**2 / G * math.log(math.cosh(G * t / limit)), 1e-7)
    near("own_force, energy", energy["energy"] - energy["work"], m * G * z0, 1e-6)


def controller(program, *_):
    """The force is constant between samples: x and v follow exactly."""
    found = {round(row["t"], 6): row for row in rows(call(program))}
    x, v, h, m = 0.0, 0.0, 0.01, 2.0
    for sample in range(1, 201):
        a = (50 * (1 - x) - 20 * v) / m
        x, v = x + h * v + 0.5 * h * h * a, v + h * a
        if sample % 50 == 0:
            near("controller, x", found[round(sample * h, 6)]["x"], x, 1e-9)
            near("controller, v", found[round(sample * h, 6)]["v"], v, 1e-9)
    near("controller, at its target", x, 1, 1e-2)


def parameter_study(program, *_):
    """A quarter of the period: K(sin 30°) √(L/g), K by the arithmetic-geometric mean."""
    found = rows(call(program))
    if [row["L"] for row in found] != [0.25, 0.5, 1, 2]:
        sys.exit("parameter_study: expected four lengths")
    a, b = 1.0, math.cos(math.pi / 6)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    for row in found:
        near("parameter_study, t", row["t"], math.pi / (2 * a) * math.sqrt(row["L"] / G), 1e-7)


def batch(program, *_):
    """x = 0.1 m cos(√(k/m) t) at t = 1 s; the last mass is negative."""
    out = call(program)
    found = rows(out)
    if [(row["k"], row["m"]) for row in found] != [(50, 1), (100, 1), (100, 2), (400, 2)]:
        sys.exit("batch: expected four runs")
    for row in found:
        near("batch, x", row["x"], 0.1 * math.cos(math.sqrt(row["k"] / row["m"])), 1e-8)
    if not re.search(r"^run 4: .*mass", out, re.M):
        sys.exit(f"batch: the last run says nothing about its mass:\n{out}")


def analyses(program, *_):
    """Two equal rods. At rest: potential and force by hand; det(K − ω²M) = 0 with M = mL²[[4/3, ½], [½, ⅓]] and
    K = mgL diag(3/2, ½); the hand reaches a disc of radius 2L; both motors act on ground."""
    rest, first, second, reach, *rows_of_torque = rows(call(program))
    m, length = 2, 0.5
    near("analyses, potential", rest["potential"], -m * G * length * (0.5 + 1.5), 1e-9)
    near("analyses, force", rest["force"], 2 * m * G, 1e-8)
    # 7/36 x² − (7/6) x + 3/4 = 0, x = ω² L/g
    root = math.sqrt((7 / 6) ** 2 - 4 * 7 / 36 * 3 / 4)
    for mode, x in ((first, (7 / 6 - root) / (7 / 18)), (second, (7 / 6 + root) / (7 / 18))):
        near("analyses, frequency", mode["frequency"], math.sqrt(x * G / length) / (2 * math.pi), 1e-8)
    near("analyses, area", reach["area"], math.pi * (2 * length) ** 2, max(3 * reach["error"], 1e-6))
    if len(rows_of_torque) != 5:
        sys.exit("analyses: expected five rows")
    for row in rows_of_torque:
        # The upper link is held against gravity of its own weight; the lower by its own motor, through the hinge.
        near("analyses, torque", row["torque"], m * G * length * 1.5 * math.cos(row["t"]), 1e-8)


def live_edit(program, *_):
    """Cut off, the rod's centre of mass flies along a parabola; the cut itself changes no energy."""
    before, cut, after = rows(call(program))
    near("live_edit, impulse", cut["impulse"], 0, 1e-6)
    near("live_edit, energy", cut["energy"], 0, 1e-6)
    near("live_edit, time of the cut", before["t"], 0.5, 1e-9)
    t = after["t"] - before["t"]
    near("live_edit, x", after["x"], before["x"] + before["vx"] * t, 1e-7)
    near("live_edit, y", after["y"], before["y"] + before["vy"] * t - 0.5 * G * t * t, 1e-7)
    near("live_edit, vy", after["vy"], before["vy"] - G * t, 1e-7)


def data(source, prefix, trammel):
    """The documents, the schema, and models, which run from where they are installed."""
    share = os.path.join(prefix, "share")
    documents = glob.glob(os.path.join(share, "doc", "trammel", "**", "*.md"), recursive=True)
    for document in glob.glob(os.path.join(source, "docs", "**", "*.md"), recursive=True):
        if os.path.join(share, "doc", "trammel", os.path.relpath(document, source)) not in documents:
            sys.exit(f"{document} is not in the installed package")
    for document in documents:
        with open(document) as file:
            for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read()):
                if not os.path.exists(os.path.join(os.path.dirname(document), link)):
                    sys.exit(f"{os.path.relpath(document, share)} links to {link}, which is not installed")
    with open(os.path.join(share, "trammel", "schema", "trammel.schema.json")) as file:
        if "definitions" not in json.load(file):
            sys.exit("the installed JSON Schema has no definitions")
    models = glob.glob(os.path.join(share, "trammel", "models", "**", "*.yaml"), recursive=True)
    if len(models) != len(glob.glob(os.path.join(source, "models", "**", "*.yaml"), recursive=True)):
        sys.exit(f"{len(models)} models are installed, not all")
    call(trammel, "check", os.path.join(share, "trammel", "models", "four-bar.yaml"))


PYTHON = """
import sys, trammel as tr
r = tr.load(sys.argv[1]).run()
print(tr.__file__, *r.table[[0, -1]].ravel().tolist())
"""


def from_python(source, prefix, folder, trammel):
    """The Python package, from where it is installed alone: the numbers of the command line, to the last bit. A build may have none."""
    packages = glob.glob(os.path.join(prefix, "lib", "python*", "dist-packages"))
    if not packages:
        return
    # Its rough places move when it is assembled.
    model, out = os.path.join(source, "models", "four-bar.yaml"), os.path.join(folder, "four-bar")
    file, *numbers = call("/usr/bin/python3", "-c", PYTHON, model, env={**os.environ, "PYTHONPATH": packages[0]}, cwd=prefix).split()
    if not file.startswith(prefix):
        sys.exit(f"from_python: imported from {file}")
    call(trammel, "run", model, "--csv", "--quiet", "--out", out)
    with open(os.path.join(out, "results.csv")) as table:
        lines = list(csv.reader(table))
    told = [float(cell or "nan") for line in (lines[1], lines[-1]) for cell in line]
    if repr(told) != repr([float(number) for number in numbers]):
        sys.exit("from_python: numbers differ from those of the command line")


def pkg_config(source, prefix, folder):
    """One example by the flags of pkg-config alone."""
    library = [d for d, _, files in os.walk(prefix) if "trammel.pc" in files]
    if len(library) != 1:
        sys.exit("there is no trammel.pc in the installed package")
    flags = call("pkg-config", "--cflags", "--libs", "trammel",
                 env={**os.environ, "PKG_CONFIG_PATH": library[0]}).split()
    program = os.path.join(folder, "by-pkg-config")
    call("c++", "-std=c++20", os.path.join(source, "examples", "build_in_cpp.cpp"), "-o", program, *flags)
    build_in_cpp(program)


MODEL_ONLY = [build_in_cpp, own_force, controller, parameter_study, analyses]
WITHOUT = "hdf5|boost|sundials|klu|amd|suitesparse|pthread"


def alone(source, folder):
    """Core and model without HDF5, Boost, SUNDIALS, SuiteSparse and threads: builds, installs, links, runs."""
    build, prefix = os.path.join(folder, "build"), os.path.join(folder, "prefix")
    call("cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release", "-DTRAMMEL_KLU=OFF",
         "-DTRAMMEL_SUNDIALS=OFF", "-DTRAMMEL_PROGRAM=OFF", "-DTRAMMEL_TESTS=OFF")
    call("cmake", "--build", build, "-j", "2")
    call("cmake", "--install", build, "--prefix", prefix)
    for archive in ["libtrammel_core.a", "libtrammel_model.a"]:
        needed = call("nm", "-u", *[os.path.join(d, archive) for d, _, f in os.walk(prefix) if archive in f])
        foreign = re.findall(r"\b(?:klu_|amd_|H5|SUN|CV|IDA|pthread_create|_ZNSt6thread)\w*", needed)
        if foreign:
            sys.exit(f"{archive} needs {sorted(set(foreign))}")
    examples = os.path.join(folder, "examples")
    build_examples(source, prefix, examples)
    for check in MODEL_ONLY:
        link = open(os.path.join(examples, "CMakeFiles", check.__name__ + ".dir", "link.txt")).read()
        if re.search(WITHOUT, link):
            sys.exit(f"the link line names what is not there: {link}")
        check(os.path.join(examples, check.__name__))


def build_examples(source, prefix, examples):
    # -O1: what is compiled here is small, and Eigen is slow to compile
    call("cmake", "-S", os.path.join(source, "examples"), "-B", examples, "-G", "Unix Makefiles",
         "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_CXX_FLAGS=-O1 -Wall -Wextra -Werror", f"-DCMAKE_PREFIX_PATH={prefix}",
         cwd=os.path.dirname(examples))
    call("cmake", "--build", examples, "-j", "2")


def installed(build, source, folder):
    prefix, examples = os.path.join(folder, "prefix"), os.path.join(folder, "examples")
    call("cmake", "--install", build, "--prefix", prefix)
    build_examples(source, prefix, examples)
    trammel = os.path.join(prefix, "bin", "trammel")
    for check in [read_and_run, live_edit, batch, *MODEL_ONLY]:
        check(os.path.join(examples, check.__name__), source, folder, trammel)
    data(source, prefix, trammel)
    from_python(source, prefix, folder, trammel)
    pkg_config(source, prefix, folder)


def main():
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1] == "--alone":
            alone(os.path.abspath(sys.argv[2]), folder)
        else:
            installed(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), folder)


if __name__ == "__main__":
    main()
