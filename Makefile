# Shortcuts for Meson. `make help` lists them.
BUILD ?= build
PREFIX ?= /usr/local
SETUP = --prefix=$(abspath $(PREFIX))

.PHONY: help run build check sanitized format check-layers conformance conformance-client conformance-server compare-codex bench fuzz mutate torture soak fault attack deb static image provider-campaign scan-corpus tasks clean install uninstall

help:
	@sed -n 's/^## //p' Makefile

## make run      install what is missing, build, and serve on 127.0.0.1:8931
run: build
	$(BUILD)/mcptools serve

## make build    install what is missing and build
build:
	tools/setup build
	@# --libdir: without dpkg-dev, meson may choose lib64, where the linker does not look. A changed PREFIX is applied.
	if ! test -f $(BUILD)/build.ninja; then \
	    meson setup $(BUILD) --buildtype=release --libdir=lib $(SETUP); \
	elif test "$$(cat $(BUILD)/.prefix 2>/dev/null)" != "$(SETUP)"; then \
	    meson configure $(BUILD) $(SETUP); \
	fi
	@mkdir -p $(BUILD) && echo "$(SETUP)" >$(BUILD)/.prefix
	ninja -C $(BUILD)

## make check    install what the tests need, build and run all of them
check:
	tools/setup build test
	python3 tools/check.py

## make sanitized   the tests with AddressSanitizer and UndefinedBehaviorSanitizer: more of them than in CI
sanitized:
	tools/setup build test
	python3 tools/check.py sanitized

## make format   format the C sources
format:
	tools/setup test
	python3 tools/format.py

check-layers:
	python3 tools/check-layers.py

## make conformance-client   the official conformance suite against our client
## make conformance-server   the same against our server, and through the gateway
conformance-client conformance-server:
	tools/setup build test
	test -f build-check/build.ninja || meson setup build-check -Dwerror=true -Dtests=enabled
	ninja -C build-check
	$(if $(filter %-server,$@),ninja -C build-check $@,meson test -C build-check --no-rebuild --verbose $@)

## make conformance          both, every cell and scenario; writes docs/CONFORMANCE.md
conformance:
	tools/setup build test
	test -f build-check/build.ninja || meson setup build-check -Dwerror=true -Dtests=enabled
	ninja -C build-check
	tests/interop/run.sh ../conformance/run.mjs $(CURDIR)/build-check/tests/conformance/client-driver --record
	ninja -C build-check conformance-skills
	ninja -C build-check conformance

## make compare-codex   ask Codex again what its resource tools answer, and compare (CODEX=program; npm: @openai/codex)
compare-codex:
	tools/setup build test
	test -f build-check/build.ninja || meson setup build-check -Dwerror=true -Dtests=enabled
	ninja -C build-check mcptools
	python3 tests/codex/compare.py build-check/mcptools --record $(or $(CODEX),codex)

## make provider-campaign   arrays for model providers over real servers from npm (FOLDER=... keeps them)
provider-campaign:
	tools/setup build test
	test -f build-check/build.ninja || meson setup build-check -Dwerror=true -Dtests=enabled
	ninja -C build-check mcptools
	tests/interop/run.sh provider-campaign.mjs $(CURDIR)/build-check/mcptools $(abspath $(or $(FOLDER),build-check/campaign))

## make tasks    play the tasks of a new user with mcptools and mcporter, and write docs/TASKS.md
tasks: build
	tools/setup build test
	python3 tests/tasks/tasks.py $(BUILD)/mcptools tests/interop/node_modules --write docs/TASKS.md

## make scan-corpus   precision and recall of `mcptools scan` on the corpus in tests/scan/
scan-corpus:
	tools/setup build test
	test -f build-check/build.ninja || meson setup build-check -Dwerror=true -Dtests=enabled
	ninja -C build-check tests/scan/scan-corpus
	build-check/tests/scan/scan-corpus tests/scan/corpus

## make bench    measure everything that bench/README.md lists, beside nginx and others (SHORT=1: a quick look; ONLY="PART …")
bench:
	tools/setup build bench
	python3 tools/bench.py $(if $(SHORT),--short) $(foreach part,$(ONLY),--only $(part))

## make fuzz     fuzz the parsers and the gateway (SECONDS=n for each, default 60; WRITE=1: put the figures into docs/RELIABILITY.md)
fuzz:
	tools/setup build test
	python3 tools/fuzz.py $(or $(SECONDS),60) $(if $(WRITE),--write)

## make mutate   play changed traffic of real programs to the sanitizer build (SECONDS=n, default 600; SEED=s, WRITE=1)
mutate:
	tools/setup build test
	python3 tools/fuzz.py 0 1 >/dev/null
	python3 tests/mutation/mutate.py build-asan/mcptools build-asan/tests/test-server --seconds $(or $(SECONDS),600) $(if $(SEED),--seed $(SEED)) $(if $(WRITE),--write)

## make torture  run all transcripts, scenes and commands with each of their allocations failing once, and the program with
##               each of its system calls failing once (WRITE=1)
torture:
	tools/setup build test
	test -f build-check/build.ninja || meson setup build-check -Dwerror=true -Dtests=enabled
	ninja -C build-check tests/torture/torture mcptools tests/test-server tests/fault/fail-alloc.so
	build-check/tests/torture/torture --jobs $$(nproc) tests/flow/*.flow
	MEMORY_RUNS=1000000 meson test -C build-check --no-rebuild --timeout-multiplier=20 fault-memory
	MCPTOOLS=$(CURDIR)/build-check/mcptools TEST_SERVER=$(CURDIR)/build-check/tests/test-server python3 tests/torture/syscalls.py $(if $(WRITE),--write)

## make fault    10,000 faults on running gateways: each request gets one answer, nothing is left (FAULTS=n, SEED=s replays,
##               ONLY=k or k-m, ARENA=name, WRITE=1: put the figures into docs/RELIABILITY.md)
fault:
	tools/setup build test
	test -f build-check/build.ninja || meson setup build-check -Dwerror=true -Dtests=enabled
	ninja -C build-check mcptools tests/fault-server tests/campaign/fault-shim.so
	python3 tests/campaign/fault.py --faults $(or $(FAULTS),10000) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY)) \
	    $(if $(ARENA),--arena $(ARENA)) $(if $(WRITE),--write)

## make soak     an hour of mixed load: memory, descriptors and processes must not grow (MINUTES=n, RATE=requests a second, SEED=s,
##               WRITE=1: put the figures into docs/RELIABILITY.md)
soak:
	tools/setup build test
	test -f build-check/build.ninja || meson setup build-check -Dwerror=true -Dtests=enabled
	ninja -C build-check mcptools tests/fault-server
	python3 tests/campaign/soak.py --minutes $(or $(MINUTES),60) --rate $(or $(RATE),100) --seed $(or $(SEED),1) $(if $(WRITE),--write)

## make attack   hostile servers, clients, web pages and authorization servers, each beside a client that is measured (ROWS="name …",
##               WRITE=1: store the figures in docs/RELIABILITY.md)
attack:
	tools/setup build test
	test -f build-check/build.ninja || meson setup build-check -Dwerror=true -Dtests=enabled
	ninja -C build-check mcptools tests/test-server
	MCPTOOLS=$(CURDIR)/build-check/mcptools TEST_SERVER=$(CURDIR)/build-check/tests/test-server PYTHONDONTWRITEBYTECODE=1 \
	    python3 tests/attack/campaign.py $(if $(WRITE),--write) $(ROWS)

## make deb      build the Debian packages in build-deb/
deb:
	tools/setup build deb
	tools/deb

## make static   build build-static/mcptools, which needs no library but the C library (and libcurl for URLs)
static:
	tools/setup build
	test -f build-static/build.ninja || meson setup build-static --buildtype=release -Dprefer_static=true -Dtests=disabled
	ninja -C build-static mcptools
	strip -o build-static/mcptools-stripped build-static/mcptools && mv build-static/mcptools-stripped build-static/mcptools

## make image    write build-static/mcptools.tar, a container image (OCI archive) made of the static program
image: static
	python3 tools/image.py build-static/mcptools build-static/mcptools.tar

## make install  build and install (PREFIX=folder instead of /usr/local, DESTDIR=folder to stage it)
install: build
	meson install -C $(BUILD) --no-rebuild $(if $(DESTDIR),--destdir $(abspath $(DESTDIR)))

## make uninstall   remove the files of the last `make install`
## make clean    remove all build folders
uninstall:
	ninja -C $(BUILD) uninstall

clean:
	rm -rf build build-*
