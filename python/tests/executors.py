"""executors.py: mechanisms go to the workers of dask.distributed and of mpi4py.futures as they are, and their results come
back with the bits of runs in this process. An executor that is not installed is named, and the test is skipped: exit status 77."""

import os
import pathlib
import shutil
import subprocess
import sys

import trammel as tr

MODELS = pathlib.Path(os.environ["TRAMMEL_MODELS"])


def variants() -> list[tr.Mechanism]:
    model = tr.load(MODELS / "double-four-bar.yaml", {"simulate.duration": 0.5})
    return [model.with_({"bodies.crank0.mass": 1 + 0.1 * k}) for k in range(8)]


def result(m: tr.Mechanism) -> tr.Result:
    return m.run(progress=False)


def compare(name: str, results: list[tr.Result]) -> None:
    for m, r in zip(variants(), results, strict=True):
        alone = result(m)
        assert r.status == alone.status == "ok"
        assert r.frame().equals(alone.frame())
    print(f"{name}: {len(results)} results with the bits of a run in this process")


def by_dask() -> None:
    import distributed

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        compare("dask.distributed", client.gather(client.map(result, variants())))


def by_mpi() -> None:
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor() as pool:
        compare("mpi4py.futures", list(pool.map(result, variants())))


def is_installed(package: str, program: str) -> bool:
    found = shutil.which(program) is not None and subprocess.run([sys.executable, "-c", f"import {package}"], capture_output=True).returncode == 0
    if not found:
        print(f"{package}: it is not installed")
    return found


if __name__ == "__main__":
    if sys.argv[1:] == ["mpi"]:
        by_mpi()
    else:
        dask, mpi = is_installed("distributed", "dask-worker"), is_installed("mpi4py.futures", "mpirun")
        if dask:
            by_dask()
        if mpi:
            # Its own way to be started: one process that asks and two that work.
            subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", __file__, "mpi"],
                           check=True)
        if not (dask and mpi):
            sys.exit(77)
