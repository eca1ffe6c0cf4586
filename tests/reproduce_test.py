"""trammel reproduce: every published figure has a verdict, none is worse than recorded, and the page holds them all."""
import json
import pathlib
import subprocess
import sys

program, source, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
page = folder / "validation.html"

# What must be there: tables with the number of their figures, and figures by name.
TABLES = {
    "bayo-ledesma": {"table-1": 10, "table-2": 19},
    "garcia-de-jalon-bayo": {"table-5-1": 24, "table-5-1-laws": 2, "problems": 16, "remarks": 10, "formulations": 10},
    "gonzalez": {"example-1": 2},
    "joli": {"table-1": 4, "table-2": 4},
    "welch": {"table-1": 100, "table-2": 10, "table-3": 8, "stability": 2},
    "benchmarks": {"A01": 8, "A01-2000": 3, "A02": 11, "A02-N40": 5, "A03": 11, "A04": 13, "A05": 9, "bicycle": 6,
                   "rolling-disk": 18, "heavy-top": 10, "two-rods": 10},
}
FIGURES = {
    "bayo-ledesma": ["figure-1", "figure-2", "figure-3", "figure-4", "figure-5", "figure-6", "figure-7"],
    "gonzalez": ["figure-3", "figure-5", "defect-first-order"],
    "joli": ["figure-6", "figures-7-8", "figure-10"],
    "welch": ["figure-1", "figures-2-3", "figures-4-5", "defect-spatial-order", "defect-stability-limit"],
    "garcia-de-jalon-bayo": ["defect-canonical-signs"],
    "benchmarks": ["spatial-slider-crank", "torque-free", "knife-edge", "bennett", "wilberforce"],
}
VERDICTS = {"reproduced", "same behaviour", "not reproduced", "checked", "not run"}

failures = []
run = subprocess.run([program, "reproduce", "--json", "--out", str(page)], capture_output=True, text=True)
if run.returncode != 0:
    failures.append(f"exit status {run.returncode}: {run.stderr}")
rows = json.loads(run.stdout)

for row in rows:
    name = f"{row['paper']}/{row['item']}"
    if row["verdict"] not in VERDICTS and not row["verdict"].startswith("within "):
        failures.append(f"{name}: verdict '{row['verdict']}'")
    # the best explanation, where a figure was not found
    if row["verdict"] in ("not reproduced", "not run") and not row["note"]:
        failures.append(f"{name}: {row['verdict']}, and no explanation")
    # our own bounds are no publications, and fitted figures are not reproduced
    if ("check" in row) != (row["verdict"] == "checked") and row["verdict"] != "not run":
        failures.append(f"{name}: verdict '{row['verdict']}' of a {'check' if 'check' in row else 'published figure'}")
    if "fitted" in row and row["verdict"] not in ("same behaviour", "not reproduced", "not run"):
        failures.append(f"{name}: '{row['verdict']}' of a figure to which a setting was fitted")
    if not row["published"] or not row["ours"] or not row["where"]:
        failures.append(f"{name}: published, ours and where must not be empty")

for paper, tables in TABLES.items():
    for item, count in tables.items():
        found = sum(row["paper"] == paper and row["item"].startswith(item + "/") for row in rows)
        if found != count:
            failures.append(f"{paper}/{item}: {found} rows instead of {count}")
for paper, items in FIGURES.items():
    for item in items:
        if not any(row["paper"] == paper and row["item"].startswith(item + "/") for row in rows):
            failures.append(f"{paper}/{item} is missing")

# Every recorded verdict belongs to a row.
for path in sorted((source / "papers").glob("*/verdicts.json")):
    listed = {row["item"] for row in rows if row["paper"] == path.parent.name}
    for key in json.loads(path.read_text()):
        if key not in listed:
            failures.append(f"{path.parent.name}: a verdict is recorded for '{key}', which is no row")

text = page.read_text()
for row in rows:
    if f'id="{row["paper"]}/{row["item"].split("/")[0]}"' not in text:
        failures.append(f"the page does not have {row['paper']}/{row['item']}")
for foreign in ("http://", "https://", "<script"):
    if foreign in text:
        failures.append(f"the page refers to something outside it: {foreign}")

print("\n".join(failures) or f"{len(rows)} figures, none worse than recorded")
sys.exit(1 if failures else 0)
