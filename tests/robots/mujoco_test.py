"""Imported robots beside MuJoCo: mass matrix, forces and accelerations at 100 random states, to 1e-10.

    mujoco_test.py NODE ROBOT_COMPARE FOLDER

The files are those of Debian's dart-doc and libmujoco-samples, and models/ beside this file. Without the packages the
test is skipped.
"""
import gzip
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DART = pathlib.Path("/usr/share/doc/dart/data/mjcf")
SAMPLES = pathlib.Path("/usr/share/mujoco/model")

# Refused, and why.
REFUSED = {
    "hopper.xml": 'coordinate="global" is no longer part of MJCF',
    "walker2d.xml": 'coordinate="global" is no longer part of MJCF',
    "include_default.xml": "the file has no body",
    "default.xml": "nothing in the file moves",
    "include_main.xml": "nothing in the file moves",
    "robot.xml": "the file has no body",
    "shared.xml": "the file has no body",
}
# MuJoCo does not read them: an attribute of old, meshes that are not there.
UNREAD = {"swimmer.xml", "pick_and_place.xml", "push.xml", "reach.xml", "slide.xml"}
# Tendons over several sites and muscles are left out: gravity and inertia are compared.
BARE = ["slider_crank/slider_crank.xml", "tendon_arm/arm26.xml"]
WHOLE = ["humanoid/humanoid.xml", "mug/mug.xml"]
# MuJoCo turns the inertia of a mesh into principal axes, and takes products of inertia below about 1e-8 for zero there;
# the shell of an ellipsoid is a difference of two solids that lie 1e-6 m apart.
ROUNDED = {"mug.xml": 1e-8, "meshes.xml": 1e-8}


def compare(node, program, folder, files, *options):
    numbers = folder / "numbers.json"
    subprocess.run([node, HERE / "mujoco.mjs", numbers, "100", *options, *files], check=True, cwd=HERE)
    done = subprocess.run([program, numbers, *options], capture_output=True, text=True)
    print(done.stdout, done.stderr)
    found = {}
    for line in done.stdout.splitlines():
        outcome, _, rest = line.partition(" ")
        path, _, what = rest.strip().partition(".xml: ")
        if what:
            found[path.rsplit("/", 1)[-1] + ".xml"] = (outcome, what)
    return found


def main():
    node, program, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]) / "robots"
    if not DART.is_dir() or not SAMPLES.is_dir():
        print("skipped: dart-doc or libmujoco-samples is missing (tools/install test)")
        return 77
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DART, folder)
    for packed in folder.rglob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
        packed.unlink()
    files = sorted(folder.rglob("*.xml")) + sorted((HERE / "models").glob("*.xml")) + [SAMPLES / f for f in WHOLE]
    found = compare(node, program, folder, files)
    found |= compare(node, program, folder, [SAMPLES / f for f in BARE], "--bare")
    wrong = []
    for file in files + BARE:
        name = pathlib.Path(file).name
        outcome, what = found.get(name, ("missing", ""))
        if name in REFUSED:
            right = outcome == "refused" and REFUSED[name] in what
        elif name in ROUNDED:
            right = max(map(float, re.findall(r"[0-9.]+e[-+][0-9]+", what)), default=1) < ROUNDED[name]
        else:
            right = outcome == ("unread" if name in UNREAD else "equal")
        if not right:
            wrong.append(f"{name}: {outcome} {what}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
