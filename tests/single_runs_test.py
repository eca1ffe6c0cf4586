#!/usr/bin/env python3
"""single_runs_test.py NM CONTROL LIBRARY…: what measures speed and what computes published figures makes no second run.

Only run() and resume() make the run that estimates the errors (include/trammel/run.h). A library that steps Simulations
itself refers to neither, nor to what calls them for it: comparisons of methods, batches and sweeps. CONTROL is a library
that does refer to run(): the search must find it there.
"""
import re
import subprocess
import sys

CALLS = re.compile(r" U (trammel::(?:run|resume|analysis::compare|run_sweep|Batch::run\w*|simulation::run_verified)\(.*)")


def calls_of(nm, library):
    """What the library leaves to others to define, as far as it makes second runs."""
    told = subprocess.run([nm, "-C", "--undefined-only", library], capture_output=True, text=True, check=True).stdout
    return sorted(set(CALLS.findall(told)))


nm, control, *libraries = sys.argv[1:]
failures = [f"{library} calls {call}" for library in libraries for call in calls_of(nm, library)]
if not libraries:
    failures.append("no library is given")
if not calls_of(nm, control):
    failures.append(f"{control} calls run(), which was not found")
print("\n".join(failures) or f"{len(libraries)} libraries make no second run")
sys.exit(1 if failures else 0)
