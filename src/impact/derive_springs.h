/* Springs at contacts, with derivatives: what derive_springs.c (events) and derive_series.c
 * (between them) share. */
#ifndef IMPACT_DERIVE_SPRINGS_H
#define IMPACT_DERIVE_SPRINGS_H

#include "impact/derive.h"
#include "impact/derive_dual.h"
#include "impact/tolerance.h"

enum { SPRINGS_ORDER = 24 };

typedef enum grip { LOOSE, STUCK, SLIDING } grip; /* LOOSE: no friction at all */

typedef struct contact {
  int t, n, m; /* first row, normal row, how many tangents: 0, 1 or 2 */
  dual k0, k, kt, mu, e;
  int closed;
  grip grip;
  int fresh;      /* slides since n = 0, where its direction is a series of its own kind */
  double deepest; /* largest -n so far [m] */
} contact;

/* Every number of the state is a series in t, SPRINGS_ORDER + 1 coefficients, the first its value:
 * v and p of all rows, then n, x1, x2, d1, d2 of each contact. */
typedef struct springs {
  int nc, rows, size; /* size = 2 rows + 5 nc */
  contact *c;
  dual *W;     /* rows x rows */
  dual *y;     /* size series */
  dual *force; /* rows series */
  dual *along; /* nc series: v_t.d of contacts that turn */
  double unit; /* of time in the series [s] */
} springs;

static inline dual *springs_series(const springs *z, int i) {
  return z->y + i * (SPRINGS_ORDER + 1);
}
static inline dual *velocity_of(const springs *z, int row) {
  return springs_series(z, row);
}
static inline dual *impulse_of(const springs *z, int row) {
  return springs_series(z, z->rows + row);
}
static inline dual *normal_of(const springs *z, int i) {
  return springs_series(z, 2 * z->rows + 5 * i);
}
static inline dual *spring_of(const springs *z, int i, int j) {
  return springs_series(z, 2 * z->rows + 5 * i + 1 + j);
}
static inline dual *direction_of(const springs *z, int i, int j) {
  return springs_series(z, 2 * z->rows + 5 * i + 3 + j);
}

/* rho = -soft n: how far a tangential spring can be wound up */
static inline dual soft(const contact *c) {
  return over(mul(c->mu, c->k), c->kt);
}

/* the first `order` coefficients after the values, of t in units [s]; 1 and 1 give the rates */
void springs_expand(springs *z, int order, double unit);

/* moves on by t; CORE_UNSUPPORTED: in too many steps */
core_status springs_advance(springs *z, double t);

#endif
