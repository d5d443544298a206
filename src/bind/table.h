/* The `table` userdata: a record_table with columns, units and provenance. */
#ifndef BIND_TABLE_H
#define BIND_TABLE_H

#include <lua.h>

#include "record/table.h"

record_table *bind_table_new(lua_State *L); /* pushes an empty table */
record_table *bind_table_test(lua_State *L, int index);
record_table *bind_table_check(lua_State *L); /* argument 1, or an error */

/* puts the Lua value at index into a row: number, boolean, string, or a vector of c->width */
core_status bind_table_set(lua_State *L, int index, record_column *c, size_t row);

/* what a Lua value would be stored as; 0 when it cannot be stored */
int bind_table_kind(lua_State *L, int index, record_kind *kind, int *width);

void bind_table_push_value(lua_State *L, const record_column *c, size_t row);

/* table_file.c: functions that read and write files, into the table on top */
void bind_open_table_files(lua_State *L);

#endif
