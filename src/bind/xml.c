/* core.mechanisms.xml(text) -> { tag =, line =, attr = {name = value}, children ... }
 *
 * XML by expat, as a tree of plain tables. Files that declare entities are refused: robots have no
 * use for them, and a small file can unfold into a huge one. Returns nil and one line when the text
 * is not XML. The parser calls into Lua only to build tables; when memory is out there the error is
 * caught, the parser stopped, and the error raised again outside of it.
 */
#include <lauxlib.h>
#include <string.h>

#include "bind/bind.h"

#ifdef KNOCK_HAS_EXPAT
#include <expat.h>

enum { DEEPEST = 200 }; /* nested elements */

typedef struct reader {
  lua_State *L;
  XML_Parser parser;
  int depth;         /* open elements, each a table on the Lua stack above `base` */
  int base;          /* of the Lua stack */
  const char *wrong; /* what ended it, or NULL */
  int failed;        /* a Lua error is on top of the stack */
} reader;

typedef struct element {
  reader *r;
  const XML_Char *tag;
  const XML_Char **attributes;
} element;

/* pushes the table of an element and puts it into its parent */
static int push_element(lua_State *L) {
  const element *e = lua_touserdata(L, 1);
  lua_createtable(L, 0, 3);
  lua_pushstring(L, e->tag);
  lua_setfield(L, -2, "tag");
  lua_pushinteger(L, (lua_Integer)XML_GetCurrentLineNumber(e->r->parser));
  lua_setfield(L, -2, "line");
  lua_newtable(L);
  for (const XML_Char **a = e->attributes; *a; a += 2) {
    lua_pushstring(L, a[1]);
    lua_setfield(L, -2, a[0]);
  }
  lua_setfield(L, -2, "attr");
  return 1;
}

static void halt(reader *r, const char *why) {
  r->wrong = why;
  XML_StopParser(r->parser, XML_FALSE);
}

static void start(void *self, const XML_Char *tag, const XML_Char **attributes) {
  reader *r = self;
  lua_State *L = r->L;
  if (r->wrong || r->failed) return;
  if (r->depth >= DEEPEST) {
    halt(r, "elements are nested too deeply");
    return;
  }
  element e = {r, tag, attributes};
  lua_pushcfunction(L, push_element);
  lua_pushlightuserdata(L, &e);
  if (lua_pcall(L, 1, 1, 0)) {
    r->failed = 1;
    XML_StopParser(r->parser, XML_FALSE);
    return;
  }
  r->depth++;
}

static int append(lua_State *L) { /* parent, child */
  lua_rawseti(L, 1, (lua_Integer)lua_rawlen(L, 1) + 1);
  return 0;
}

static void end(void *self, const XML_Char *tag) {
  reader *r = self;
  (void)tag;
  if (r->wrong || r->failed || --r->depth == 0) return;
  lua_pushcfunction(r->L, append);
  lua_pushvalue(r->L, -3);
  lua_pushvalue(r->L, -3);
  if (lua_pcall(r->L, 2, 0, 0)) {
    r->failed = 1;
    XML_StopParser(r->parser, XML_FALSE);
    return;
  }
  lua_pop(r->L, 1);
}

static void refuse_entity(void *self, const XML_Char *name, int is_parameter, const XML_Char *value,
                          int length, const XML_Char *base, const XML_Char *system,
                          const XML_Char *public, const XML_Char *notation) {
  (void)name, (void)is_parameter, (void)value, (void)length, (void)base, (void)system;
  (void)public, (void)notation;
  halt(self, "it declares entities, which are not read");
}

static int xml(lua_State *L) {
  size_t size;
  const char *text = luaL_checklstring(L, 1, &size);
  luaL_checkstack(L, DEEPEST + 16, "xml");
  XML_Parser parser = XML_ParserCreate(NULL);
  if (!parser) return luaL_error(L, "out of memory");
  reader r = {L, parser, 0, lua_gettop(L), NULL, 0};
  XML_SetUserData(parser, &r);
  XML_SetElementHandler(parser, start, end);
  XML_SetEntityDeclHandler(parser, refuse_entity);
  int ok = size < 1 << 28 && XML_Parse(parser, text, (int)size, 1) == XML_STATUS_OK;
  int line = (int)XML_GetCurrentLineNumber(parser);
  const char *why = r.wrong           ? r.wrong
                    : size >= 1 << 28 ? "it is too large"
                                      : XML_ErrorString(XML_GetErrorCode(parser));
  XML_ParserFree(parser);
  if (r.failed) return lua_error(L);
  if (ok) return 1;
  lua_settop(L, r.base);
  lua_pushnil(L);
  lua_pushfstring(L, "line %d: %s", line, why);
  return 2;
}

#else

static int xml(lua_State *L) {
  lua_pushnil(L);
  lua_pushliteral(L, "this knock was built without expat (Debian: libexpat1-dev)");
  return 2;
}

#endif

/* adds to the table `mechanisms` on top */
void bind_open_xml(lua_State *L) {
  lua_pushcfunction(L, xml);
  lua_setfield(L, -2, "xml");
}
