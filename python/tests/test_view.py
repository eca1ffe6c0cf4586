"""The live page from Python, by the protocol that the page speaks."""

import gc
import os
import pathlib
import re
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

import trammel as tr

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests"))
import live_client  # noqa: E402


def page_of(view: tr.View) -> "live_client.Client":
    """A connection as a page has it."""
    match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/\?token=([0-9a-f]{32})", view.url)
    assert match
    return live_client.Client(int(match[1]), match[2])


def test_the_page_is_served_to_those_who_have_the_address(pendulum: tr.Mechanism, capsys: pytest.CaptureFixture[str]) -> None:
    with tr.view(pendulum, browser=False) as view:
        assert view.url in capsys.readouterr().out
        assert b"<html" in urllib.request.urlopen(view.url).read()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(view.url.split("?")[0])
        assert view.url in view._repr_html_()


def test_edits_of_a_page_come_back_as_a_mechanism(pendulum: tr.Mechanism) -> None:
    with tr.view(pendulum, browser=False) as view:
        page = page_of(view)
        page.do("set-parameter", name="m", value=5)
        page.do("set-gravity", value=[0, -1.62, 0])
        edited = view.mechanism
    assert edited.parameters == {"m": 5}
    assert pendulum.parameters == {"m": 2}
    # A rod that falls from level: ω² = 3 g/L at the bottom.
    assert abs(edited.run(duration=5, tolerance=1e-9)["rod.omega"]).max() == pytest.approx((3 * 1.62) ** 0.5, rel=1e-4)


def test_edits_from_python_reach_the_page(pendulum: tr.Mechanism) -> None:
    with tr.view(pendulum, browser=False) as view:
        page = page_of(view)
        view.do("add-body", body={"name": "ball", "kind": "point-mass", "mass": 1, "at": [2, 0, 0]})
        event = page.wait_for(lambda: next((e for e in page.events if e["event"] == "model" and len(e["scene"]["bodies"]) == 2), None))
        assert [body["name"] for body in event["scene"]["bodies"]] == ["rod", "ball"]
        assert '"add-body"' in view.journal
        assert view.mechanism.bodies == ["rod", "ball"]
        view.do("undo")
        assert view.mechanism.bodies == ["rod"]


def test_the_model_as_it_moves_now_goes_on_from_there(pendulum: tr.Mechanism) -> None:
    with tr.view(pendulum, browser=False, tolerance=1e-9) as view:
        view.do("step", count=300)
        sim = view.now.simulation()
    assert sim.t == 0
    # ½ J ω² = m g ½ L sin φ, J = m L²/3
    pose = sim.pose("rod")
    assert pose.angle < -0.01
    height = sim.point("A")[0][1]
    assert pose.angular_velocity[2] ** 2 == pytest.approx(3 * 9.81 * -height, rel=1e-5)


def test_a_refused_command_says_why(pendulum: tr.Mechanism) -> None:
    with tr.view(pendulum, browser=False) as view:
        with pytest.raises(tr.Error, match="nonesuch"):
            view.do("remove-joint", name="nonesuch")
        assert view.mechanism.bodies == ["rod"]


def test_a_command_is_a_text(pendulum: tr.Mechanism) -> None:
    with tr.view(pendulum, browser=False) as v, pytest.raises(tr.ModelError, match="a command is 3; give a name in quotes"):
        v.do(3)  # type: ignore[arg-type]


def test_a_closed_view_is_told_as_such(pendulum: tr.Mechanism) -> None:
    view = tr.view(pendulum, browser=False)
    assert view.is_open
    view.close()
    view.close()
    assert not view.is_open
    with pytest.raises(tr.Error, match="closed"):
        view.mechanism
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(view.url)


def test_what_is_wrong_is_said_before_anything_opens(pendulum: tr.Mechanism) -> None:
    with pytest.raises(tr.ModelError, match="did you mean 'tolerance'"):
        tr.view(pendulum, tolerence=1e-3)
    with tr.view(pendulum, browser=False) as view:
        port = int(view.url.split(":")[2].split("/")[0])
        with pytest.raises(tr.Error, match=str(port)):
            tr.view(pendulum, browser=False, port=port)


def test_a_force_written_in_python_cannot_be_edited_live(pendulum: tr.Mechanism) -> None:
    # The page edits the model as a text, and a function has none.
    with pytest.raises(tr.Error, match="drag"):
        tr.view(pendulum.with_force("drag", [("rod", (1, 0))], lambda t, x, v: -v), browser=False)


def test_two_views_run_side_by_side(pendulum: tr.Mechanism) -> None:
    with tr.view(pendulum, browser=False) as one, tr.view(pendulum.with_(m=7), browser=False) as other:
        assert one.url != other.url
        assert (one.mechanism.parameters["m"], other.mechanism.parameters["m"]) == (2, 7)


def test_nothing_stays_of_closed_views(pendulum: tr.Mechanism) -> None:
    def threads() -> int:
        return len(os.listdir("/proc/self/task"))

    before = threads()
    for _ in range(20):
        tr.view(pendulum, browser=False).close()
    view = tr.view(pendulum, browser=False)
    assert threads() > before
    del view  # closes it, too
    gc.collect()
    assert threads() == before


def test_a_forked_process_leaves_the_view_alone(pendulum: tr.Mechanism) -> None:
    with tr.view(pendulum, browser=False) as view:
        child = os.fork()
        if child == 0:
            view.close()
            os._exit(0 if not view.is_open else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert view.mechanism.bodies == ["rod"]


PROGRAM = """
import trammel as tr
m = tr.Mechanism({"plane": "xy", "points": {"O": {"at": [0, 0], "on": "ground"}, "A": [1, 0]},
                  "bodies": {"r": {"rod": ["O", "A"], "mass": 1}}})
v = tr.view(m, browser=False)
"""


def test_ctrl_c_ends_a_program_that_waits() -> None:
    ctrl_c = "import os, signal, threading; threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT)).start()"
    program = subprocess.run(
        [sys.executable, "-c", f"{PROGRAM}{ctrl_c}\nv.wait(); print('over', v)"], capture_output=True, text=True, timeout=60
    )
    assert program.stdout.startswith("http://127.0.0.1:") and program.stdout.endswith("over <View, closed>\n")
    assert (program.returncode, program.stderr) == (0, "")


def test_a_program_that_ends_closes_its_view() -> None:
    program = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=30)
    assert (program.returncode, program.stderr) == (0, "")


def test_a_journal_is_repeated_to_the_same_bits(pendulum: tr.Mechanism, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "edits.jsonl"
    with tr.view(pendulum, browser=False, journal=path) as view:
        view.do("set-parameter", name="m", value=5)
        view.do("step", count=50)
        view.do("set-gravity", value=[0, -1.62, 0])
        view.do("step", count=50)
        edited = view.mechanism.text
    again = tr.replay(path)
    assert again.identical and again.difference == "" and (again.steps, again.edits) == (100, 2) and not again.cut
    assert again.mechanism.text == edited and again.mechanism.parameters == {"m": 5}
    assert repr(again).endswith(": the same to the bit")
    text = path.read_text()
    path.write_text(text.rstrip("\n")[:-5])
    assert tr.replay(path).cut
    path.write_text(re.sub('"state":"[0-9a-f]*"', '"state":"0"', text))
    other = tr.replay(path)
    assert not other.identical and "the state has other bits" in repr(other)
    path.write_text("")
    with pytest.raises(tr.Error, match="the journal is empty"):
        tr.replay(path)
    with pytest.raises(FileNotFoundError):
        tr.replay(tmp_path / "none.jsonl")
