#!/usr/bin/env python3
"""`trammel resume` as a person meets it: what can be resumed, and what it says where nothing can. That results are the
same to the bit is the matter of kill_resume.py. Usage: resume_test.py TRAMMEL"""
import json
import struct
import zlib

from command_line import PENDULUM, CommandLine, main


def records(data):
    place, out = 12, []
    while place < len(data):
        length = struct.unpack_from("<I", data, place + 1)[0]
        out.append((data[place:place + 1], data[place + 5:place + 5 + length]))
        place += 9 + length
    return out


def record(kind, payload):
    body = kind + struct.pack("<I", len(payload)) + payload
    return body + struct.pack("<I", zlib.crc32(body))


class Resume(CommandLine):
    def setUp(self):
        super().setUp()
        self.model(PENDULUM)
        self.log = self.folder / "out/results.log"

    def trammel(self, *arguments, status=0, words=()):
        result = super().trammel(*arguments)
        self.expect(result, status, *words)
        return result

    def run_model(self, *options, status=0, checkpoint=0):
        self.trammel("run", "model.yaml", "--out", "out", "--checkpoint", checkpoint, *options, status=status)

    def change(self, header=None, keep=lambda kind, n: True):
        """The log with some of its records, and another header."""
        data = self.log.read_bytes()
        out, count = data[:12], 0
        for kind, payload in records(data):
            count += kind == b"R"
            if kind == b"H" and header:
                payload = json.dumps(dict(json.loads(payload), **header)).encode()
            if keep(kind, count):
                out += record(kind, payload)
        self.log.write_bytes(out)

    def kill_at_row(self, rows):
        self.change(keep=lambda kind, n: kind == b"H" or (kind in b"RC" and n <= rows))
        (self.folder / "out/results.h5").unlink()
        (self.folder / "out/summary.json").unlink()

    def test_a_resumed_run_makes_the_files_that_it_was_to_make(self):
        self.run_model("--csv")
        csv = (self.folder / "out/results.csv").read_bytes()
        self.kill_at_row(40)
        self.trammel("resume", "out")
        self.assertEqual((self.folder / "out/results.csv").read_bytes(), csv)
        self.assertTrue((self.folder / "out/errors.csv").exists())

    def test_a_killed_run_goes_on_to_its_end(self):
        self.run_model()
        whole = [payload for kind, payload in records(self.log.read_bytes()) if kind in b"RE"]
        for given in ("out", "out/results.log"):
            self.kill_at_row(40)
            said = self.trammel("resume", given, words=["pendulum: ", "out/results.h5"])
            self.assertEqual(said.stderr, "")
            self.assertEqual([payload for kind, payload in records(self.log.read_bytes()) if kind in b"RE"], whole)
        summary = json.loads((self.folder / "out/summary.json").read_text())
        self.assertEqual(summary["creation"]["command"][1], "run")
        # quiet, with its CSV
        self.kill_at_row(10)
        self.assertEqual(self.trammel("resume", "out", "--quiet", "--csv").stdout, "")
        self.assertTrue((self.folder / "out/results.csv").exists() and (self.folder / "out/errors.csv").exists())

    def test_methods_with_a_history_start_anew_and_say_so(self):
        for method in (["--formulation", "dae", "--tolerance", "1e-6"], ["--formulation", "lagrange", "--integrator", "cvode-bdf"]):
            self.run_model(*method)
            whole = self.log.read_bytes()
            self.assertNotIn(b"C", {kind for kind, _ in records(whole)})
            self.kill_at_row(40)
            self.trammel("resume", "out", words=[f"{method[-1] if 'cvode' in method[-1] else 'dae'} keeps a history of its steps",
                                                 "computed again from the start, to the same rows"])
            rows = [[p for k, p in records(data) if k == b"R"] for data in (whole, self.log.read_bytes())]
            self.assertEqual(*rows)

    def test_nothing_to_resume(self):
        self.trammel("resume", "nowhere", status=2, words=["there is no results.log in 'nowhere'", "name the folder"])
        self.run_model()
        said = ["The run in 'out' has come to its end: there is nothing to resume."]
        self.assertNotIn("missing", self.trammel("resume", "out", words=said).stdout)
        # killed between the end of the log and the end of the program
        whole = (self.folder / "out/results.h5").read_bytes()
        (self.folder / "out/results.h5").unlink()
        self.trammel("resume", "out", words=[*said, "Its files were missing, and have been made of the log."])
        self.assertEqual((self.folder / "out/results.h5").read_bytes(), whole)

    def test_killed_while_it_wrote_its_files(self):
        """summary.json is the last of them: without it the others may be half."""
        self.run_model("--csv")
        whole = (self.folder / "out/results.csv").read_bytes()
        (self.folder / "out/results.csv").write_bytes(whole[:1000])
        (self.folder / "out/summary.json").unlink()
        self.trammel("resume", "out", words=["Its files were missing, and have been made of the log."])
        self.assertEqual((self.folder / "out/results.csv").read_bytes(), whole)
        (self.folder / "out/results.csv").unlink()
        self.trammel("resume", "out", words=["Its files were missing"])
        self.assertEqual((self.folder / "out/results.csv").read_bytes(), whole)

    def test_a_failed_run_would_fail_again(self):
        (self.folder / "model.yaml").write_text(PENDULUM.replace("bodies:", "forces: {f: {torque: 1/(0.5 - t)^3, on: rod}}\nbodies:"))
        self.run_model("--step", "10 ms", status=3)
        self.trammel("resume", "out", status=2, words=["cannot resume 'out': the run has failed, and would fail again: at t = ",
                                                       "change the model or its plan"])

    def test_logs_of_other_programs_are_refused(self):
        self.run_model()
        self.kill_at_row(40)
        before = self.log.read_bytes()
        self.change(header={"version": "0.0.1"})
        self.trammel("resume", "out", status=2, words=["cannot resume 'out': the run was made by version 0.0.1", "may round otherwise",
                                                       "'trammel recover out'", "'trammel run out'"])
        self.log.write_bytes(before)
        self.change(header={"model": ""})
        self.trammel("resume", "out", status=2, words=["holds no model", "a C++ program wrote it"])
        self.log.write_bytes(before[:100])
        self.trammel("resume", "out", status=2, words=["cannot read results log 'out/results.log': in its header, a record is cut off"])
        self.log.write_bytes(b"TRAMLOG\n\x09\0\0\0")
        self.trammel("resume", "out", status=2, words=["its format is version 9"])

    def test_rows_that_come_out_otherwise_are_not_overwritten(self):
        self.run_model()
        self.kill_at_row(40)
        # as if another processor had rounded otherwise: the last row, which comes after the last checkpoint
        data = self.log.read_bytes()
        out, rows = data[:12], 0
        for kind, payload in records(data):
            rows += kind == b"R"
            if kind == b"R" and rows == 40:
                payload = payload[:8] + bytes([payload[8] ^ 1]) + payload[9:]
            if not (kind == b"C" and rows == 40):
                out += record(kind, payload)
        self.log.write_bytes(out)
        self.trammel("resume", "out", status=2, words=["the row of t = 0.39 s comes out otherwise than it was written",
                                                       "run it again from the start"])
        self.assertEqual([p for k, p in records(self.log.read_bytes()) if k == b"R"], [p for k, p in records(out) if k == b"R"])

    def test_a_checkpoint_interval_is_a_time(self):
        self.trammel("run", "model.yaml", "--checkpoint", "-1", status=2, words=["--checkpoint: '-1' is not a number of seconds"])
        self.run_model(checkpoint=3600)
        self.assertNotIn(b"C", {kind for kind, _ in records(self.log.read_bytes())})
        # a log without checkpoints is resumed too, from the start
        self.kill_at_row(40)
        self.trammel("resume", "out", words=["pendulum: "])


if __name__ == "__main__":
    main()
