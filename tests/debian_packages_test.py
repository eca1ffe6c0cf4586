#!/usr/bin/env python3
"""The Debian packages in a bare Debian: installed, and the first mechanism run; then the first lines of docs/python.md, from the sources.
Usage: debian_packages_test.py SOURCE_DIR

As root, with debootstrap; otherwise it is skipped (exit status 77). The packages are made by `make deb`, unless they are newer than every source.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import os

SOURCES = pathlib.Path(sys.argv[1]).resolve()
PACKAGES = ("trammel", "libtrammel-dev", "python3-trammel", "trammel-doc")


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {result.returncode}\n{result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def packages():
    version = re.search(r'TRAMMEL_VERSION "(.*)"', (SOURCES / "include/trammel/version.h").read_text())[1]
    found = [path for name in PACKAGES for path in (SOURCES / "build/deb").glob(f"{name}_{version}_*.deb")]
    listed = run("git", "ls-files", cwd=SOURCES).splitlines()
    newest = max((SOURCES / name).stat().st_mtime for name in listed if (SOURCES / name).exists())
    if len(found) < len(PACKAGES) or min(path.stat().st_mtime for path in found) < newest:
        print(run("make", "deb", cwd=SOURCES))
        found = [path for name in PACKAGES for path in (SOURCES / "build/deb").glob(f"{name}_{version}_*.deb")]
    assert len(found) == len(PACKAGES), found
    return found


class Machine:
    """A bare Debian in a folder."""

    def __init__(self, folder):
        self.folder = folder
        site = run("apt-get", "indextargets", "--format", "$(SITE)").split()[0]
        codename = re.search(r"VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text())[1]
        run("debootstrap", "--variant=minbase", codename, folder, site)
        # The package sources of this machine, with what it needs to reach them.
        (folder / "etc/apt/sources.list").unlink(missing_ok=True)
        for source in pathlib.Path("/etc/apt").glob("sources.list*"):
            copy = folder / "etc/apt" / source.name
            shutil.copytree(source, copy, dirs_exist_ok=True) if source.is_dir() else shutil.copy(source, copy)
        shutil.copytree("/etc/apt/apt.conf.d", folder / "etc/apt/apt.conf.d", dirs_exist_ok=True)
        for name in ("resolv.conf", "hosts"):
            shutil.copy(f"/etc/{name}", folder / "etc" / name)
        certificates = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
        if certificates.exists():
            (folder / "etc/ssl/certs").mkdir(parents=True, exist_ok=True)
            shutil.copy(certificates, folder / "etc/ssl/certs/ca-certificates.crt")
        run("mount", "-t", "proc", "proc", folder / "proc")

    def sh(self, command):
        return run("chroot", self.folder, "env", "-i", "HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "DEBIAN_FRONTEND=noninteractive",
                   "sh", "-euc", command)

    def copy_sources(self):
        """The files that git knows or would add, in /root/sources."""
        listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=SOURCES).split("\0")
        for name in listed:
            if name and (SOURCES / name).is_file():
                to = self.folder / "root/sources" / name
                to.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(SOURCES / name, to)

    def remove(self):
        subprocess.run(["umount", "-l", str(self.folder / "proc")], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def main():
    if os.geteuid() != 0:
        skip("it needs root")
    if shutil.which("debootstrap") is None:
        skip("no debootstrap")
    debs = packages()
    machine = None
    folder = pathlib.Path(tempfile.mkdtemp(prefix="trammel-debian-"))
    try:
        machine = Machine(folder)
        for deb in debs:
            shutil.copy(deb, folder / "root")
        machine.sh("apt-get update -qq")
        machine.sh("cd /root && apt-get install -y -qq --no-install-recommends ./trammel_*.deb")
        said = machine.sh("cd /root && trammel new four-bar press.yaml && trammel run press.yaml")
        assert ": ok" in said and "results/press/report.html" in said, said
        said = machine.sh("cd /root && trammel plot results/press rocker.angle && trammel doctor")
        assert "\u2800" < max(said) and "yes     SUNDIALS" in said and "yes     pages" in said, said
        assert "double four-bar: ok" in machine.sh("cd /root && trammel run /usr/share/trammel/models/double-four-bar.yaml --duration 1")
        machine.sh("test -s /usr/share/man/man1/trammel-run.1.gz && test -s /usr/share/bash-completion/completions/trammel")
        machine.sh("cd /root && apt-get install -y -qq --no-install-recommends ./*.deb")
        said = machine.sh("cd /root && python3 -c 'import trammel as tr; print(tr.load(\"press.yaml\").run().status)'")
        assert said.strip() == "ok", said
        machine.sh("test -s /usr/share/doc/trammel/docs/licences.md && test -s /usr/include/trammel/model.h && ls /usr/lib/*/cmake/Trammel/TrammelConfig.cmake")
        # Nothing of it stays.
        machine.sh("apt-get purge -y -qq trammel libtrammel-dev python3-trammel trammel-doc && ! command -v trammel && test ! -e /usr/share/trammel")
        # make installs what it needs but itself.
        machine.copy_sources()
        said = machine.sh("apt-get install -y -qq --no-install-recommends make && cd /root/sources && make python && python3 examples/python/first.py")
        assert "The motor needs" in said, said
        print("The packages were installed, the first mechanism ran, and they were removed again; so did the first one from Python, from the sources.")
    finally:
        if machine is not None:
            machine.remove()
        shutil.rmtree(folder, ignore_errors=True)


main()
