/* What the files of the mode solver share; nobody else includes it. */
#ifndef IMPACT_MODES_PART_H
#define IMPACT_MODES_PART_H

#include <math.h>

#include "impact/modes.h"
#include "impact/tolerance.h"

/* one contact: what does not change, and how Alart and Curnier's projections see it at some p, u */
typedef struct modes_contact {
  int t, n;            /* first row, normal row */
  double mu, low;      /* friction, least normal impulse [N s] */
  double rho_n, rho_t; /* 1/W_nn and 1/(largest eigenvalue of W_tt); 0 where those are [kg] */
  int pressed, slips;  /* a_n > low; |a_t| > R */
  double an, at[2];    /* a = p - rho u [N s] */
  double R, length;    /* mu max(low, a_n), |a_t| [N s] */
  double d[2];         /* a_t/|a_t| where it slips */
} modes_contact;

/* which contacts feel each other (modes_near.c); the order of elimination */
typedef struct modes_near {
  int *start, *who;         /* nc + 1; the contacts whose block with contact c is not zero */
  int *order, *place;       /* nc: who goes as number i, and when contact c goes */
  int *later_start, *later; /* nc + 1; those eliminated after number i which then feel it */
} modes_near;

/* a problem under way; arrays from the scratch */
typedef struct modes_work {
  const impact_modes *m;
  core_scratch *s;
  modes_contact *contact; /* nc */
  double *p, *u;          /* rows: the answer so far */
  double *F;              /* rows: what is left of the equations [N s] */
  double *T, *A, *x;      /* rows x rows, rows x rows, rows: Newton's reduced system */
  double *q, *v;          /* rows: another p and u, for line searches */
  int *pivot;             /* rows */
  double residual;        /* at p, u */
  double size_b;          /* largest rho |b| [N s] */
  int tiny_pivot;         /* the last system was singular to rounding */
  int sign;               /* of the determinant of the last system of blocks */
  modes_near *near;       /* NULL: every contact feels every other */
} modes_work;

/* as impact_modes_solve, which also tries what contacts do that give a little */
core_status modes_solve_as_is(const impact_modes *m, core_scratch *s, double *p, double *u);

/* u = W p + b */
void modes_velocity(const impact_modes *m, const double *p, double *u);

/* w->near, from the scratch; and u = W p + b through it */
core_status modes_find_near(modes_work *w);
void modes_near_velocity(const modes_work *w, const double *p, double *u);

/* mu, low, rho of all contacts */
void modes_describe(const impact_modes *m, modes_contact *contact);

/* largest rho |b| and least impulse of all contacts: what p is measured by [N s] */
double modes_push(const modes_work *w);

/* how large impulses are, and what they do: gathered row by row */
typedef struct modes_measure {
  double push;        /* what b and the least impulses ask for [N s] */
  double impulse;     /* the largest [N s] */
  double work, terms; /* sum of p (u - b), and of its terms' sizes [J] */
} modes_measure;

static inline void modes_measure_row(modes_measure *z, double p, double change) {
  z->impulse = z->impulse > fabs(p) ? z->impulse : fabs(p);
  z->work += p * change, z->terms += fabs(p * change);
}

/* A residual [N s] as a part of the largest impulse, as far as that is of the size of `push`, or
 * changes velocities (that of a heavy body on a light one). Contacts that wedge have impulses of
 * any size that do nothing: these are no measure of u, and what W p of them rounds off counts as
 * left over. */
static inline double modes_relative(const modes_measure *z, double left) {
  double most = LIMIT_WEDGED * z->push, impulse = z->impulse;
  if (impulse > most && impulse < LIMIT_UNLIKE * z->push && z->terms > 0)
    most = fmax(most, fabs(z->work) / z->terms * impulse);
  if (impulse > most) left += DBL_EPSILON * impulse, impulse = most;
  double size = fmax(z->push, impulse);
  return size > 0 ? left / size : left;
}

/* The largest W_nn, or 0 where contacts need no units of their own; the unit of one, and the
 * problem in them: W, b, guess and least impulses; p = d p', u = u'/d (modes_units.c) */
double modes_unlike(const impact_modes *m);
double modes_unit(const impact_modes *m, int c, double largest);
core_status modes_in_units(const impact_modes *m, core_scratch *s, impact_modes *to, double **d);

/* modes at p, u, F there, and w->residual */
void modes_look(modes_work *w, const double *p, const double *u);

/* which unknowns a contact has beside its normal one, where it is pressed */
static inline int modes_has_across(const modes_contact *k) {
  return k->n - k->t == 2 && k->slips && k->R > 0;
}

static inline int modes_sticks(const modes_contact *k) {
  return k->n > k->t && !k->slips;
}

/* k of d'.u_t + k x = 0 [1/kg] */
static inline double modes_stiffening(const modes_contact *k) {
  return (k->length - k->R) / (k->R * k->rho_t);
}

/* W along the direction of each unknown, from scale[at] on: the scale of its row; returns the next
 */
int modes_scales(const modes_work *w, const modes_contact *k, int at, double *scale);

/* the impulses of contact k that are no unknowns: at its least normal impulse, or none */
void modes_known(const modes_contact *k, double *p);

enum { MODES_SIDE = 3 }; /* unknowns of a contact, at most */

/* what a contact has in a system of blocks (modes_blocks.c) */
typedef struct modes_block {
  int size;                                     /* unknowns */
  double row[MODES_SIDE][MODES_SIDE];           /* in its rows: where the equations look */
  double impulse[MODES_SIDE][MODES_SIDE];       /* in its rows: what the unknowns are */
  double add[MODES_SIDE][MODES_SIDE];           /* by columns: beside row^T W impulse */
  double scale[MODES_SIDE];                     /* of each unknown and its equation */
  double side[2][MODES_SIDE], x[2][MODES_SIDE]; /* right sides, answers */
} modes_block;

/* solves into block[].x; the least pivot of the scaled system, NaN when memory is out. sides = 0:
 * negative where a symmetric system is not positive definite */
double modes_blocks_solve(modes_work *w, modes_block *block, int sides);

/* Whether the rows of these blocks are independent: row^T W impulse is clearly regular, clearly
 * not, or neither is shown (modes_regular.c). Of each block `size` and `row` are read, impulse =
 * row. */
typedef enum modes_regular { MODES_UNCLEAR, MODES_REGULAR, MODES_DEPENDENT } modes_regular;
modes_regular modes_regularity(const impact_modes *m, core_scratch *s, modes_block *block);

/* w->q = the next p, by blocks (modes_sparse.c); w->tiny_pivot as in modes_newton.c; 0: no memory
 */
int modes_sparse_next(modes_work *w, double singular, double proximal);

/* A = L U with row pivots, in place; returns the least |pivot| */
double modes_lu(int n, double *A, int *pivot);
void modes_lu_solve(int n, const double *A, const int *pivot, double *x);

/* one or two contacts in the plane, quickly; 0 when it did not end at a solution */
int modes_pair(const impact_modes *m, double *p, double *u);

/* Newton from w->p; stops where the residual is `enough` (0: rounding) or the steps are used up (up
 * to twice as many while each of them gains a digit) */
core_status modes_newton(modes_work *w, int steps, double enough);

/* w->u and w->residual of w->p */
void modes_look_at_p(modes_work *w);

/* the proximal point method from w->p; after each link `finish` steps of Newton are tried */
core_status modes_proximal(modes_work *w, int finish);

/* many contacts: along the interior path (modes_path.c), w->near set; attempts `from` to `to` - 1,
 * each more closely than the one before it, with so many linear systems each */
core_status modes_path(modes_work *w, int from, int to, int systems);

/* in the plane: the modes that are in doubt near w->p, tried all together (modes_all.c) */
core_status modes_settle(modes_work *w);

/* proj(p - rho u) of one contact, its rows */
void modes_project(modes_contact *k, const double *p, const double *u, double *to);

/* rounds over the contacts, w->near set: memory for them from the scratch; one round, p in place */
typedef struct modes_round {
  modes_work *w;
  double *block; /* W by blocks of MODES_SIDE x MODES_SIDE, one for each entry of near->who */
} modes_round;
core_status modes_round_begin(modes_work *w, modes_round *z);
void modes_round_over(const modes_round *z, double *p);

/* so many of them from w->p on, until the residual is `enough`; plain, and mixed (modes_mix.c),
 * which also ends where contacts seem to wedge */
core_status modes_rounds(modes_work *w, int rounds, double enough);
core_status modes_mix(modes_work *w, int rounds, double enough);

/* p of the problem whose cones have `facets` sides, by Lemke's method: exact in the plane with 2.
 * CORE_NO_SOLUTION: it ended on a ray. */
core_status modes_lemke(modes_work *w, int facets);

#endif
