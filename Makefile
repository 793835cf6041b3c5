# SPDX-License-Identifier: MIT
# Entry point; CMake builds the program. Each target first installs the Debian packages that it needs, and prints their names.

MAKEFLAGS += --no-print-directory
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
CASE = cases/bridge/hybrid.yaml
PROGRAM = build/release/interfield

# Ninja if it is installed; a folder that is already configured keeps its generator.
CONFIGURE = CMAKE_GENERATOR="$$(command -v ninja >/dev/null && echo Ninja || echo Unix Makefiles)" \
            cmake -S . -Wno-dev --log-level=WARNING
BUILD = cmake --build

help:
	@echo 'make demo             build, run a hybrid test of a bridge on the virtual rig in real time (20 s), show the result'
	@echo 'make test             build with gcc, run all tests'
	@echo 'make sanitize         build with clang, run the tests with the address and undefined-behaviour sanitizers (EVERY=1: also the long ones)'
	@echo 'make tsan             run only the tests for data races'
	@echo 'make soak             200 killed tests, 2000 simulated power failures, random faults for millions of ticks; every command to its end'
	@echo 'make campaign         inject 13,500 faults into tests and 400 over the network and check every command; preflight of 300 random tests (FAULTS= PEERS= CASES= SEED=)'
	@echo 'make bits             compare all results with those of an earlier commit, bit by bit (BITS_ARGS=)'
	@echo 'make mutants          change the safety code at one place at a time; a test must fail each time (SAMPLE= SEED=)'
	@echo 'make fuzz             fuzz the readers of messages, cases, FMUs, matrices and records, one minute each (SECONDS=)'
	@echo 'make bench            build and run the speed comparisons'
	@echo 'make studies          compare one study as interfield study, in Python, as a shell loop and with OpenSees (IFD_OPENSEES=)'
	@echo 'make rt               run the tests that need a real-time kernel, in an emulated machine (skipped without qemu)'
	@echo 'make windows          verify the search for unstable steps with 1,000 random structures (15 minutes)'
	@echo 'make realtime         measure the lateness of a test and its rig in two processes, compared with cyclictest'
	@echo 'make reproduce        reproduce the figures of the papers and write docs/evidence/reproduction*.md (RECORDS=folder of ground motions)'
	@echo 'make docs             build the documentation as a web site with search in build/site'
	@echo 'make install PREFIX=  install library, headers, program and cases (default $(PREFIX); DESTDIR is supported)'
	@echo 'make dist             make the source archive of the committed tree in build'
	@echo 'make deb              build Debian packages of the committed tree in build/deb: program, library, development files, Python'
	@echo 'make deb-check        build these packages in fresh systems of Debian 12 and 13, install, try and purge them (as root, debootstrap)'
	@echo 'make marths           multi-axial benchmark: every controller and plant; RECORDS=DIR: its ground motions'
	@echo 'make reference        write docs/reference/case*.md, the reference of the case file, from the tables that read it'
	@echo 'make abi              record the binary interface after an intended change (tests/ground/abi.txt)'
	@echo 'make format           format the sources with clang-format'
	@echo 'make hooks            check format, subject and body before each commit of this clone'
	@echo 'make clean            remove all build results'
	@echo
	@echo 'demo, test, bench and docs first install missing Debian packages; list them with: tools/setup test --check'

# The record of a test is never replaced: every demonstration has its own folder.
DEMO := runs/demo-$(shell date -u +%Y%m%dT%H%M%S)
demo: release-demo
	$(PROGRAM) test $(CASE) --out $(DEMO)
	$(PROGRAM) plot $(DEMO) --terminal
	$(PROGRAM) plot $(DEMO)
	@echo 'next:    export PATH=$(CURDIR)/build/release:$$PATH'
	@echo '         mkdir ~/hybrid && cd ~/hybrid && interfield docs tutorial'

test:
	tools/setup test
	$(CONFIGURE) -B build/gcc -DCMAKE_C_COMPILER=gcc -DIFD_WERROR=ON
	$(BUILD) build/gcc -j $(JOBS)
	tools/ctest-all build/gcc

# The tests with sanitizers, without the long ones whose code shorter ones execute too; EVERY=1: these as well, in a folder of their own.
SANITIZED = build/$(if $(EVERY),sanitize,clang-asan)
sanitize:
	tools/setup test
	$(CONFIGURE) -B $(SANITIZED) -DCMAKE_C_COMPILER=clang -DIFD_WERROR=ON -DIFD_SANITIZE=address,undefined -DIFD_EVERY_TEST=$(if $(EVERY),ON,OFF)
	$(BUILD) $(SANITIZED) -j $(JOBS)
	tools/ctest-all $(SANITIZED)

# The race detector over everything that runs on two threads.
RACES = algebra_test_crew algebra_test_factor_threads base_test_ring couple_test_threads realtime_test_executor realtime_test_grants realtime_test_supervisor record_test_journal record_test_recorder record_test_killed
tsan:
	tools/setup test
	$(CONFIGURE) -B build/tsan -DCMAKE_C_COMPILER=gcc -DIFD_WERROR=ON -DIFD_SANITIZE=thread
	$(BUILD) build/tsan -j $(JOBS) --target $(RACES)
	@printf '%s\n' $(subst _test_,.,$(RACES)) | xargs -P $(JOBS) -I NAME sh -c \
	    '{ echo "== NAME"; build/tsan/tests/NAME; } >build/tsan/NAME.log 2>&1; status=$$?; cat build/tsan/NAME.log; exit $$status'

# Test and rig as two processes against cyclictest; a quarter of an hour on a quiet machine.
realtime: release-bench
	tools/realtime-campaign $(PROGRAM)

# Doctor and drivers on another kernel, in an emulated machine; the first run fetches the kernels from Debian. Without qemu
# each test is skipped.
rt: release-demo
	-tools/setup rt
	tools/rt build/release

# Faults injected in every state, as docs/reference/faults.md has the figures; the short versions are part of make test.
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
	IFD_EVERY=1 IFD_SOURCE_DIR=$(CURDIR) IFD_PROGRAM=$(CURDIR)/build/gcc/interfield sh tests/app/test_preflight_cases.sh
	IFD_EVERY=1 IFD_SOURCE_DIR=$(CURDIR) IFD_PROGRAM=$(CURDIR)/build/gcc/interfield CC=gcc sh tests/app/test_stability.sh

# The recorder killed at random instants, damaged results, and random faults; the short versions are part of make test.
KILLS ?= 200
DAMAGES ?= 2400
CUTS ?= 2000
DAYS ?= 40
soak:
	tools/setup test
	$(CONFIGURE) -B build/gcc -DCMAKE_C_COMPILER=gcc -DIFD_WERROR=ON
	$(BUILD) build/gcc -j $(JOBS) --target record_test_recorder record_test_killed record_test_growth record_test_many_ticks record_test_damage power_test_cut faults_test_storm fmu_runtime2 fmu_runtime3 program
	IFD_KILLS=$(KILLS) build/gcc/tests/record.killed
	build/gcc/tests/record.recorder
	build/gcc/tests/record.growth
	build/gcc/tests/record.many_ticks
	IFD_DAMAGES=$(DAMAGES) build/gcc/tests/record.damage
	IFD_DAMAGES=$(DAMAGES) IFD_SOURCE_DIR=$(CURDIR) IFD_BUILD_DIR=$(CURDIR)/build/gcc IFD_PROGRAM=$(CURDIR)/build/gcc/interfield sh tests/app/test_damage.sh
	IFD_EVERY=1 IFD_SOURCE_DIR=$(CURDIR) IFD_BUILD_DIR=$(CURDIR)/build/gcc IFD_PROGRAM=$(CURDIR)/build/gcc/interfield sh tests/app/test_extremes.sh
	IFD_EVERY=1 IFD_SOURCE_DIR=$(CURDIR) IFD_BUILD_DIR=$(CURDIR)/build/gcc IFD_PROGRAM=$(CURDIR)/build/gcc/interfield sh tests/app/test_to_the_end.sh
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

# Inputs that found something new stay in build/fuzz. SECONDS=fixed: the same inputs each time, about 5 s each.
FUZZES = $(sort $(patsubst fuzz/fuzz_%.c,%,$(wildcard fuzz/fuzz_*.c)))
SECONDS ?= 60
fuzz:
	@for name in $(FUZZES); do echo "== $$name"; tools/fuzz $$name $(SECONDS) || [ $$? = 77 ] || exit 1; done

# Known ones in the order of docs/evidence/performance.md, new ones after them.
FOUND = $(sort $(patsubst bench/bench_%.c,%,$(wildcard bench/bench_*.c)))
FIRST = solve step rivals split extrapolate
BENCHES = $(FIRST) $(filter-out $(FIRST) wakeup windows,$(FOUND)) wakeup
bench: release-bench
	$(BUILD) build/release -j $(JOBS) --target benches
	@for name in $(BENCHES); do echo; echo "== bench_$$name"; build/release/bench/bench_$$name || exit 1; done

# One study as interfield study, in Python, as a shell loop, and with OpenSees if IFD_OPENSEES names it: ten minutes.
studies: release-bench
	$(BUILD) build/release -j $(JOBS) --target program
	bench/study/compare

windows: release-bench
	$(BUILD) build/release -j $(JOBS) --target bench_bench_windows
	OPENBLAS_NUM_THREADS=1 build/release/bench/bench_windows 1000

million: release-bench
	$(BUILD) build/release -j $(JOBS) --target bench_bench_superelement
	OPENBLAS_NUM_THREADS=1 build/release/bench/bench_superelement million

superelement: release-bench
	$(BUILD) build/release -j $(JOBS) --target bench_bench_superelement
	OPENBLAS_NUM_THREADS=1 build/release/bench/bench_superelement 50000
	IFD_LARGE=1 IFD_PROGRAM=$(CURDIR)/build/release/interfield IFD_SOURCE_DIR=$(CURDIR) IFD_BUILD_DIR=$(CURDIR)/build/release CC=cc sh tests/app/test_reduce.sh

RECORDS =
# Every controller of the multi-axial benchmark on its records and perturbed plants: make marths RECORDS=DIR
marths:
	tools/setup test
	$(CONFIGURE) -B build/gcc -DCMAKE_C_COMPILER=gcc -DIFD_WERROR=ON
	$(BUILD) build/gcc -j $(JOBS) --target qualify_test_marths program
	INTERFIELD_LONG=1 $(if $(RECORDS),INTERFIELD_DATA=$(RECORDS)) build/gcc/tests/qualify.marths
	-build/gcc/interfield benchmark marths --controller all $(if $(RECORDS),--records $(RECORDS))
	-$(if $(wildcard $(RECORDS)/marths_perturbed_plants.csv),build/gcc/interfield benchmark marths --controller all --record $(RECORDS)/elcentro_1940_ns.csv --plants $(RECORDS)/marths_perturbed_plants.csv)

reproduce: release-demo
	$(PROGRAM) reproduce all --jobs $(JOBS) --scoreboard docs/evidence/reproduction.md $(if $(RECORDS),--records $(RECORDS))

docs: release-docs
	tools/site $(PROGRAM) build/site

install: release-demo
	cmake --install build/release --prefix $(abspath $(PREFIX))

# Source archive of HEAD in build, which is built and tested without git.
dist:
	tools/dist

# The checks of tools/hooks before each commit of this clone: format, subject, body.
hooks:
	git config core.hooksPath tools/hooks
	@command -v clang-format >/dev/null || echo 'clang-format is missing; without it the format is not checked: apt-get install clang-format'

# Debian packages of HEAD in build/deb; lintian must find no error.
deb:
	tools/setup deb
	tools/deb build/deb

# The same in fresh systems of both Debian releases, then installed in bare ones, tried and purged; as root, with debootstrap.
deb-check:
	tools/deb-check

release-%:
	tools/setup $*
	$(CONFIGURE) -B build/release -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=$(abspath $(PREFIX))
	$(BUILD) build/release -j $(JOBS)

# docs/reference/case*.md, printed from the tables that read a case. The first page links to the others.
reference: export COLUMNS = 10000
reference: release-demo
	$(PROGRAM) help case.md >docs/reference/case.md
	$(PROGRAM) help study-file.md >docs/reference/study-file.md
	$(PROGRAM) help study-analysis.md >docs/reference/study-analysis.md
	@for page in $$(grep -oE 'case-[a-z-]+\.md' docs/reference/case.md | sort -u); do $(PROGRAM) help $$page >docs/reference/$$page || exit 1; done

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

.PHONY: help demo test sanitize tsan realtime rt soak campaign bits mutants fuzz bench studies windows million superelement reproduce marths docs install dist deb deb-check hooks abi reference format clean
