#!/usr/bin/env python3
"""Every mechanism of docs/gallery/gallery.yaml is what the gallery says: its checks hold, and each fails where the mechanism is another.
Usage: gallery_test.py TRAMMEL SOURCE_DIR"""
import pathlib
import sys
import unittest

PROGRAM, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(SOURCES / "tools"))
sys.dont_write_bytecode = True
from gallery import checks  # noqa: E402  pylint: disable=wrong-import-position

TABLE = checks.table()


class Table(unittest.TestCase):
    def test_forty_mechanisms_each_once(self):
        names = [checks.slug(entry) for entry in TABLE["entries"]]
        self.assertGreaterEqual(len(names), 40)
        self.assertEqual(len(set(names)), len(names))
        for entry in TABLE["entries"]:
            self.assertTrue(checks.model_file(entry).exists(), entry["model"])

    def test_every_entry_is_complete(self):
        needed = {"model", "title", "group", "about", "verified", "checks"}
        for entry in TABLE["entries"]:
            with self.subTest(entry["model"]):
                self.assertEqual(set(entry) - {"run", "set", "show", "columns", "picture", "view"}, needed)
                self.assertIn(entry["group"], TABLE["groups"])
                self.assertRegex(entry["verified"], r"^(Closed form|Published|Second formulation)")
                self.assertGreater(len(entry["about"].split()), 25)
                self.assertLess(len(entry["about"].split()), 110)
                for check in entry["checks"]:
                    kind = {"again", "columns"} if "again" in check else {"is", "equals"}
                    self.assertEqual(set(check) - {"let"}, kind | {"what", "within", "because", "fails-with"})

    def test_every_group_has_mechanisms(self):
        self.assertEqual(set(TABLE["groups"]), {entry["group"] for entry in TABLE["entries"]})


class Mechanisms(unittest.TestCase):
    """One test for each entry, made below."""


def holds(entry):
    def test(self):
        for check, found in zip(entry["checks"], checks.measured(PROGRAM, entry)):
            allowed = float(check["within"])
            spoilt = checks.spoilt(PROGRAM, entry, check)
            print(f"{checks.slug(entry):<24}{check['what']}: {found:.1e}, allowed {allowed:.0e}, spoilt {spoilt:.1e}")
            self.assertLessEqual(found, allowed, check["what"])
            self.assertGreater(spoilt, allowed, f"{check['what']} does not notice {check['fails-with']}")

    return test


for one in TABLE["entries"]:
    setattr(Mechanisms, "test_" + checks.slug(one).replace("-", "_"), holds(one))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
