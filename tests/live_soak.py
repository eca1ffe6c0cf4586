"""A long live run with random edits: no leak, no NaN, and a journal that replays to the bit.

usage: live_soak.py PROGRAM SOURCE_FOLDER [--minutes M] [--seed S]
"""
import argparse
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

from live_client import Server

MODELS = ("double-pendulum.yaml", "double-four-bar.yaml")


def random_edit(rng, model):
    scene, methods = model["scene"], model["choices"]
    bodies = [b["name"] for b in scene["bodies"]]
    joints = [j["name"] for j in scene["joints"]]
    body = rng.choice(bodies)
    place = [rng.uniform(-1, 1), rng.uniform(-1, 1), 0]
    choices = [
        ("pull", {"body": body, "at": [0, 0, 0], "target": place}),
        ("pull", {"body": body, "at": [0, 0, 0], "target": place}),
        ("release", {}),
        ("undo", {}),
        ("undo", {}),
        ("undo", {}),
        ("redo", {}),
        ("reset", {}),
        ("set-gravity", {"value": [rng.uniform(-3, 3), rng.uniform(-12, 0)]}),
        ("set-value", {"path": f"bodies.{body}.mass", "value": rng.uniform(0.5, 2)}),
        ("set-plan", {"formulation": "augmented-lagrangian-index3"}),
        ("set-plan", {"formulation": rng.choice(methods["formulations"])}),
        ("set-plan", {"coordinates": rng.choice(methods["coordinates"])}),
        ("add-joint", {"joint": {"kind": "pin", "markers": [{"body": body, "at": [0.5, 0, 0]},
                                                            {"body": "ground", "at": place}]}}),
        ("add-force", {"force": {"kind": "spring", "a": {"body": body}, "b": {"body": "ground", "at": place},
                                 "stiffness": rng.uniform(1, 100)}}),
        ("add-body", {"body": {"kind": "rod", "length": 0.5, "mass": 1, "at": place}}),
    ]
    if joints:
        choices.append(("remove-joint", {"name": rng.choice(joints)}))
    if len(bodies) > 4:
        choices += [("remove-body", {"name": body})] * 3
    forces = [f["name"] for f in scene["forces"]]
    if len(forces) > 3:
        choices += [("remove-force", {"name": rng.choice(forces)})] * 3
    return rng.choice(choices)


def soak(program, model, minutes, seed, folder):
    rng = random.Random(seed)
    journal = folder / "journal.jsonl"
    if journal.exists():
        journal.unlink()
    with Server(program, str(model), "--step", "2 ms", "--journal", str(journal), cwd=folder) as server:
        page = server.connect()
        step = page.event("model")["plan"]["step"]
        end = time.monotonic() + 60 * minutes
        # what the allocator and the undo list settle to comes first
        settled, settle_at, done, refused, stops, ratios = None, time.monotonic() + 60 * minutes / 3, 0, 0, 0, []
        while time.monotonic() < end:
            do, fields = random_edit(rng, next(e for e in reversed(page.events) if e["event"] == "model"))
            reply = page.ask(do, **fields)
            done += reply["ok"]
            refused += not reply["ok"]
            frame = page.frame()
            ratios.append(frame.realtime)
            # a step that failed has paused it, and an edit does not make it run again
            if frame.paused:
                stops += 1
                for remedy in ("undo", "reset"):
                    page.ask(remedy)
                page.do("resume")
            assert all(math.isfinite(x) for pose in frame.poses for x in pose), "not a number"
            time.sleep(rng.uniform(0, 0.1))
            if settled is None and time.monotonic() > settle_at:
                settled = server.memory()
        grown = server.memory() / settled - 1
        steps = page.frame().step
        server.end()
    replayed = subprocess.run([program, "replay", str(journal), "--json"], capture_output=True, text=True)
    out = json.loads(replayed.stdout) if replayed.stdout else {}
    print(f"{model.name}: {steps} steps, {done} edits, {refused} refused, {stops} failed steps, "
          f"{statistics.median(ratios):.2f} of real time, memory {100 * grown:+.1f} %, replay "
          f"{'identical' if out.get('identical') else out or replayed.stderr}")
    assert replayed.returncode == 0 and out["identical"]
    assert out["edits"] >= done
    # it ran: with room for what fails, and for a machine that is busy with other tests
    assert steps > 0.1 * 60 * minutes / step, steps
    # A short soak ends while the allocator still settles.
    assert grown < (0.05 if minutes >= 5 else 0.25), grown


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("source", type=os.path.abspath)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trammel-soak-") as folder:
        for k, model in enumerate(MODELS):
            soak(options.program, pathlib.Path(options.source, "models", model), options.minutes / len(MODELS), options.seed + k,
                 pathlib.Path(folder))


if __name__ == "__main__":
    main()
