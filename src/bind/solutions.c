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
static int find_all(const law *l, const impact_problem *pr, core_scratch *s, impact_modes *m,
                    list *found) {
  if (pr->dim != 2 || law_moreau_modes(l, pr, s, m)) return 0;
  *found = (list){m->rows, 0, core_scratch_doubles(s, (size_t)m->rows * MOST + 1)};
  return found->p && m->rows == pr->rows && impact_modes_all(m, s, keep, found) >= 0;
}

/* ---- continua ---- */

typedef struct ends {
  int rows, n, moves, endless;
  double *p; /* rows x 2 rows: impulses at the ends */
} ends;

static void keep_end(void *self, const double *p, int moves) {
  ends *to = self;
  to->moves |= moves, to->endless |= !p;
  if (p) memcpy(to->p + to->n++ * to->rows, p, (size_t)to->rows * sizeof *p);
}

/* the ends of the continuum that answer i lies in; returns its directions */
static int find_ends(const impact_modes *m, core_scratch *s, const double *p, ends *to) {
  size_t rows = (size_t)m->rows;
  double *u = core_scratch_doubles(s, rows + 2 * rows * rows);
  if (!u) return 0;
  *to = (ends){.rows = m->rows, .p = u + rows};
  memcpy(u, m->b, rows * sizeof *u);
  for (size_t j = 0; j < rows; j++)
    for (size_t i = 0; i < rows; i++) u[i] += m->W[j * rows + i] * p[j];
  return impact_modes_face(m, s, p, u, keep_end, to);
}

/* 1 when some answer lies among others with other velocities */
static int any_moves(const impact_modes *m, core_scratch *s, const list *found) {
  int moves = 0;
  for (int i = 0; i < found->n && !moves; i++) {
    core_mark mark = core_scratch_mark(s);
    ends to;
    moves = find_ends(m, s, found->p + i * found->rows, &to) > 0 && to.moves;
    core_scratch_release(s, mark);
  }
  return moves;
}

/* velocities are unique without friction, whatever the law of this kind */
static int frictionless(const law *l, const impact_problem *pr) {
  for (int c = 0; c < pr->nc && pr->dim > 1; c++)
    if (law_friction_limit(l, c) > 0) return 0;
  return 1;
}

/* what is known of law.moreau's answer in space or of many contacts: solved once more */
static impact_modes_known known_of(const law *l, const impact_problem *pr, core_scratch *s) {
  impact_modes m;
  if (law_moreau_modes(l, pr, s, &m)) return IMPACT_MODES_UNKNOWN;
  double *p = core_scratch_doubles(s, 2 * (size_t)m.rows + 1);
  if (!p || impact_modes_solve(&m, s, p, p + m.rows)) return IMPACT_MODES_UNKNOWN;
  return impact_modes_unique(&m, s, p + m.rows);
}

void bind_solutions_unique(lua_State *L, const law *l, const impact_problem *pr, unsigned flags) {
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  list found;
  impact_modes m;
  impact_modes_known of;
  int known = find_all(l, pr, s, &m, &found);
  if (known && found.n)
    lua_pushboolean(L, found.n == 1 && !any_moves(&m, s, &found));
  else if (flags & IMPACT_CONTINUUM)
    lua_pushboolean(L, 0);
  else if (l->type == law_find("moreau") && frictionless(l, pr))
    lua_pushboolean(L, 1);
  else if ((of = known_of(l, pr, s)) != IMPACT_MODES_UNKNOWN)
    lua_pushboolean(L, of == IMPACT_MODES_ONE);
  else
    lua_pushnil(L);
  core_scratch_release(s, mark);
}

/* {impulse =, velocity =}; v has room for the velocity */
static void push_one(lua_State *L, const impact_problem *pr, const double *p, double *v) {
  impact_velocity_after(pr, p, v);
  lua_createtable(L, 0, 4);
  bind_vector_push(L, pr->rows, p);
  lua_setfield(L, -2, "impulse");
  bind_vector_push(L, pr->rows, v);
  lua_setfield(L, -2, "velocity");
}

/* continuum = "impulses" or "velocities", ends = {...} of the answer on top */
static void push_continuum(lua_State *L, const impact_problem *pr, const ends *to, double *v) {
  lua_pushstring(L, to->moves ? "velocities" : "impulses");
  lua_setfield(L, -2, "continuum");
  lua_createtable(L, to->n, 0);
  for (int i = 0; i < to->n; i++) {
    push_one(L, pr, to->p + i * pr->rows, v);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, "ends");
}

/* all answers, and what they are part of */
void bind_solutions_push(lua_State *L, const law *l, const impact_problem *pr) {
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  list found;
  impact_modes m;
  int known = find_all(l, pr, s, &m, &found), rows = pr->rows;
  double *v = core_scratch_doubles(s, (size_t)rows);
  if (!known || !v) {
    core_scratch_release(s, mark);
    lua_pushnil(L);
    return;
  }
  lua_createtable(L, found.n, 0);
  for (int i = 0; i < found.n; i++) {
    ends to;
    push_one(L, pr, found.p + i * rows, v);
    if (find_ends(&m, s, found.p + i * rows, &to) > 0) push_continuum(L, pr, &to, v);
    lua_rawseti(L, -2, i + 1);
  }
  core_scratch_release(s, mark);
}
