"""Imported robots beside DART: mass matrix, forces and accelerations at 100 random states, to 1e-10.

    dart_test.py ROBOT_DART ROBOT_COMPARE FOLDER

The files are those of Debian's dart-doc. Without the package the test is skipped.
"""
import gzip
import pathlib
import shutil
import subprocess
import sys

DART = pathlib.Path("/usr/share/doc/dart/data")
FIXED = ["urdf/KR5/KR5 sixx R650.urdf", "urdf/drchubo/drchubo.urdf", "urdf/wam/wam.urdf",
         "sdf/atlas/atlas_v3_no_head.urdf"]
FLOATING = ["urdf/drchubo/drchubo.urdf", "sdf/atlas/atlas_v3_no_head.urdf"]
SDF = ["sdf/atlas/atlas_v3_no_head.sdf"]


def without_meshes(path, names):
    return [name for name in names if name.lower().endswith((".stl", ".dae"))]


def compare(dart, program, folder, files, *options):
    numbers = folder / "numbers.json"
    subprocess.run([dart, numbers, "100", *options, *files], check=True)
    done = subprocess.run([program, numbers, "--bare"], capture_output=True, text=True)
    print(done.stdout, done.stderr)
    equal = done.stdout.count("equal    ")
    return [] if equal == len(files) else [f"{equal} of {len(files)} are equal {options}"]


def main():
    dart, program, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]) / "dart"
    if not (DART / "urdf").is_dir():
        print("skipped: dart-doc is missing (tools/install test)")
        return 77
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DART, folder, ignore=without_meshes)
    for packed in folder.rglob("*.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))
    wrong = compare(dart, program, folder, [folder / f for f in FIXED])
    wrong += compare(dart, program, folder, [folder / f for f in FLOATING], "--free")
    wrong += compare(dart, program, folder, [folder / f for f in SDF])
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
