# The commands of the README. Thin wrappers over the CMake presets; each installs what is missing first.
.PHONY: run build install test faults fuzz bench bench-peers tidy asan tsan setup clean

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
configured = test -f build/$(1)/build.ninja || { echo "configuring build/$(1)"; cmake --preset $(1) >/dev/null; }
built = NINJA_STATUS="building $(2): %f of %t, %e s  " cmake --build --preset $(1) -j $(JOBS) --target $(3)

# Only what it runs: no tests, no benchmarks.
run: build
	@tools/showcase

build: | setup
	@$(call configured,release)
	@$(call built,release,couplet,couplet)

# The program, the library with find_package(couplet), man pages, completion; see docs/library.md.
install: | setup
	@$(call configured,release)
	@$(call built,release,what is installed,installable)
	@cmake --install build/release --prefix $(PREFIX)

test:
	@tools/setup --tests
	@$(call configured,release)
	@$(call built,release,everything,all bench_programs)
	@tools/check
	@tools/run_tests release -j $(JOBS)

# Kills, interrupts, full disks, second writers, broken compilers: every integrator, both formats.
faults: build
	@python3 verification/acceptance/compilers_test.py build/release/couplet --all
	@python3 verification/acceptance/faults_test.py build/release/couplet --all

# Every reader under sanitizers, a minute a target; FUZZ="--executions 10000000" for more.
FUZZ ?= --seconds 60
fuzz: | setup
	@$(call configured,asan)
	@$(call built,asan,fuzz programs,fuzz_readers fuzz_modelica)
	@build/asan/fuzz_readers $(FUZZ)
	@build/asan/fuzz_modelica $(FUZZ)

bench: | setup
	@tools/bench

bench-peers:
	@tools/setup --peers

# Slow: minutes of CPU for every room. `make tidy ROOM=math` for one.
tidy: | setup
	@$(call configured,debug)
	@tools/tidy $(ROOM)

asan tsan: | setup
	@$(call configured,$@)
	@$(call built,$@,everything,all)
	@tools/run_tests $@ -j $(JOBS)

setup:
	@tools/setup

clean:
	rm -rf build
