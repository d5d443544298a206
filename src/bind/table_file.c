/* Files of tables: what core.records reads and writes, beside the methods of tables (table.c). */
#include <lauxlib.h>

#include "bind/bind.h"
#include "bind/file.h"
#include "bind/table.h"
#include "record/hdf5.h"

/* check_file(path): an error when no table can go there, before it is made */
static int check_file(lua_State *L) {
  core_error err = {0};
  const char *path = bind_file_check(L, luaL_checkstring(L, 1), BIND_FILE_WRITE);
  bind_raise_if(L, record_check_name(path, &err), &err);
  return 0;
}

static int read_file(lua_State *L) {
  const char *path = bind_file_arg(L, 1, "read", BIND_FILE_READ);
  core_error err = {0};
  record_table *t = bind_table_new(L);
  bind_raise_if(L, record_read(path, t, &err), &err);
  return 1;
}

/* k.read: the script depends on what it read */
static int read_data(lua_State *L) {
  return read_file(L), bind_file_note(L, lua_tostring(L, 1)), 1;
}

static int files_read(lua_State *L) {
  bind_file_noted(L);
  return 1;
}

/* read_columns(path) -> table without rows: its columns and its provenance */
static int read_columns(lua_State *L) {
  const char *path = bind_file_check(L, luaL_checkstring(L, 1), BIND_FILE_READ);
  core_error err = {0};
  record_table *t = bind_table_new(L);
  if (record_read_columns(path, t, &err)) return bind_raise(L, &err);
  return 1;
}

/* HDF5 files of others: a table of one row, a column for each set */
static int read_sets(lua_State *L) {
  const char *path = bind_file_check(L, luaL_checkstring(L, 1), BIND_FILE_READ);
  core_error err = {0};
  record_table *t = bind_table_new(L);
  bind_raise_if(L, record_read_sets(path, t, &err), &err);
  bind_file_note(L, path);
  return 1;
}

static int write_sets(lua_State *L) {
  const record_table *t = bind_table_check(L);
  core_error err = {0};
  const char *path = bind_file_check(L, luaL_checkstring(L, 2), BIND_FILE_WRITE);
  bind_raise_if(L, record_write_sets(t, path, &err), &err);
  return 0;
}

static int new_table(lua_State *L) {
  bind_table_new(L);
  return 1;
}

static const bind_function functions[] = {
    {"check_file", check_file, "check_file(path)",
     "An error when tables cannot be written to files of that name.", NULL},
    {"read_table", read_file, "read_table(path) -> table", "Reads a .csv, .jsonl or .h5 file.",
     NULL},
    {"read_data", read_data, "read_data(path) -> table",
     "The same for scripts: sweeps depend on what it read.", NULL},
    {"files_read", files_read, "files_read() -> {[path] = true}",
     "Files that the script ran (dofile, loadfile) or read (k.read) so far.", NULL},
    {"read_columns", read_columns, "read_columns(path) -> table",
     "The columns and the provenance of a file, without its rows.", NULL},
    {"new_table", new_table, "new_table() -> table", "An empty table.", NULL},
    {"read_sets", read_sets, "read_sets(path) -> table",
     "The sets of numbers of any HDF5 file: one row, a column for each set.", NULL},
    {"write_sets", write_sets, "write_sets(table, path)",
     "Writes the columns of a table of one row as sets of an HDF5 file.", NULL},
};

/* adds them to the table of functions on top */
void bind_open_table_files(lua_State *L) {
  bind_register(L, "records", functions, sizeof functions / sizeof *functions);
}
