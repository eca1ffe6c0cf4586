# make run    builds a release and simulates the double four-bar through its singular positions
# make test   builds and runs everything that is tested, format and lint included
# make build  leaves the program at build/bin/trammel
# make bench  installs the other programs, measures speed beside them (ten minutes) and writes docs/performance.md
# make format lays out the C++ sources; make clean removes what was built

.PHONY: run build test bench format clean

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

format:
	@git ls-files '*.cpp' '*.h' | xargs clang-format -i

clean:
	@rm -rf build results
