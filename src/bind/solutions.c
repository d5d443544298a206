/* What is true of an answer: whether it is the only one, and all of them where they can be had. */
#include <lauxlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/matrix.h"
#include "bind/record.h"
#include "impact/modes.h"

enum { MOST = 64 };

typedef struct list {
  int rows, n;
  double *p; /* rows x MOST: impulses of the contacts that touch */
} list;

static void keep(void *self, const double *p, const double *u) {
  list *to = self;
  (void)u;
  if (to->n < MOST) memcpy(to->p + to->n++ * to->rows, p, (size_t)to->rows * sizeof *p);
}

/* all impulses of a planar problem of law.moreau; 0 when nothing is known. Scratch memory. */
static int find_all(const law *l, const impact_problem *pr, core_scratch *s, list *found) {
  impact_modes m;
  if (pr->dim != 2 || law_moreau_modes(l, pr, s, &m)) return 0;
  *found = (list){m.rows, 0, core_scratch_doubles(s, (size_t)m.rows * MOST + 1)};
  return found->p && m.rows == pr->rows && impact_modes_all(&m, s, keep, found) >= 0;
}

/* velocities are unique without friction, whatever the law of this kind */
static int frictionless(const law *l, const impact_problem *pr) {
  for (int c = 0; c < pr->nc && pr->dim > 1; c++)
    if (law_friction_limit(l, c) > 0) return 0;
  return 1;
}

void bind_solutions_unique(lua_State *L, const law *l, const impact_problem *pr) {
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  list found;
  int known = find_all(l, pr, s, &found);
  if (known && found.n)
    lua_pushboolean(L, found.n == 1);
  else if (l->type == law_find("moreau") && frictionless(l, pr))
    lua_pushboolean(L, 1);
  else
    lua_pushnil(L);
  core_scratch_release(s, mark);
}

/* {impulse =, velocity =} of each */
void bind_solutions_push(lua_State *L, const law *l, const impact_problem *pr) {
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  list found;
  int known = find_all(l, pr, s, &found), rows = pr->rows;
  double *v = core_scratch_doubles(s, (size_t)rows);
  if (!known || !v) {
    core_scratch_release(s, mark);
    lua_pushnil(L);
    return;
  }
  lua_createtable(L, found.n, 0);
  for (int i = 0; i < found.n; i++) {
    impact_velocity_after(pr, found.p + i * rows, v);
    lua_createtable(L, 0, 2);
    bind_vector_push(L, rows, found.p + i * rows);
    lua_setfield(L, -2, "impulse");
    bind_vector_push(L, rows, v);
    lua_setfield(L, -2, "velocity");
    lua_rawseti(L, -2, i + 1);
  }
  core_scratch_release(s, mark);
}
