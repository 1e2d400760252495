# checkpoint_fdw: see README.md.  "make demo" and "make test" do all the set-up.
MODULE_big = checkpoint_fdw
EXTENSION = checkpoint_fdw
DATA = $(wildcard sql/checkpoint_fdw--*.sql)
PGFILEDESC = "checkpoint_fdw - REST APIs as foreign tables, loaded exactly once"
OBJS = $(patsubst %.c,%.o,$(wildcard src/*.c))

PG_CONFIG ?= pg_config
PKG_CONFIG ?= pkg-config
LIBS_WANTED = libcurl json-c

PG_CPPFLAGS = $(shell $(PKG_CONFIG) --cflags $(LIBS_WANTED)) -Wall -Wextra -Werror -Wno-unused-parameter -Wno-sign-compare -Wno-missing-field-initializers
SHLIB_LINK = $(shell $(PKG_CONFIG) --libs $(LIBS_WANTED))

# "make test", "make demo" and "make bench" install what is missing and then call make again; all else needs it here.
GOALS = $(or $(MAKECMDGOALS),all)
ifneq ($(filter-out test demo bench,$(GOALS)),)
PGXS := $(shell $(PG_CONFIG) --pgxs 2>/dev/null)
ifeq ($(wildcard $(PGXS)),)
$(error the development files of PostgreSQL are missing: install postgresql-server-dev-NN, NN being the server's major version, or say PG_CONFIG=/path/to/pg_config)
endif
ifneq ($(filter-out clean distclean maintainer-clean uninstall,$(GOALS)),)
LIBS_MISSING := $(shell for library in $(LIBS_WANTED); do $(PKG_CONFIG) --exists $$library 2>/dev/null || echo $$library; done)
ifneq ($(LIBS_MISSING),)
$(error $(PKG_CONFIG) does not find $(LIBS_MISSING): install pkg-config, libcurl4-openssl-dev and libjson-c-dev (the names of Debian's packages))
endif
endif
# no bitcode: JIT has nothing here to inline, and clang would compile everything once more
override with_llvm = no
include $(PGXS)
# PGXS knows no headers
$(OBJS): $(wildcard src/*.h)
endif

.PHONY: test demo bench
test:
	@test/run
demo:
	@test/demo.sh
bench:
	@test/bench/run

# --- unit programs: the layers below the line as plain programs, under ASan, UBSan and LSan -------------------------
# make unit; make unit UNIT=url (one); the objects of each server version lie in a directory of their own
UNIT = *
UNIT_CC = $(CC)
UNIT_DIR = test/tmp/unit/$(VERSION)
UNIT_MODULES := $(shell awk '/^[0-3] / { $$1 = ""; print }' test/lint/layers)
UNIT_SRC = $(wildcard $(UNIT_MODULES:%=src/%.c))
UNIT_ARCHIVE = $(UNIT_DIR)/modules.a
UNIT_PROGRAMS = $(patsubst test/unit/%.c,$(UNIT_DIR)/%,$(wildcard test/unit/$(UNIT)_test.c))
UNIT_CPPFLAGS = -iquote src $(CPPFLAGS) -U_FORTIFY_SOURCE -DFRONTEND -DUSE_ASSERT_CHECKING -Wno-ignored-attributes
UNIT_CFLAGS = -g -O1 -fno-omit-frame-pointer -fno-strict-aliasing -fwrapv -fsanitize=address,undefined -fno-sanitize-recover=all
UNIT_LIBS = $(shell $(PKG_CONFIG) --libs $(LIBS_WANTED)) -L$(pkglibdir) -L$(libdir) -lpgcommon -lpgport -lm

$(UNIT_DIR)/%.o: src/%.c | $(UNIT_DIR)
	$(UNIT_CC) $(UNIT_CPPFLAGS) $(UNIT_CFLAGS) -MMD -MP -c $< -o $@

$(UNIT_DIR)/%_test.o: test/unit/%_test.c | $(UNIT_DIR)
	$(UNIT_CC) $(UNIT_CPPFLAGS) $(UNIT_CFLAGS) -MMD -MP -c $< -o $@

# an archive: a program takes the modules that it needs
$(UNIT_ARCHIVE): $(UNIT_SRC:src/%.c=$(UNIT_DIR)/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

$(UNIT_DIR)/%_test: $(UNIT_DIR)/%_test.o $(UNIT_ARCHIVE)
	$(UNIT_CC) $(UNIT_CFLAGS) $^ $(UNIT_LIBS) -o $@

$(UNIT_DIR):
	@mkdir -p $@

.PHONY: unit
.PRECIOUS: $(UNIT_DIR)/%.o
unit: $(UNIT_PROGRAMS)
	@failed=0; for program in $(UNIT_PROGRAMS); do \
		ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 $$program || failed=1; \
	done; exit $$failed

-include $(wildcard $(UNIT_DIR)/*.d)

# --- fuzzing: what reads the API's JSON, under libFuzzer ------------------------------------------------------------
# make fuzz FUZZ_SECONDS=600; the corpus that it finds stays in test/tmp/fuzz
FUZZ_SECONDS = 30
FUZZ_CC = clang
FUZZ_DIR = test/tmp/fuzz
FUZZ_CFLAGS = -g -O1 -fno-omit-frame-pointer -fno-strict-aliasing -fwrapv -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_SRC = test/fuzz/page_fuzz.c $(patsubst %,src/%.c,base error url template pointer lexer json page)

$(FUZZ_DIR)/page_fuzz: $(FUZZ_SRC) $(wildcard src/*.h)
	@mkdir -p $(FUZZ_DIR)/corpus
	$(FUZZ_CC) $(UNIT_CPPFLAGS) $(FUZZ_CFLAGS) $(FUZZ_SRC) $(UNIT_LIBS) -o $@

.PHONY: fuzz
fuzz: $(FUZZ_DIR)/page_fuzz
	$(FUZZ_DIR)/page_fuzz -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=10 -artifact_prefix=$(FUZZ_DIR)/ $(FUZZ_DIR)/corpus test/fuzz/seeds

# --- lint: what a compiler does not check; every checker is first shown faults that it must find --------------------
LINT_SRC = $(wildcard src/*.[ch])
TIDY_FLAGS = $(filter-out -Wall -Wextra -Werror,$(CPPFLAGS)) -Wno-ignored-attributes

.PHONY: lint tidy
lint:
	@failed=0; \
	test/lint/selftest.sh || failed=1; \
	test/lint/layers.sh test/lint/layers $(LINT_SRC) || failed=1; \
	test/lint/style.py test/lint/layers $(LINT_SRC) || failed=1; \
	test/lint/symbols.sh $(MODULE_big).so || failed=1; \
	test/lint/format.sh $(LINT_SRC) $(wildcard test/unit/*.[ch] test/fuzz/*.[ch]) || failed=1; \
	exit $$failed

# slow, so not a part of lint
tidy:
	clang-tidy --quiet --warnings-as-errors='*' $(wildcard src/*.c) -- $(TIDY_FLAGS)
