# make run    builds a release and simulates the double four-bar through its singular positions
# make test   builds and runs everything that is tested, format and lint included
# make build  leaves the program at build/bin/trammel
# make bench  installs the other programs, measures speed beside them (ten minutes) and writes docs/performance.md
# make soak   runs two models live for half an hour with random edits (SOAK_MINUTES=5: shorter)
# make format lays out the sources; make clean removes what was built

.PHONY: run build test bench soak format clean

CMAKE = cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release

# A build for users leaves the tests out unless a test build is already there.
build:
	@tools/install build
	@[ -f build/build.ninja ] || $(CMAKE) -DTRAMMEL_TESTS=OFF >/dev/null
	@cmake --build build --target trammel

run: build
	@build/bin/trammel run models/double-four-bar.yaml

test:
	@tools/install test
	@$(CMAKE) -DTRAMMEL_TESTS=ON >/dev/null
	@cmake --build build
	@cmake --build build --target lint
	@ctest --test-dir build --output-on-failure -j 2 --no-tests=error

bench:
	@tools/install bench
	@$(CMAKE) -DTRAMMEL_TESTS=ON -DTRAMMEL_PEERS=ON >/dev/null
	@cmake --build build --target trammel trammel_bench trammel_steps
	@build/bin/trammel bench --write docs/performance.md

SOAK_MINUTES ?= 30
soak: build
	@/usr/bin/python3 tests/live_soak.py build/bin/trammel . --minutes $(SOAK_MINUTES)

format:
	@git ls-files '*.cpp' '*.h' | xargs clang-format -i
	@cd viewer && [ ! -d node_modules ] || npm run --silent format

clean:
	@rm -rf build results viewer/node_modules viewer/dist
