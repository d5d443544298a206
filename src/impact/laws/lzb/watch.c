/* Events inside a step of law.lzb: functions that are positive as long as a mode lasts.
 *
 *   apart       -d + noise  the gap                pressed     noise - v_n
 *   expanding   the smaller of d and v_n + noise
 *   slides      v_t.d - start + noise              sticks      mu F_n - |F_t|, and a little
 *
 * noise is what rounding makes of a velocity (of a deflection): a mode that ends at +noise and
 * begins at -noise/2 is not taken back by rounding. A function that dips below zero inside a step
 * and comes back is found by the tangents at both ends: where they meet above zero, a convex
 * function stays above.
 */
#include <math.h>

#include "core/root.h"
#include "impact/laws/lzb/state.h"
#include "impact/laws/tolerance.h"

enum { NORMAL, TANGENT, KINDS, LOOKS = 4 };

/* ---- the functions ---- */

static int is_watched(const lzb_contact *c, int kind) {
  if (kind == NORMAL) return c->phase != LZB_OUT;
  return lzb_touches(c) && (c->grip == LZB_STICK || c->grip == LZB_SLIDE);
}

static double along(const lzb_contact *c, const double *v) {
  double sum = 0;
  for (int r = c->t; r < c->n; r++) sum += v[r] * c->d[r - c->t];
  return sum;
}

/* at z->v, z->f of the state y */
static double value(const lzb *z, int i, int kind, const double *y) {
  const lzb_contact *c = &z->c[i];
  double deep = y[i] / c->length, vn = z->v[c->n];
  if (kind == NORMAL)
    return c->phase == LZB_APART     ? TOL_LZB_LENGTH - deep
           : c->phase == LZB_PRESSED ? z->noise - vn
                                     : fmin(deep, vn + z->noise);
  if (c->grip == LZB_SLIDE) return along(c, z->v) - c->start + z->noise;
  return lzb_margin(z, c) + TOL_LZB_STICK * lzb_pull(z, c);
}

/* rate of row r, where impulses grow by f */
static double pace(const lzb *z, int r, const double *f) {
  double sum = 0;
  for (int j = 0; j < z->rows; j++) sum += z->W[j * z->rows + r] * f[j];
  return sum;
}

/* rate of a function at one end of the step, of which dy is y' there; v there is z->v */
static double slope(const lzb *z, int i, int kind, const double *y, const double *dy) {
  const lzb_contact *c = &z->c[i];
  const double *f = dy + z->nc;
  if (kind == NORMAL) {
    if (c->phase == LZB_APART) return -dy[i] / c->length;
    if (c->phase == LZB_PRESSED) return -pace(z, c->n, f);
    int opens = y[i] / c->length < z->v[c->n] + z->noise;
    return opens ? dy[i] / c->length : pace(z, c->n, f);
  }
  double sum = 0;
  for (int r = c->t; r < c->n; r++) sum += pace(z, r, f) * c->d[r - c->t];
  return sum;
}

/* ---- inside the step ---- */

typedef struct place {
  lzb *z;
  int contact, kind;
} place;

static core_status at_part(void *self, double part, double *g) {
  const place *w = self;
  core_ode_at(&w->z->ode, part, 0, w->z->ode.n, w->z->later);
  lzb_forces(w->z, w->z->later);
  *g = value(w->z, w->contact, w->kind, w->z->later);
  return CORE_OK;
}

/* The first root between 0 and b, where g is negative. A function that is below zero from the start
 * on ends its mode as soon as that can be told. */
static core_status find(place *w, double b, double *part) {
  core_bracket br = {.a = 0, .b = b};
  core_status status = at_part(w, b, &br.fb);
  for (int k = 0; k <= 5 && !status; k++, br.a = b * ldexp(1, 4 * k - 24)) {
    status = at_part(w, br.a, &br.fa);
    if (br.fa > 0) break;
  }
  *part = b * ldexp(1, -24);
  if (status || br.fa <= 0) return status;
  return core_root_find(at_part, w, &br, TOL_LZB_ROOT, part);
}

/* lowest place up to *where of a function that falls at the start and rises there; 1: it is below
 * zero */
static int dips(place *w, double *where) {
  double a = 0, b = *where, g, h;
  for (int k = 0; k < 30; k++) {
    double x = a + (b - a) / 3, y = b - (b - a) / 3;
    at_part(w, x, &g), at_part(w, y, &h);
    if (g < 0 || h < 0) {
      *where = g < 0 ? x : y;
      return 1;
    }
    *(g < h ? &b : &a) = g < h ? y : x;
  }
  return 0;
}

/* sticks are looked at between the ends: their margins have no tangents */
static int slips_between(place *w, double *where) {
  double g, end = *where;
  for (int k = 1; k < LOOKS; k++) {
    *where = end * k / LOOKS;
    at_part(w, *where, &g);
    if (g < 0) return 1;
  }
  return 0;
}

/* values and slopes at both ends of the step */
typedef struct ends {
  double g[2], slope[2];
} ends;

static int may_dip(const ends *e, double h) {
  if (e->slope[0] >= 0 || e->slope[1] <= 0) return 0;
  double x = (e->g[1] - e->g[0] - e->slope[1] * h) / (e->slope[0] - e->slope[1]);
  return e->g[0] + e->slope[0] * x <= 0;
}

/* at one end of the step, for all functions */
static void look(lzb *z, int end, const double *y, const double *dy, ends *e) {
  lzb_forces(z, y);
  for (int i = 0; i < KINDS * z->nc; i++) {
    const lzb_contact *c = &z->c[i / KINDS];
    int kind = i % KINDS;
    if (!is_watched(c, kind)) continue;
    e[i].g[end] = value(z, i / KINDS, kind, y);
    int sticks = kind == TANGENT && c->grip == LZB_STICK;
    e[i].slope[end] = sticks ? 0 : slope(z, i / KINDS, kind, y, dy);
  }
}

/* a touching contact without load that leaves: nothing changes, and no step ends for it */
static int leaves_unloaded(const lzb *z, int i, int kind) {
  const lzb_contact *c = &z->c[i];
  double least = TOL_LZB_LENGTH * c->length;
  return kind == NORMAL && c->phase == LZB_PRESSED && lzb_deflection(z, i, z->ode.y_old) <= least &&
         lzb_deflection(z, i, z->ode.y) <= least;
}

/* g at `limit`, where the step is looked at up to: 1 unless it ends before */
static double at_limit(place *w, const ends *e, double limit) {
  double g = e->g[1];
  if (limit < 1) at_part(w, limit, &g);
  return g;
}

/* where function i ends its mode in this step: *part, or nothing */
static core_status first_of(lzb *z, int i, const ends *e, double limit, double *part) {
  place w = {z, i / KINDS, i % KINDS};
  lzb_contact *c = &z->c[w.contact];
  double where = limit, root;
  int sticks = w.kind == TANGENT && c->grip == LZB_STICK, below = at_limit(&w, e, limit) < 0;
  if (below && leaves_unloaded(z, w.contact, w.kind)) {
    c->phase = LZB_APART, c->grip = LZB_NEW;
    return CORE_OK;
  }
  if (!below && !sticks && !may_dip(e, z->ode.h)) return CORE_OK;
  core_status status = core_ode_dense(&z->ode);
  if (status) return status;
  if (!below && !(sticks ? slips_between(&w, &where) : dips(&w, &where))) return CORE_OK;
  status = find(&w, where, &root);
  if (!status && root < *part) *part = root, z->which = i;
  return status;
}

/* Beyond the end of the contact whose root is taken time runs backwards: nothing there counts. */
static core_status find_limit(lzb *z, const ends *e, double *limit) {
  int i = z->rooted;
  if (i < 0 || z->c[i].phase != LZB_EXPANDING || z->ode.y[i] >= 0) return CORE_OK;
  core_status status = core_ode_dense(&z->ode);
  return status ? status : first_of(z, KINDS * i + NORMAL, &e[KINDS * i + NORMAL], 1, limit);
}

core_status lzb_watch(lzb *z, double *part, int *happens) {
  core_ode *o = &z->ode;
  ends *e = z->ends;
  look(z, 0, o->y_old, o->k, e);
  look(z, 1, o->y, o->k + 12 * o->stride, e);
  double limit = INFINITY;
  core_status status = find_limit(z, e, &limit);
  *part = limit, limit = fmin(limit, 1);
  for (int i = 0; i < KINDS * z->nc && !status; i++)
    if (is_watched(&z->c[i / KINDS], i % KINDS)) status = first_of(z, i, &e[i], limit, part);
  *happens = *part <= 1;
  return status;
}

core_status lzb_cut(lzb *z, double part) {
  core_ode *o = &z->ode;
  int i = z->which / KINDS, kind = z->which % KINDS;
  core_status status = part < 1 ? core_ode_redo(o, o->t_old + part * o->h) : CORE_OK;
  if (status || (kind == TANGENT && z->c[i].grip == LZB_STICK)) return status;
  lzb_forces(z, o->y);
  double dt = -value(z, i, kind, o->y) / slope(z, i, kind, o->y, o->k + 12 * o->stride);
  if (fabs(dt) < TOL_LZB_NUDGE * fabs(o->h)) core_ode_nudge(o, dt);
  return CORE_OK;
}

size_t lzb_watch_memory(int nc) {
  return (size_t)nc * KINDS * sizeof(ends);
}
