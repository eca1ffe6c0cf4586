#!/usr/bin/env python3
"""Sweeps whose processes are killed, under every engine: the merged file has the bytes of the serial one.

Usage: sweep_engines.py TRAMMEL ROOT PYTHONPATH [--runs 2000] [--kills 200] [--seed 1] [--duration 0.5] [--engines kills,mpi,slurm,dask]

  kills   the sweep is killed (SIGKILL) at random moments and resumed, so many times
  mpi     mpirun with three processes is killed, with all of them, and started again
  slurm   a job array on two nodes of this machine; one node is killed in the middle and revived
  dask    workers of dask.distributed, one of which is killed every ten seconds

An engine that is not installed is skipped, and said so. No case depends on the moment: work that ends before it is killed has
ended.
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PLAN = ["--sample", "bodies.crank0.mass~uniform(0.9, 1.1)", "--sample", "bodies.coupler1.mass~normal(1, 0.05)", "--design", "sobol",
        "--observe", "peak(A0.force)", "--observe", "final(crank0.angle)", "--observe", "first_time(crank0.angle < 1)"]


class Engines:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.random = random.Random(options.seed)
        self.model = str(pathlib.Path(options.root) / "models" / "double-four-bar.yaml")
        self.trammel = str(pathlib.Path(options.trammel).resolve())

    def command(self, out, *more):
        return [self.trammel, "sweep", self.model, "--set", f"simulate.duration={self.options.duration}", *PLAN,
                "--runs", str(self.options.runs), "--out", str(out), *more]

    def serial(self):
        begun = time.monotonic()
        subprocess.run(self.command(self.folder / "serial", "--threads", "1", "--quiet"), check=True)
        self.seconds = time.monotonic() - begun
        self.expected = (self.folder / "serial" / "sweep.h5").read_bytes()
        print(f"serial: {self.options.runs} runs in {self.seconds:.1f} s, {len(self.expected)} bytes", flush=True)

    def compare(self, name, detail):
        found = (self.folder / name / "sweep.h5").read_bytes()
        if found != self.expected:
            sys.exit(f"{name}: sweep.h5 differs from the serial one ({detail})")
        print(f"{name}: the same {len(found)} bytes; {detail}", flush=True)

    def kills(self):
        """Killed after random times, which are so long that a sweep is killed some ten times before its end."""
        count, sweeps = 0, 0
        while count < self.options.kills:
            out = self.folder / "kills"
            shutil.rmtree(out, ignore_errors=True)
            while count < self.options.kills and not (out / "sweep.h5").exists():
                process = subprocess.Popen(self.command(out, "--resume", "--quiet"), start_new_session=True)
                time.sleep(self.random.uniform(0, 0.2 * self.seconds))
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    count += 1
                process.wait()
            subprocess.run(self.command(out, "--resume", "--quiet"), check=True)
            sweeps += 1
            self.compare("kills", f"{count} times killed, in {sweeps} sweeps")

    def mpi(self):
        if shutil.which("mpirun") is None:
            return print("mpi: skipped, mpirun is not installed")
        out = self.folder / "mpi"
        launch = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3"]
        killed = 0
        for attempt in range(3):
            process = subprocess.Popen([*launch, *self.command(out, "--resume", "--quiet", "--threads", "1")], start_new_session=True,
                                       stderr=subprocess.DEVNULL)
            time.sleep(self.random.uniform(0.2, 0.5) * self.seconds / 3 + 0.5)
            if process.poll() is None:
                # mpirun and, where they outlive it, its processes.
                os.killpg(process.pid, signal.SIGKILL)
                killed += 1
            process.wait()
        subprocess.run([*launch, *self.command(out, "--resume", "--quiet", "--threads", "1")], check=True)
        self.compare("mpi", f"mpirun {killed} times killed and started again")

    def dask(self):
        try:
            import distributed
        except ImportError:
            return print("dask: skipped, python3-distributed is not installed")
        import dask
        sys.path.insert(0, self.options.pythonpath)
        import trammel as tr
        dask.config.set({"distributed.scheduler.allowed-failures": 1000})
        environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(self.options.pythonpath).resolve())}
        scheduler = distributed.LocalCluster(n_workers=0, processes=False, protocol="tcp://", dashboard_address=None)
        start = lambda: subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", scheduler.scheduler_address, "--nthreads", "1",
                                          "--nworkers", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(self.folder / "dask-worker")],
                                         env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        workers, killed = [start(), start()], 0
        client = distributed.Client(scheduler)
        model = tr.load(self.model, {"simulate.duration": self.options.duration})
        sample = dict(text.split("~") for text in PLAN[1:4:2])
        sweep = tr.sweep(model, sample=sample, runs=self.options.runs, design="sobol", observe=PLAN[7::2])
        import threading
        done = threading.Event()

        def kill_now_and_then():
            nonlocal killed
            while not done.wait(self.options.every):
                workers[killed % 2].kill()
                workers[killed % 2].wait()
                workers[killed % 2] = start()
                killed += 1

        killer = threading.Thread(target=kill_now_and_then)
        killer.start()
        try:
            sweep.run(self.folder / "dask", executor=client.get_executor(), progress=False)
        finally:
            done.set()
            killer.join()
            client.close()
            for worker in workers:
                worker.kill()
                worker.wait()
            scheduler.close()
        self.compare("dask", f"{killed} workers killed")

    def slurm(self):
        if shutil.which("slurmctld") is None or shutil.which("munged") is None:
            return print("slurm: skipped, slurm-wlm or munge is not installed")
        if os.geteuid() != 0:
            return print("slurm: skipped, slurmd needs root")
        cluster = Slurm(self.folder / "slurm-cluster")
        try:
            out = self.folder / "slurm"
            made = subprocess.run(self.command(out, "--slurm", "8", "--slurm-options", "--chdir=/"), env=cluster.environment, check=True,
                                  capture_output=True, text=True)
            print(f"slurm: {made.stdout.strip()}", flush=True)
            chunks = out / "chunks"
            cluster.wait(lambda: sum(1 for _ in chunks.glob("*.chunk")) > 3, "the first chunks")
            cluster.kill_node(1)
            time.sleep(2)
            cluster.revive_node(1)
            cluster.wait(lambda: (out / "sweep.h5").exists(), "sweep.h5")
            self.compare("slurm", "a node killed and revived")
        finally:
            cluster.stop()


class Slurm:
    """slurmctld and two slurmd on this machine, with a key of their own."""

    def __init__(self, folder):
        folder.mkdir()
        self.folder = folder
        os.chmod(folder, 0o755)
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        self.processes = []
        self.start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket", f"--pid-file={folder}/munge.pid",
                   f"--seed-file={folder}/munge.seed", f"--log-file={folder}/munge.log")
        host = socket.gethostname().split(".")[0]
        ports = [free_port() for _ in range(3)]
        nodes = "\n".join(f"NodeName=node{k} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[k + 1]} CPUs=1 State=UNKNOWN" for k in range(2))
        for name in ("state", "spool0", "spool1"):
            (folder / name).mkdir()
        configuration = folder / "slurm.conf"
        configuration.write_text(f"""\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool%n
SlurmctldPidFile={folder}/ctld.pid
SlurmdPidFile={folder}/%n.pid
SlurmctldLogFile={folder}/ctld.log
SlurmdLogFile={folder}/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
ReturnToService=2
SlurmdTimeout=5
SlurmctldParameters=node_reg_mem_percent=0
BatchStartTimeout=20
KillWait=2
MpiDefault=none
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
""")
        self.environment = {**os.environ, "SLURM_CONF": str(configuration)}
        for name in ("node0", "node1"):
            (folder / f"spool{name}").mkdir()
        time.sleep(1)
        self.start("slurmctld", "-D")
        time.sleep(1)
        self.nodes = [self.start("slurmd", "-D", "-N", f"node{k}") for k in range(2)]
        self.wait(lambda: self.idle() == 2, "two nodes")

    def start(self, *command):
        environment = getattr(self, "environment", os.environ)
        program = shutil.which(command[0]) or f"/usr/sbin/{command[0]}"
        process = subprocess.Popen([program, *command[1:]], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.processes.append(process)
        return process

    def idle(self):
        told = subprocess.run(["sinfo", "-h", "-N", "-o", "%T"], env=self.environment, capture_output=True, text=True).stdout
        return told.split().count("idle")

    def kill_node(self, k):
        """The machine dies: its slurmd, and the jobs on it."""
        os.killpg(self.nodes[k].pid, signal.SIGKILL)
        self.nodes[k].wait()
        for process in self.processes_of(k):
            kill(process)

    def processes_of(self, k):
        """Those of jobs on a node of this cluster, by their environment."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                environment = (entry / "environ").read_bytes()
            except OSError:
                continue
            if f"SLURMD_NODENAME=node{k}".encode() in environment and str(self.folder).encode() in environment:
                found.append(int(entry.name))
        return found

    def revive_node(self, k):
        self.nodes[k] = self.start("slurmd", "-D", "-N", f"node{k}")

    def wait(self, condition, what):
        limit = time.monotonic() + 300
        while not condition():
            if time.monotonic() > limit:
                log = (self.folder / "ctld.log")
                sys.exit(f"slurm: waited 300 s for {what}\n{log.read_text()[-3000:] if log.exists() else ''}")
            time.sleep(0.2)

    def stop(self):
        subprocess.run(["scancel", "--state=RUNNING", "--user=root"], env=self.environment, capture_output=True)
        subprocess.run(["scancel", "--state=PENDING", "--user=root"], env=self.environment, capture_output=True)
        for k in range(2):
            for process in self.processes_of(k):
                kill(process)
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("trammel")
    parser.add_argument("root")
    parser.add_argument("pythonpath")
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--duration", type=float, default=0.5)
    parser.add_argument("--every", type=float, default=10, help="seconds between two kills of a dask worker")
    parser.add_argument("--engines", default="kills,mpi,slurm,dask")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engines = Engines(options, pathlib.Path(folder))
        engines.serial()
        for name in options.engines.split(","):
            getattr(engines, name)()


if __name__ == "__main__":
    main()
