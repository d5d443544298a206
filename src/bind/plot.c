/* `require "knock.gnuplot"`: what the figures of lua/knock/draw need from C.
 *
 * One session (one gnuplot, one private folder) per lua_State, opened by its first use. Columns are
 * vectors (n x 1 matrices).
 */
#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bind/bind.h"
#include "bind/file.h"
#include "bind/matrix.h"
#include "core/clock.h"
#include "plot/quote.h"
#include "plot/raster.h"
#include "plot/screen.h"
#include "plot/session.h"
#include "plot/thin.h"
#include "record/out.h"

static const char key; /* registry[&key] is the userdata that holds the plot_session pointer */

static int close_session(lua_State *L) {
  plot_session **s = lua_touserdata(L, 1);
  plot_session_close(*s);
  *s = NULL;
  return 0;
}

void bind_plot_leave(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TUSERDATA) {
    plot_session **s = lua_touserdata(L, -1);
    plot_session_close(*s);
    *s = NULL;
  }
  lua_pop(L, 1);
}

static plot_session *session(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) != LUA_TUSERDATA) {
    plot_session **fresh = lua_newuserdatauv(L, sizeof *fresh, 0); /* NOLINT: holds a pointer */
    *fresh = NULL;
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, close_session);
    lua_setfield(L, -2, "__gc");
    lua_setmetatable(L, -2);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  }
  plot_session **s = lua_touserdata(L, -1);
  core_error err = {0};
  if (!*s && plot_session_open(s, &err)) bind_raise(L, &err);
  return *s;
}

static const bind_matrix *check_column(lua_State *L, int index) {
  const bind_matrix *v = bind_matrix_test(L, index);
  if (!v || v->cols != 1) luaL_argerror(L, index, "a vector was expected");
  return v;
}

/* column(values[, scale[, shift]]): a vector from a list of numbers or a vector; nil is NaN */
static int column(lua_State *L) {
  double scale = luaL_optnumber(L, 2, 1), shift = luaL_optnumber(L, 3, 0);
  const bind_matrix *from = bind_matrix_test(L, 1);
  if (!from) luaL_checktype(L, 1, LUA_TTABLE);
  lua_Integer n = from ? (lua_Integer)from->rows * from->cols : luaL_len(L, 1);
  if (n > 0x7fffffff) return luaL_error(L, "plot: a column is too long");
  bind_matrix *to = bind_matrix_new(L, (int)n, 1);
  for (int i = 0; i < n; i++) {
    int isnum = 1;
    if (from) {
      to->x[i] = from->x[i] * scale + shift;
      continue;
    }
    int type = lua_rawgeti(L, 1, i + 1);
    to->x[i] = type == LUA_TNIL ? (double)NAN : lua_tonumberx(L, -1, &isnum) * scale + shift;
    if (!isnum)
      return luaL_error(L, "plot: a column holds numbers, item %d is a %s", i + 1,
                        luaL_typename(L, -1));
    lua_pop(L, 1);
  }
  return 1;
}

/* range(v[, positive]) -> low, high, count; nothing when no value is finite */
static int range(lua_State *L) {
  const bind_matrix *v = check_column(L, 1);
  double low, high;
  size_t n = plot_range(v->x, (size_t)v->rows, lua_toboolean(L, 2), &low, &high);
  if (!n) return 0;
  lua_pushnumber(L, low);
  lua_pushnumber(L, high);
  lua_pushinteger(L, (lua_Integer)n);
  return 3;
}

static double number_field(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  double x = luaL_checknumber(L, -1);
  lua_pop(L, 1);
  return x;
}

static int flag_field(lua_State *L, int index, const char *name) {
  lua_getfield(L, index, name);
  int set = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return set;
}

static plot_frame check_frame(lua_State *L, int index) {
  luaL_checktype(L, index, LUA_TTABLE);
  plot_frame f = {number_field(L, index, "x0"),     number_field(L, index, "x1"),
                  number_field(L, index, "y0"),     number_field(L, index, "y1"),
                  flag_field(L, index, "logx"),     flag_field(L, index, "logy"),
                  (int)number_field(L, index, "w"), (int)number_field(L, index, "h")};
  if (!(f.x1 > f.x0 && f.y1 > f.y0 && f.w > 0 && f.h > 0 && f.w < 40000 && f.h < 40000) ||
      (f.logx && f.x0 <= 0) || (f.logy && f.y0 <= 0))
    luaL_argerror(L, index, "not a frame");
  return f;
}

static void push_kept(lua_State *L, const bind_matrix *from, const size_t *keep, size_t n) {
  bind_matrix *to = bind_matrix_new(L, (int)n, 1);
  for (size_t i = 0; i < n; i++) to->x[i] = from->x[keep[i]];
}

/* thin("line"|"points", frame, x, y, ...) -> x, y, ... with fewer rows for the same picture */
static int thin(lua_State *L) {
  int points = strcmp(luaL_checkstring(L, 1), "points") == 0, last = lua_gettop(L);
  plot_frame f = check_frame(L, 2);
  const bind_matrix *x = check_column(L, 3), *y = check_column(L, 4);
  for (int i = 4; i <= last; i++) {
    if (check_column(L, i)->rows != x->rows) return luaL_error(L, "plot: columns differ in length");
  }
  size_t n = (size_t)x->rows;
  size_t *keep = lua_newuserdatauv(L, (n + 1) * sizeof *keep, 0);
  core_error err = {0};
  if (!points)
    n = plot_thin_line(&f, x->x, y->x, n, keep);
  else if (plot_thin_points(&f, x->x, y->x, n, keep, &n, &err))
    return bind_raise(L, &err);
  luaL_checkstack(L, last, NULL);
  for (int i = 3; i <= last; i++) push_kept(L, bind_matrix_test(L, i), keep, n);
  return last - 2;
}

/* raster(frame, x, y, radius) -> coverage of w/2 * h/2 pixels, row by row from the bottom */
static int raster(lua_State *L) {
  plot_frame f = check_frame(L, 1);
  const bind_matrix *x = check_column(L, 2), *y = check_column(L, 3);
  double radius = luaL_checknumber(L, 4);
  if (x->rows != y->rows) return luaL_error(L, "plot: columns differ in length");
  bind_matrix *cover = bind_matrix_new(L, (f.w / 2) * (f.h / 2), 1);
  core_error err = {0};
  if (plot_raster(&f, x->x, y->x, (size_t)x->rows, radius, cover->x, &err))
    return bind_raise(L, &err);
  return 1;
}

static int quote(lua_State *L) {
  size_t n;
  const char *text = luaL_checklstring(L, 1, &n);
  luaL_Buffer b;
  char *room = luaL_buffinitsize(L, &b, PLOT_QUOTE_ROOM(n));
  luaL_pushresultsize(&b, plot_quote(room, text, n));
  return 1;
}

/* data(name, {column, ...}): rows of doubles in the session's folder */
static int data(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  int ncol = (int)luaL_len(L, 2), rows = 0;
  if (ncol < 1 || ncol > 16) return luaL_error(L, "plot: 1 to 16 columns");
  const double *columns[16];
  for (int i = 0; i < ncol; i++) {
    lua_rawgeti(L, 2, i + 1);
    const bind_matrix *v = check_column(L, lua_gettop(L));
    if (i > 0 && v->rows != rows) return luaL_error(L, "plot: columns differ in length");
    columns[i] = v->x;
    rows = v->rows;
  }
  core_error err = {0};
  if (plot_session_data(session(L), name, ncol, columns, (size_t)rows, &err)) bind_raise(L, &err);
  return 0;
}

/* run(script) -> what gnuplot warns of, "" for nothing */
static int run(lua_State *L) {
  size_t n;
  const char *script = luaL_checklstring(L, 1, &n);
  core_error err = {0};
  if (plot_session_run(session(L), script, n, &err)) return bind_raise(L, &err);
  lua_pushstring(L, plot_session_warning(session(L)));
  return 1;
}

static int begin(lua_State *L) {
  size_t n;
  const char *script = luaL_checklstring(L, 1, &n);
  core_error err = {0};
  if (plot_session_begin(session(L), script, n, &err)) return bind_raise(L, &err);
  return 0;
}

static int busy(lua_State *L) {
  int still = 0;
  core_error err = {0};
  if (plot_session_poll(session(L), &still, &err)) return bind_raise(L, &err);
  lua_pushboolean(L, still);
  return 1;
}

static int take(lua_State *L) {
  char *bytes = NULL;
  size_t n;
  core_error err = {0};
  if (plot_session_take(session(L), luaL_checkstring(L, 1), &bytes, &n, &err))
    return bind_raise(L, &err);
  lua_pushlstring(L, bytes, n); /* a failure for want of memory leaks, and ends the program */
  free(bytes);
  return 1;
}

static int terminals(lua_State *L) {
  const char *words;
  core_error err = {0};
  if (plot_session_terminals(session(L), &words, &err)) return bind_raise(L, &err);
  lua_pushstring(L, words);
  return 1;
}

static int starts(lua_State *L) {
  lua_pushinteger(L, plot_session_starts(session(L)));
  return 1;
}

/* screen() -> is it a terminal, columns, rows */
static int screen(lua_State *L) {
  int columns, rows;
  lua_pushboolean(L, plot_screen(&columns, &rows));
  lua_pushinteger(L, columns);
  lua_pushinteger(L, rows);
  return 3;
}

/* seconds of a clock that only goes on */
static int clock_now(lua_State *L) {
  lua_pushnumber(L, core_seconds());
  return 1;
}

static int sixel(lua_State *L) {
  lua_pushboolean(L, plot_screen_sixel());
  return 1;
}

/* publish(path, bytes): the file is there whole or not at all */
static int publish(lua_State *L) {
  size_t n;
  const char *path = luaL_checkstring(L, 1), *bytes = luaL_checklstring(L, 2, &n);
  record_out *out = lua_newuserdatauv(L, sizeof *out, 0);
  core_error err = {0};
  bind_file_check(L, path, BIND_FILE_WRITE);
  if (record_out_open(out, path, &err)) return bind_raise(L, &err);
  record_out_bytes(out, bytes, n);
  if (record_out_close(out, &err)) return bind_raise(L, &err);
  return 0;
}

void bind_open_plot(lua_State *L) {
  static const luaL_Reg functions[] = {{"column", column},
                                       {"range", range},
                                       {"thin", thin},
                                       {"raster", raster},
                                       {"quote", quote},
                                       {"data", data},
                                       {"run", run},
                                       {"begin", begin},
                                       {"busy", busy},
                                       {"take", take},
                                       {"terminals", terminals},
                                       {"starts", starts},
                                       {"publish", publish},
                                       {"screen", screen},
                                       {"sixel", sixel},
                                       {"clock", clock_now},
                                       {NULL, NULL}};
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "knock.gnuplot");
  lua_pop(L, 1);
}
