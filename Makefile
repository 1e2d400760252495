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

PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)
