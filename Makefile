# SPDX-License-Identifier: MIT
# The front door; the build itself is CMake's. Each target installs what it needs first, and says so.

MAKEFLAGS += --no-print-directory
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CASE = cases/bridge/hybrid.yaml
PROGRAM = build/release/interfield

# Ninja where it is installed by now; a folder that was configured before keeps its generator.
CONFIGURE = CMAKE_GENERATOR="$$(command -v ninja >/dev/null && echo Ninja || echo Unix Makefiles)" \
            cmake -S . -Wno-dev --log-level=WARNING
BUILD = cmake --build

help:
	@echo 'make demo             build, test a bridge with a bearing on a virtual rig in real time (20 s), show the result'
	@echo 'make test             build with gcc and with clang and sanitizers, run every test'
	@echo 'make tsan             only the part of it that looks for data races'
	@echo 'make soak             kill a test 200 times and cut its power 2000 times; random faults for millions of ticks'
	@echo 'make campaign         inject 13,500 faults into tests and 400 over the wire, every command watched; 300 random tests before their preflight (FAULTS= PEERS= CASES= SEED=)'
	@echo 'make bits             compare all numbers with those of an earlier commit, in every bit (BITS_ARGS=)'
	@echo 'make mutants          change the safety code in one place at a time: does a test notice? (SAMPLE= SEED=)'
	@echo 'make fuzz             feed random bytes to what reads messages, cases, FMUs, matrices and records, a minute each (SECONDS=)'
	@echo 'make bench            build and run the speed comparisons'
	@echo 'make windows          try the search of unstable steps on 1,000 random structures, a quarter of an hour'
	@echo 'make realtime         punctuality of a test and its rig as two processes, beside cyclictest'
	@echo 'make reproduce        make the figures of the papers again and write docs/reproduction.md (RECORDS=folder of motions)'
	@echo 'make docs             build the documentation as a site, with a search, in build/site'
	@echo 'make install PREFIX=  install library, headers, program and cases (default $(PREFIX); DESTDIR is honoured)'
	@echo 'make abi              write down the binary interface after a change that was meant (tests/ground/abi.txt)'
	@echo 'make format           format the sources with clang-format'
	@echo 'make clean            remove everything that was built'
	@echo
	@echo 'demo, test, bench and docs first install missing Debian packages; to see which: tools/setup test --check'

# The record of a test is never replaced: a folder of its own for every demonstration.
DEMO := runs/demo-$(shell date -u +%Y%m%dT%H%M%S)
demo: release-demo
	$(PROGRAM) test $(CASE) --out $(DEMO)
	$(PROGRAM) plot $(DEMO) --terminal
	$(PROGRAM) plot $(DEMO)

test:
	tools/setup test
	$(CONFIGURE) -B build/gcc -DCMAKE_C_COMPILER=gcc -DIFD_WERROR=ON
	$(BUILD) build/gcc -j $(JOBS)
	$(CONFIGURE) -B build/clang-asan -DCMAKE_C_COMPILER=clang -DIFD_WERROR=ON -DIFD_SANITIZE=address,undefined
	$(BUILD) build/clang-asan -j $(JOBS)
	tools/ctest-all build/gcc build/clang-asan
	@$(MAKE) tsan

# The race detector over everything that runs on two threads.
RACES = base_test_ring couple_test_threads realtime_test_executor realtime_test_grants record_test_journal record_test_recorder record_test_killed
tsan:
	$(CONFIGURE) -B build/tsan -DCMAKE_C_COMPILER=gcc -DIFD_WERROR=ON -DIFD_SANITIZE=thread
	$(BUILD) build/tsan -j $(JOBS) --target $(RACES)
	@printf '%s\n' $(subst _test_,.,$(RACES)) | xargs -P $(JOBS) -I NAME sh -c \
	    '{ echo "== NAME"; build/tsan/tests/NAME; } >build/tsan/NAME.log 2>&1; status=$$?; cat build/tsan/NAME.log; exit $$status'

# Test and rig as two processes against cyclictest; a quarter of an hour on a quiet machine.
realtime: release-bench
	tools/realtime-campaign $(PROGRAM)

# Faults injected in every state, as docs/faults.md has the figures; the short versions are part of make test.
FAULTS ?= 13500
PEERS ?= 400
CASES ?= 300
campaign:
	tools/setup test
	$(CONFIGURE) -B build/gcc -DCMAKE_C_COMPILER=gcc -DIFD_WERROR=ON
	$(BUILD) build/gcc -j $(JOBS) --target faults_test_random program
	IFD_FAULTS=$(FAULTS) IFD_SEED=$(SEED) IFD_JOBS=$(JOBS) build/gcc/tests/faults.random
	IFD_PEERS=$(PEERS) IFD_SEED=$(SEED) IFD_PROGRAM=$(CURDIR)/build/gcc/interfield /usr/bin/python3 tests/faults/peer.py
	IFD_PROGRAM=$(CURDIR)/build/gcc/interfield /usr/bin/python3 tests/app/preflight_random.py $(CASES) $(SEED)

# The recorder killed at random instants, damaged results, and random faults; the short versions are part of make test.
KILLS ?= 200
DAMAGES ?= 2400
CUTS ?= 2000
DAYS ?= 40
soak:
	tools/setup test
	$(CONFIGURE) -B build/gcc -DCMAKE_C_COMPILER=gcc -DIFD_WERROR=ON
	$(BUILD) build/gcc -j $(JOBS) --target record_test_recorder record_test_killed record_test_growth record_test_many_ticks record_test_damage power_test_cut faults_test_storm program
	IFD_KILLS=$(KILLS) build/gcc/tests/record.killed
	build/gcc/tests/record.recorder
	build/gcc/tests/record.growth
	build/gcc/tests/record.many_ticks
	IFD_DAMAGES=$(DAMAGES) build/gcc/tests/record.damage
	IFD_DAMAGES=$(DAMAGES) IFD_SOURCE_DIR=$(CURDIR) IFD_BUILD_DIR=$(CURDIR)/build/gcc IFD_PROGRAM=$(CURDIR)/build/gcc/interfield sh tests/app/test_damage.sh
	IFD_EVERY=1 IFD_SOURCE_DIR=$(CURDIR) IFD_BUILD_DIR=$(CURDIR)/build/gcc IFD_PROGRAM=$(CURDIR)/build/gcc/interfield sh tests/app/test_extremes.sh
	IFD_CUTS=$(CUTS) build/gcc/tests/power.cut
	IFD_DAYS=$(DAYS) build/gcc/tests/faults.storm
	$(MAKE) campaign
	$(MAKE) mutants SAMPLE=40

# Numbers of this tree against those of the commit that tools/bits names, in every bit.
bits:
	tools/setup test
	tools/bits -j $(JOBS) $(BITS_ARGS)

# Each comparison and bound of the safety code changed, one at a time; under two hours on two cores.
SAMPLE ?= 0
SEED ?= 1
mutants:
	tools/setup test
	CMAKE_GENERATOR=Ninja cmake -S . -Wno-dev --log-level=WARNING -B build/mutants -DCMAKE_C_COMPILER=gcc
	$(BUILD) build/mutants -j $(JOBS) --target $$(tools/mutate build/mutants --targets)
	tools/mutate build/mutants --sample $(SAMPLE) --seed $(SEED) --jobs $(JOBS)

# Inputs that found something new stay in build/fuzz.
FUZZES = $(sort $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c)))
SECONDS ?= 60
fuzz:
	@for name in $(FUZZES); do echo "== $$name"; tools/fuzz $$name $(SECONDS) || exit 1; done

# Known ones in the order of docs/performance.md, new ones after them.
FOUND = $(sort $(patsubst bench/bench_%.c,%,$(wildcard bench/bench_*.c)))
FIRST = solve step rivals split extrapolate
BENCHES = $(FIRST) $(filter-out $(FIRST) wakeup windows,$(FOUND)) wakeup
bench: release-bench
	$(BUILD) build/release -j $(JOBS) --target benches
	@for name in $(BENCHES); do echo; echo "== bench_$$name"; build/release/bench/bench_$$name || exit 1; done

windows: release-bench
	$(BUILD) build/release -j $(JOBS) --target bench_bench_windows
	OPENBLAS_NUM_THREADS=1 build/release/bench/bench_windows 1000

RECORDS =
reproduce: release-demo
	$(PROGRAM) reproduce all --jobs $(JOBS) --scoreboard docs/reproduction.md $(if $(RECORDS),--records $(RECORDS))

docs: release-docs
	tools/site $(PROGRAM) build/site

install: release-demo
	cmake --install build/release --prefix $(abspath $(PREFIX))

release-%:
	tools/setup $*
	$(CONFIGURE) -B build/release -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX))
	$(BUILD) build/release -j $(JOBS)

abi:
	$(CONFIGURE) -B build/gcc -DCMAKE_C_COMPILER=gcc -DIFD_WERROR=ON
	$(BUILD) build/gcc -j $(JOBS) --target shared
	tools/abi build/gcc/libinterfield.so >tests/ground/abi.txt.new
	mv tests/ground/abi.txt.new tests/ground/abi.txt

format:
	@command -v clang-format >/dev/null || { echo 'clang-format is missing: apt-get install clang-format'; exit 1; }
	clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	rm -rf build

.PHONY: help demo test tsan realtime soak campaign bits mutants fuzz bench windows reproduce docs install abi format clean
