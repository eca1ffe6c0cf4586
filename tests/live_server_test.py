"""The live server as pages meet it. live_hostile_test.py is about others.

usage: live_server_test.py PROGRAM SOURCE_FOLDER
"""
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from live_client import Refused, Server

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
PENDULUM = str(SOURCE / "models/double-pendulum.yaml")
FOUR_BAR = str(SOURCE / "models/double-four-bar.yaml")
WORK = pathlib.Path(tempfile.mkdtemp(prefix="trammel-live-"))


def serve(model, *options):
    return Server(PROGRAM, model, "--journal", str(WORK / "journal.jsonl"), *options, cwd=WORK)


def refused(status, call):
    try:
        call()
    except Refused as error:
        assert error.status == status, error
        return
    raise AssertionError("it was let in")


def test_doors():
    """Token, Origin and Host; pages and nothing else."""
    with serve(PENDULUM) as server:
        assert server.get("/")[0] == 403
        assert server.get("/?token=" + "0" * 32)[0] == 403
        status, headers, body = server.get(f"/?token={server.token}")
        assert status == 200 and b"Trammel" in body and ("Cache-Control", "no-store") in headers
        assert server.get(f"/../etc/passwd?token={server.token}")[0] == 404
        status, _, body = server.get(f"/models?token={server.token}")
        assert status == 200 and {"path": "double-pendulum.yaml", "name": "double pendulum"}["path"] in [
            m["path"] for m in json.loads(body)]
        assert server.get(f"/?token={server.token}", Host="evil.example:80")[0] == 403
        own = f"http://127.0.0.1:{server.port}"
        refused(403, lambda: server.connect(token="0" * 32))
        refused(403, lambda: server.connect(token=""))
        refused(403, lambda: server.connect(origin="http://evil.example"))
        refused(403, lambda: server.connect(origin=own.replace("http", "https")))
        refused(403, lambda: server.connect(host="evil.example"))
        refused(404, lambda: server.connect(path="/other"))
        server.connect(origin=own).do("pause")
        server.connect(origin=f"http://localhost:{server.port}").do("pause")
        server.end()


def test_frames_and_signals():
    """Frames hold what was asked for, in order; the motion is that of the model."""
    with serve(PENDULUM) as server:
        client = server.connect()
        model = client.event("model")
        names = [s["name"] for s in model["signals"]]
        bodies = [b["name"] for b in model["scene"]["bodies"]]
        assert "energy.balance" in names and "violation.position" in names
        assert any(n["path"] == f"bodies.{bodies[0]}.mass" for n in model["numbers"])
        assert "trapezoidal" in model["choices"]["pairs"]["augmented-lagrangian-index3"]
        wanted = ["energy.balance", f"{bodies[0]}.x", names[0], "no such signal", "realtime"]
        reply = client.do("subscribe", signals=wanted)
        assert reply["signals"] == [w for w in wanted if w in names]
        client.wait_for(lambda: client.frames and len(client.frames[-1].values) == 4 and
                        not math.isnan(client.frames[-1].values[0]))
        frame = client.frames[-1]
        assert len(frame.poses) == len(bodies) and frame.revision == model["revision"]
        assert all(abs(sum(x * x for x in p[3:]) - 1) < 1e-6 for p in frame.poses)
        later = client.wait_for(lambda: client.frames[-1].step > frame.step and client.frames[-1])
        assert later.t > frame.t
        # energies are kept by the run, whatever the page does
        assert abs(later.values[0] - frame.values[0]) < 1e-3 * (1 + abs(frame.values[0]))
        client.do("pause")
        still = client.frame()
        assert still.paused and client.frame().step == still.step
        assert client.do("step", count=7)["step"] == still.step + 7
        client.do("speed", value=0.25)
        client.do("resume")
        client.do("frames", rate=0)
        assert not client.ask("speed", value=-1)["ok"]
        assert not client.ask("speed", value="fast")["ok"]
        assert not client.ask("frames", rate=1e9)["ok"]
        server.end()


def test_signals_of_a_model_not_yet_told_of():
    """Who subscribes in the moment after an edit gets the signals of the new model, not those at the old places."""
    with serve(PENDULUM) as server:
        client = server.connect()
        names = [s["name"] for s in client.event("model")["signals"]]
        wanted = names[::-1]
        client.do("subscribe", signals=wanted)
        for k in range(20):
            if k % 2 == 0:
                client.do("add-body", body={"kind": "rod", "length": 0.5, "mass": 1, "at": [0, 0, 0]})
            else:
                client.do("undo")
            reply = client.do("subscribe", signals=wanted)
            assert reply["signals"] == wanted, (k, reply)
        client.do("remove-body", name="lower")
        left = client.do("subscribe", signals=wanted)["signals"]
        assert 0 < len(left) < len(wanted) and left == [w for w in wanted if w in left]
        assert not [w for w in left if w.startswith("lower.")]
        told = client.event("subscribed", signals=left)
        client.wait_for(lambda: client.frames and client.frames[-1].revision == told["revision"] and
                        len(client.frames[-1].values) == len(left))
        server.end()


def test_time():
    """Any step comes back to the bit; an edit there leaves the old motion as a ghost; rows of the past have every step."""
    with serve(PENDULUM) as server:
        time.sleep(0.5)  # nobody looks: nothing moves
        client = server.connect()
        client.event("model")
        assert client.wait_for(lambda: client.frames and client.frames[0]).t < 0.2
        client.do("pause")
        states = {}
        for _ in range(40):
            reply = client.do("step", count=3)
            states[reply["step"]] = reply["state"]
        end = max(states)
        rng = random.Random(5)
        for _ in range(100):
            step = rng.choice(list(states))
            reply = client.do("seek", step=step)
            assert (reply["step"], reply["state"]) == (step, states[step])
        assert client.do("seek", t=0)["step"] == 0
        assert "are kept" in client.ask("seek", step=end + 1)["error"]
        rows = client.wait_for(lambda number=client.post("history", signals=["energy.kinetic"], places=[
            {"body": "lower", "at": [1, 0, 0]}], poses=True): client.replies.pop(number, None))
        assert len(rows.t) == end + 1 and rows.last == end and all(b > a for a, b in zip(rows.t, rows.t[1:]))
        assert len(rows.values[0]) == 4 and len(rows.poses[0]) == 14
        assert "every" in client.ask("history", every=0)["error"]
        assert "no branch" in client.ask("history", branch=9)["error"]
        middle = sorted(states)[10]
        client.do("seek", step=middle)
        client.do("set-gravity", value=[0, -1.62, 0])
        line = client.wait_for(lambda: next((e["timeline"] for e in reversed(client.events) if e["event"] == "status" and
                                             e["timeline"]["ghosts"]), None))
        assert line["end"] == middle and line["edits"][-1]["label"] == "set-gravity"
        client.do("step", count=20)
        client.do("branch", branch=line["ghosts"][0]["branch"])
        assert client.do("seek", step=end)["state"] == states[end]
        journal = client.do("journal")["journal"]
        server.end()
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write(journal)
        file.flush()
        replay = subprocess.run([PROGRAM, "replay", file.name], capture_output=True, text=True, check=False)
        assert replay.returncode == 0 and "the same to the bit" in replay.stdout, replay


def test_token():
    """The page shows its token by a cookie; an address given to another program is good once; names of files are plain."""
    with serve(PENDULUM) as server:
        _, headers, _ = server.get(f"/?token={server.token}")
        headers = dict(headers)
        cookie = headers["Set-Cookie"].split(";")[0]
        assert "HttpOnly" in headers["Set-Cookie"] and "SameSite=Strict" in headers["Set-Cookie"]
        assert cookie == f"trammel-{server.port}={server.token}"
        assert "unsafe-inline" not in headers["Content-Security-Policy"]
        assert "script-src 'sha256-" in headers["Content-Security-Policy"]
        assert server.get("/models", Cookie=f"a=b; {cookie}")[0] == 200
        assert server.get("/models", Cookie=f"trammel-{server.port}={'0' * 32}")[0] == 403
        assert server.get("/?key=")[0] == 403
        client = server.connect()
        for name in ("a\nb.yaml", "a\x1b[31m.yaml", "a\x7f.yaml", "../a.yaml"):
            reply = client.ask("save", path=name)
            assert not reply["ok"] and "is not the name of a .yaml file" in reply["error"], reply
            assert not any(ord(c) < 32 for c in reply["error"]), reply
        server.end()


def test_what_the_model_says():
    """Redundant joints: reactions that are not unique, methods that do not fit; figures of the state that is shown."""
    with serve(str(SOURCE / "models/bricard.yaml")) as server:
        client = server.connect()
        model = client.event("model")
        assert "needs independent constraints" in model["choices"]["unfit"]["lagrange"]
        assert any(s.get("unique") is False and ".force." in s["name"] for s in model["signals"])
        client.do("pause")
        client.do("subscribe", signals=["violation.position", "violation.velocity"])
        client.do("step", count=50)
        client.do("reset")
        frame = client.wait_for(lambda: client.frames and client.frames[-1].t == 0 and len(client.frames[-1].values) == 2 and client.frames[-1])
        # assembly closes positions to 1e-13 and velocities to 1e-8 at worst
        assert frame.values[0] < 1e-12 and frame.values[1] < 1e-8, list(frame.values)
        server.end()


def test_step_or_tolerance():
    """Of both the page shows what the run goes by, and changes it."""

    def shown(model):
        return {n["path"]: n["value"] for n in model["numbers"] if n["path"].startswith("plan.")}

    with serve(PENDULUM, "--step", "2 ms") as server:
        assert shown(server.connect().event("model")) == {"plan.step": 0.002}
        server.end()
    with serve(str(SOURCE / "models/truss.yaml"), "--tolerance", "1e-5") as server:
        client = server.connect()
        assert shown(client.event("model")) == {"plan.tolerance": 1e-5}
        reply = client.do("set-value", path="plan.tolerance", value=1e-7)
        assert shown(client.event("model", revision=reply["revision"])) == {"plan.tolerance": 1e-7}
        bad = client.ask("set-value", path="plan.tolerance", value=-1)
        assert not bad["ok"] and "tolerance must be positive" in bad["error"], bad
        server.end()
    # Neither is given: by tolerance.
    with serve(str(SOURCE / "models/truss.yaml")) as server:
        assert list(shown(server.connect().event("model"))) == ["plan.tolerance"]
        server.end()


def parabola(client, body, number, seconds):
    """The centre of mass of a body falls freely: positions from the frames' own signals."""
    client.do("subscribe", signals=[f"{body}.x", f"{body}.y", f"{body}.vx", f"{body}.vy"])
    client.do("pause")
    first = client.wait_for(lambda: client.frames and len(client.frames[-1].values) == 4 and client.frame())
    steps = client.do("step", count=number)
    last = client.wait_for(lambda: client.frames[-1].step == steps["step"] and client.frames[-1])
    t = last.t - first.t
    x, y, vx, vy = first.values
    assert abs(t - seconds) < 1e-9, t
    assert abs(last.values[0] - (x + vx * t)) < 1e-6
    assert abs(last.values[1] - (y + vy * t - 9.81 / 2 * t * t)) < 1e-6


def test_editing():
    """Delete the joint, fall, undo, pull, refuse, save: through the wire."""
    with serve(PENDULUM, "--step", "2 ms") as server:
        client, other = server.connect(), server.connect()
        model = client.event("model")
        pins = [j for j in model["scene"]["joints"] if all(m["body"] != "ground" for m in j["markers"])]
        joint = pins[0]["name"]
        # the body that hangs on the other
        held = {m["body"] for j in model["scene"]["joints"] for m in j["markers"]
                if any(n["body"] == "ground" for n in j["markers"])}
        outer = next(m["body"] for m in pins[0]["markers"] if m["body"] not in held)
        reply = client.do("remove-joint", name=joint)
        # both pages are told
        for page in (client, other):
            told = page.event("model", revision=reply["revision"])
            assert joint not in [j["name"] for j in told["scene"]["joints"]]
            assert told["undo"] == f"remove-joint {joint}"
            assert page.event("journal")["entry"]["edit"]["do"] == "remove-joint"
        step = model["plan"]["step"]
        parabola(client, outer, round(0.1 / step), 0.1)
        undone = other.do("undo")
        assert undone["impulse"] > 0 and undone["moved"] > 0 and undone["energy"] != 0
        client.do("resume")
        bad = client.ask("remove-joint", name="nonsense")
        assert not bad["ok"] and "nonsense" in bad["error"]
        client.do("set-plan", formulation="lagrange")
        client.event("model", undo="set-plan")
        client.do("pull", name="mouse-1a2b", body=outer, at=[0, 0, 0], target=[1, 1, 0])
        client.wait_for(lambda: client.frames and client.frames[-1].pulls)
        for k in range(20):
            client.do("pull", name="mouse-1a2b", target=[1, 1 - 0.05 * k, 0])
        assert abs(client.frame().pulls[0][6] - 0.05) < 1e-6
        # whoever holds it lets go by leaving
        client.close()
        other.frames.clear()
        other.wait_for(lambda: other.frames and not other.frames[-1].pulls)
        saved = other.do("save")
        # what nobody changed is as in the file
        assert "  upper: {rod: [O, A], mass: 1 kg}\n" in saved["yaml"]
        assert not other.ask("save", path="../escape.yaml")["ok"]
        assert not other.ask("save", path="/tmp/escape.yaml")["ok"]
        # what a path shows behind a zero byte is not in the file's name
        assert not other.ask("save", path="zero\0.yaml")["ok"]
        assert not other.ask("open-model", path="../Makefile")["ok"]
        assert not other.ask("open-model", path="nowhere.yaml")["ok"]
        other.do("open-model", path="slider-crank.yaml")
        other.event("model", path="slider-crank.yaml")
        other.do("set-gravity", value=[0, -1, 0])
        told = server.end()
    # each model has a journal that says its name, and the end tells of both
    for journal in ("journal.jsonl", "journal-slider-crank.jsonl"):
        assert f"trammel replay {WORK / journal}" in told, told
        assert subprocess.run([PROGRAM, "replay", journal], cwd=WORK, capture_output=True, check=False).returncode == 0
    (WORK / "edited.yaml").write_text(saved["yaml"])
    subprocess.run([PROGRAM, "check", "edited.yaml"], cwd=WORK, check=True, capture_output=True)
    replayed = subprocess.run([PROGRAM, "replay", "journal.jsonl", "--json", "--save", "replayed.yaml"], cwd=WORK,
                              capture_output=True, text=True)
    out = json.loads(replayed.stdout)
    assert replayed.returncode == 0 and out["identical"] and out["edits"] > 20, replayed
    assert (WORK / "replayed.yaml").read_text() == saved["yaml"]


def test_absent_and_slow_pages():
    """No page, a page that never reads, a page that comes back: the run goes on."""
    with serve(FOUR_BAR) as server:
        client = server.connect()
        client.do("subscribe", signals=[s["name"] for s in client.event("model")["signals"]])
        before = client.frame().step
        deaf = [server.connect() for _ in range(3)]
        client.close()
        time.sleep(1)
        for one in deaf:
            one.close()
        time.sleep(0.5)
        client = server.connect()
        after = client.frame()
        assert after.step > before + 20 and not after.failed
        server.end()


def test_messages():
    """A port that is taken, a model that is wrong."""
    with serve(PENDULUM) as server:
        taken = subprocess.run([PROGRAM, "view", PENDULUM, "--no-browser", "--port", str(server.port)],
                               capture_output=True, text=True, timeout=60)
        assert taken.returncode == 2 and "try another --port" in taken.stderr, taken
    wrong = subprocess.run([PROGRAM, "view", "nowhere.yaml", "--no-browser"], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "no such file" in wrong.stderr, wrong
    (WORK / "broken.yaml").write_text("trammel: 1\nbodies: {a: {rod: [P, Q], mass: 1}}\n")
    wrong = subprocess.run([PROGRAM, "view", "broken.yaml", "--no-browser"], capture_output=True, text=True, cwd=WORK,
                           timeout=60)
    assert wrong.returncode == 2 and "broken.yaml:2" in wrong.stderr, wrong
    wrong = subprocess.run([PROGRAM, "view", PENDULUM, "--no-browser", "--journal", "/dev/null/journal.jsonl"],
                           capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "name another file by --journal" in wrong.stderr, wrong
    wrong = subprocess.run([PROGRAM, "replay", PENDULUM], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "this is not a journal" in wrong.stderr, wrong
    wrong = subprocess.run([PROGRAM, "replay", str(WORK)], capture_output=True, text=True, timeout=60)
    assert wrong.returncode == 2 and "is a folder" in wrong.stderr, wrong
    # the model itself is never taken for the journal, and folders are not made at random
    model = WORK / "own.yaml"
    shutil.copy(PENDULUM, model)
    for journal, words in ((model, "not a journal of Trammel"), (WORK / "a/b.jsonl", "there is no folder")):
        wrong = subprocess.run([PROGRAM, "view", model, "--no-browser", "--journal", str(journal)],
                               capture_output=True, text=True, timeout=60)
        assert wrong.returncode == 2 and words in wrong.stderr, wrong
    assert model.read_text() == pathlib.Path(PENDULUM).read_text() and not (WORK / "a").exists()
    cost = subprocess.run([PROGRAM, "view", str(SOURCE / "models/n-four-bar.yaml"), "--measure"], capture_output=True,
                          text=True, timeout=60)
    assert cost.returncode == 0 and "us for each page" in cost.stdout, cost


if __name__ == "__main__":
    try:
        for name, test in list(globals().items()):
            if name.startswith("test_"):
                print(name, flush=True)
                test()
    finally:
        shutil.rmtree(WORK)
