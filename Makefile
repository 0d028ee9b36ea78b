# The commands of the README. Thin wrappers over the CMake presets; each installs what is missing first.
.PHONY: run test build bench bench-peers asan tsan check clean

JOBS ?= $(shell nproc)

run: build
	@tools/showcase

build: | setup
	@test -f build/release/build.ninja || cmake --preset release
	@cmake --build --preset release -j $(JOBS)

test: | setup
	@test -f build/release/build.ninja || cmake --preset release
	@cmake --build --preset release -j $(JOBS) --target all
	@tools/check
	@ctest --preset release -j $(JOBS)

bench: | setup
	@tools/bench

bench-peers:
	@tools/setup --peers

asan tsan: | setup
	@test -f build/$@/build.ninja || cmake --preset $@
	@cmake --build --preset $@ -j $(JOBS)
	@ctest --preset $@ -j $(JOBS)

setup:
	@tools/setup

.PHONY: setup
clean:
	rm -rf build
