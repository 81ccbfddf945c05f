# SPDX-License-Identifier: Apache-2.0
# The front door. The real build is CMake's (CMakePresets.json); this only names what people do.
#
#   make hunt    on a fresh Debian: install, build esox, hunt for two minutes
#   make test    install, build, run all tests
#   make help    everything else

BUILD := build
JOBS ?= $(shell nproc)
BUDGET ?= 2m
PREFIX ?= /usr/local
# Compiles faster the second time, where ccache is there; read by CMake at the first configuration.
export CMAKE_C_COMPILER_LAUNCHER ?= $(shell command -v ccache)
export CMAKE_CXX_COMPILER_LAUNCHER ?= $(shell command -v ccache)
# The thread sanitizer does not stand wide address randomisation.
FIXED := $(shell setarch -R true 2>/dev/null && echo setarch -R)

.DEFAULT_GOAL := build
.PHONY: build build-tests packages mariadb mariadb-test mysql-test memcached servers browser hunt test slurm-test kubernetes-test soak bench asan tsan tidy format format-check install deb deb-test debian-test templates-test container-test clean help

packages:
	@scripts/install-packages build

# Into the same folder: what is built of esox is not built again.
build-tests: | $(BUILD)/build.ninja
	@scripts/install-packages build tests
	@grep -q '^ESOX_TESTS:BOOL=ON' $(BUILD)/CMakeCache.txt || cmake --preset default -DESOX_TESTS=ON
	@cmake --build $(BUILD) --parallel $(JOBS)

build: | $(BUILD)/build.ninja
	@cmake --build $(BUILD) --parallel $(JOBS)

$(BUILD)/build.ninja:
	@scripts/install-packages --check build
	@cmake --preset default

hunt: packages
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@cmake --build $(BUILD) --parallel $(JOBS) --target esox
	@scripts/hunt $(BUILD) --budget $(BUDGET) $(ARGS)

mariadb:
	@scripts/install-packages mariadb
	@scripts/build-mariadb $(BUILD)/mariadb

memcached:
	@scripts/get-memcached $(BUILD)/memcached

# 75: not all are to be had here.
servers:
	@scripts/get-servers $(BUILD)/servers || [ $$? = 75 ]

mariadb-test:
	@scripts/install-packages suites
	@scripts/get-mariadb-test $(BUILD)/mariadb-test

# 75: they are not to be had here.
mysql-test:
	@scripts/install-packages suites
	@scripts/get-servers $(BUILD)/servers mysql-9-test || [ $$? = 75 ]

browser:
	@scripts/install-packages browser

# 75: there is none to be had here.
slurm-test: packages
	@scripts/get-slurm $(BUILD)/slurm || [ $$? = 75 ]
	@$(MAKE) --no-print-directory build
	@[ ! -x $(BUILD)/slurm/usr/sbin/slurmctld ] || tests/slurm/array_night $(abspath $(BUILD)/esox $(BUILD)/slurm inputs/mariadb/pike-table-5-2)

kubernetes-test: packages
	@$(MAKE) --no-print-directory build
	@scripts/check-kubernetes $(BUILD)/esox $(BUILD)/kubernetes || [ $$? = 75 ]

# 75: there is none to be had here; the tests that need it say that they are skipped.
test: packages
	@scripts/get-memcached $(BUILD)/memcached || [ $$? = 75 ]
	@$(MAKE) --no-print-directory build-tests
	@scripts/run-tests $(BUILD) --parallel $$(($(JOBS) * 3)) --label-exclude soak $(ARGS)

soak: packages
	@scripts/install-packages mariadb
	@scripts/build-mariadb $(BUILD)/mariadb || [ $$? = 75 ]
	@$(MAKE) --no-print-directory build-tests
	@scripts/run-tests $(BUILD) --label-regex soak $(ARGS)
	@scripts/check-oracle $(BUILD)/oracle
	@rm -rf $(BUILD)/verified
	@BUILD=$(BUILD) scripts/measure-verify $(BUILD)/esox $(BUILD)/verified
	@$(FIXED) cmake --preset asan
	@$(FIXED) cmake --build $(BUILD)-asan --parallel $(JOBS) --target unit_import unit_inputs
	@$(FIXED) scripts/run-tests $(BUILD)-asan --label-regex soak --tests-regex AnyBytes

bench:
	@scripts/install-packages build bench
	@$(MAKE) --no-print-directory build-tests
	@$(BUILD)/tests/bench/bench_annotation || [ $$? = 1 ]
	@$(BUILD)/tests/bench/bench_summary || [ $$? = 1 ]
	@$(BUILD)/tests/bench/bench_judging || [ $$? = 1 ]
	@$(BUILD)/tests/bench/bench_frozen
	@$(BUILD)/tests/bench/bench_exec || [ $$? = 1 ]
	@$(BUILD)/tests/bench/bench_accesses
	@$(BUILD)/tests/bench/bench_overhead $(ARGS)

# The thread sanitizer only where threads run.
asan: SANITIZED := unit
tsan: SANITIZED := threaded
asan tsan:
	@scripts/install-packages build tests
	@$(FIXED) cmake --preset $@
	@$(FIXED) cmake --build $(BUILD)-$@ --parallel $(JOBS) --target $(SANITIZED)_tests
	@$(FIXED) scripts/run-tests $(BUILD)-$@ --parallel $(JOBS) --label-regex $(SANITIZED) $(ARGS)

tidy:
	@scripts/install-packages build tests lint
	@cmake --preset tidy
	@cmake --build $(BUILD)-tidy --target esox_build_commit
	@scripts/tidy $(BUILD)-tidy $(JOBS) $(ARGS)

format:
	@scripts/install-packages lint
	@scripts/sources '*.cpp' '*.h' | xargs clang-format -i

format-check:
	@scripts/install-packages lint
	@scripts/sources '*.cpp' '*.h' | xargs clang-format --dry-run --Werror

install: build
	@cmake --install $(BUILD) --prefix $(PREFIX)

deb:
	@scripts/install-packages build package
	@$(MAKE) --no-print-directory $(BUILD)/build.ninja
	@scripts/make-deb $(BUILD) $(JOBS)

# Needs root and the network of apt: a clean Debian is made, and thrown away.
deb-test: deb
	@scripts/install-packages package_test
	@lintian --tag-display-limit 0 $(BUILD)/deb/esox_*.deb
	@scripts/test-deb $(BUILD)/esox.deb

# As root and with the network of apt, too. 75: no other Debian is to be had here.
debian-test:
	@scripts/install-packages debian_test
	@scripts/test-debian $(BUILD)/debian-ccache $(JOBS) $(ARGS) || [ $$? = 75 ]

# As root and with the network of apt, too; all on copies of one clean Debian.
templates-test: deb
	@scripts/install-packages template_test
	@CLEAN_DEBIAN=$$(mktemp -d) && export CLEAN_DEBIAN && \
	  trap 'rm -rf --one-file-system "$$CLEAN_DEBIAN"' EXIT && \
	  scripts/check-ci-templates $(BUILD)/esox.deb && \
	  scripts/check-cron-template $(BUILD)/esox.deb && \
	  scripts/check-systemd-unit $(BUILD)/esox.deb

container-test:
	@scripts/install-packages container_test
	@scripts/test-containerfile

clean:
	@rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-tidy $(BUILD)-debug

help:
	@echo 'make               build esox into $(BUILD)/, and the tests if they were built before'
	@echo 'make hunt          install what is missing, build esox, hunt for BUDGET=$(BUDGET); ARGS= for esox hunt'
	@echo 'make test          install what is missing, build, run all tests; ARGS= for ctest'
	@echo 'make mariadb       an annotated MariaDB, and its seeded faults, into $(BUILD)/mariadb/ (long)'
	@echo 'make mariadb-test  MariaDB'"'"'s regression suites, for esox import, into $(BUILD)/mariadb-test/'
	@echo 'make mysql-test    MySQL, with its regression suites, into $(BUILD)/servers/mysql-9-test/'
	@echo 'make memcached     memcached, as Debian has it and with annotations, into $(BUILD)/memcached/'
	@echo 'make servers       MySQL, MariaDB and memcached of other releases, into $(BUILD)/servers/'
	@echo 'make browser       a browser, for the tests of a hunt'"'"'s report'
	@echo 'make slurm-test    a night on a real cluster of Slurm, started here on 127.0.0.1'
	@echo 'make kubernetes-test  what esox kubernetes prints, against the schema'
	@echo 'make soak          the long measurements'
	@echo 'make bench         what annotations, summaries, frozen memory and the sleeping preload cost'
	@echo 'make asan, tsan    unit tests under the address or thread sanitizer'
	@echo 'make tidy          clang-tidy over all; ARGS=--changed: over what changed since origin/main'
	@echo 'make format        clang-format; format-check: is it as clang-format would have it?'
	@echo 'make install       into PREFIX=$(PREFIX)'
	@echo 'make deb           the Debian package, $(BUILD)/esox.deb'
	@echo 'make deb-test      the same, looked at by lintian and tried on a clean Debian 12 (as root; minutes)'
	@echo 'make debian-test   builds and tests esox on a clean Debian 13, by gcc and clang (as root; long); ARGS= the suite and the compilers'
	@echo 'make templates-test  the nights of GitHub, GitLab, cron and systemd, each in a clean Debian 12 (as root; minutes)'
	@echo 'make container-test  the image of the Containerfile, built by buildah and tried (as root; long)'
	@echo 'make clean         removes what was built, not what was found'
