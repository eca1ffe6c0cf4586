# make run      builds a release and simulates the double four-bar through its singular positions
# make test     builds and runs the tests
# make build    leaves the program at build/bin/trammel
# make python   leaves the Python package in build/python; make wheel makes a wheel of it in build/wheel
# make notebooks  runs the notebooks of examples/python; build/notebooks has a page with all figures of each
# make deb      makes the Debian packages trammel, libtrammel-dev, python3-trammel and trammel-doc in build/deb
# make docs     makes the documentation site in build/site
# make install  installs program, libraries, models and documents (PREFIX=/usr/local)
# make lint     checks the layout of the sources and lints them
# make test-all everything: tests, lint, sanitizers of memory, undefined behaviour and threads, the library without its optional parts
# make bench    installs the other programs, measures speed beside them (ten minutes) and writes docs/performance.md
# make campaign shows over many problems that the figures can be trusted (docs/reliability.md)
# make fuzz     feeds random inputs to everything that reads some (FUZZ_RUNS=10000: shorter), and counts them
# make determinism  compares the bits of every model by gcc and clang, -O1 to -O3: six builds, an hour of processor time
# make soak     runs two models live for half an hour with random edits (SOAK_MINUTES=5: shorter)
# make format   lays out the sources; make clean removes what was built

.PHONY: run build python notebooks wheel docs deb install test lint test-all bench campaign fuzz determinism soak format clean

# A build for users leaves the tests out unless a test build is already there. The flags are the same, so that
# nothing is compiled twice.
build:
	@tools/install build
	@[ -f build/build.ninja ] || cmake --preset user >/dev/null
	@cmake --build build --target trammel

run: build
	@build/bin/trammel run models/double-four-bar.yaml --tolerance 1e-8

# Configured again: the build may be older than the packages that it needs.
python:
	@tools/install python
	@[ -f build/build.ninja ] || cmake --preset user >/dev/null
	@cmake build >/dev/null
	@cmake --build build --target python

notebooks: python
	@tools/install notebooks
	@PYDEVD_DISABLE_FILE_VALIDATION=1 PYTHONPATH=$(CURDIR)/build/python /usr/bin/python3 -m nbconvert --execute --to html --log-level WARN \
	  --output-dir build/notebooks examples/python/*.ipynb
	@ls build/notebooks/*.html

wheel: python
	@tools/install wheel
	@cd build/python && /usr/bin/python3 setup.py -q bdist_wheel -d ../wheel -b ../wheel/build
	@ls build/wheel/*.whl

deb:
	@tools/install deb
	@tools/deb

# The gallery's pictures need the browser driver of a build with tests.
docs: python
	@tools/install docs
	@cmake --preset release >/dev/null
	@cmake --build build --target trammel
	@tools/make_gallery build build/gallery
	@tools/make_docs build

PREFIX ?= /usr/local
install: build
	@cmake --build build --target libraries
	@cmake --install build --prefix $(PREFIX)

test:
	@tools/install test
	@cmake --preset release >/dev/null
	@cmake --build build
	@ctest --test-dir build --output-on-failure -j 2 --no-tests=error -LE long

lint:
	@tools/install lint
	@cmake --preset release >/dev/null
	@tools/check_format
	@cmake --build build --target lint

test-all: test lint
	@tools/install all
	@cmake build >/dev/null
	@cmake --build build
	@ctest --test-dir build --output-on-failure -j 2 --no-tests=error -L long
	@cmake --preset asan >/dev/null
	@cmake --build build/asan
	@ctest --test-dir build/asan --output-on-failure -j 2 --no-tests=error -LE "long|browser"
	@cmake --preset tsan >/dev/null
	@cmake --build build/tsan --target trammel trammel_hashes thread_tests
	@ctest --test-dir build/tsan --output-on-failure --no-tests=error -L threads

bench:
	@tools/install bench
	@cmake --preset release -DTRAMMEL_PEERS=ON >/dev/null
	@cmake --build build --target trammel trammel_bench trammel_steps
	@build/bin/trammel bench --write docs/performance.md

campaign:
	@tools/install test
	@cmake --preset release >/dev/null
	@cmake --build build --target trammel_campaign trammel
	@build/bin/trammel_campaign estimates
	@build/bin/trammel_campaign long-runs
	@/usr/bin/python3 tests/live_hostile_test.py build/bin/trammel . --seconds 30
	@/usr/bin/python3 tests/kill_resume.py build/bin/trammel .
	@nice -n 19 build/bin/trammel_campaign random --count 10000 --shrink --explained campaigns/random/explained.txt

FUZZ_RUNS ?= 1000000
fuzz:
	@tools/install all
	@cmake --preset fuzz >/dev/null
	@cmake --build build/fuzz
	@tools/fuzz --runs $(FUZZ_RUNS)

determinism:
	@tools/install all
	@campaigns/determinism/compare_builds

SOAK_MINUTES ?= 30
soak: build
	@/usr/bin/python3 tests/live_soak.py build/bin/trammel . --minutes $(SOAK_MINUTES)

format:
	@git ls-files '*.cpp' '*.h' | xargs clang-format -i
	@cd viewer && [ ! -d node_modules ] || npm run --silent format

clean:
	@rm -rf build results viewer/node_modules viewer/dist
