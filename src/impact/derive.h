/* Derivatives of an impact: how p, and with it u+, changes with the problem and the law.
 *
 * A law is a smooth map on each sequence of events (who opens, sticks, slips, in which order).
 * Where that sequence is about to change there is a tie, and no derivative: it is said. By which
 * route a derivative came, and how good it is, is part of the answer:
 *
 *   closed form   one rigid contact with rows (n) or (t, n): the straight pieces of its path, each
 *                 event with its own derivative
 *   active set    newton, plastic, moreau, glocker: the linear system of the contacts that press
 *   events        one rigid contact in space, compliant and vibration: the series of their path
 *                 again, event by event, each with its own saltation
 *   sequential    the routes of its single impacts, one after the other: the least exact one counts
 *   differences   every other law: Richardson's, order 8, all points on one sequence of events
 */
#ifndef IMPACT_DERIVE_H
#define IMPACT_DERIVE_H

#include "impact/assemble.h"

typedef enum impact_route {
  IMPACT_CLOSED_FORM,
  IMPACT_ACTIVE_SET,
  IMPACT_BY_EVENTS,
  IMPACT_DIFFERENCES
} impact_route;
const char *impact_route_word(impact_route route);

/* A direction in which the problem or the law changes. */
typedef struct impact_direction {
  const double *W;         /* rows x rows, symmetric, or NULL: does not change */
  const double *v;         /* rows, or NULL */
  const double *gap;       /* nc, or NULL; gaps that are zero stay zero */
  const law *of;           /* a parameter changes: of this law or of one inside it; NULL: none */
  const core_param *param; /* CORE_NUMBER or CORE_LIST */
  int at;                  /* its entry in a list; -1: all of them */
} impact_direction;

typedef struct impact_derived {
  impact_route route; /* the least exact one that was used */
  double error;       /* of differences, relative to the largest entry; 0 where exact */
  double size;        /* of dp by differences, what its error is a part of [N s per unit] */
  int tie;            /* the sequence of events is about to change: no derivative */
  int exact_model, differenced_model; /* how M and J of the model were derived: 1, or both */
} impact_derived;

/* dp, rows numbers, along one direction; r is the law's answer to pr. With a tie dp is NaN. */
core_status impact_derive(const law *l, const impact_problem *pr, const impact_result *r,
                          const impact_direction *d, core_scratch *s, double *dp,
                          impact_derived *how, core_error *err);

/* ---- a whole impact ---- */

/* a parameter by name: of the model, of the law, or of the law inside */
typedef struct impact_parameter {
  const model *m; /* the model's, or NULL */
  const law *l;   /* the law's, or NULL */
  const core_param *param;
  int at; /* entry of a list or vector; -1: all of them (its one number) */
} impact_parameter;

/* The state before an impact: who takes part, and what the law said. */
typedef struct impact_point {
  const model *m;
  const law *l;
  const double *q, *u; /* before */
  impact_setup setup;  /* assembled there */
  impact_result r;
} impact_point;

/* D is nu x (2 nu + n): d(u+) / d(xi, u-, parameters), where q changes by rates(q) xi, which is q
 * itself when a model has no rates of its own. */
core_status impact_derive_all(const impact_point *at, int n, const impact_parameter *params,
                              core_scratch *s, double *D, impact_derived *how, core_error *err);

/* ---- routes; CORE_UNSUPPORTED: not for this problem, use another ---- */

core_status impact_derive_planar(const law *l, const impact_problem *pr, const impact_direction *d,
                                 core_scratch *s, double *dp, int *tie);
core_status impact_derive_space(const law *l, const impact_problem *pr, const impact_direction *d,
                                core_scratch *s, double *dp, int *tie);
core_status impact_derive_active(const law *l, const impact_problem *pr, const impact_result *r,
                                 const impact_direction *d, core_scratch *s, double *dp, int *tie);

core_status impact_derive_springs(const law *l, const impact_problem *pr, const impact_direction *d,
                                  core_scratch *s, double *dp, int *tie);
core_status impact_derive_chain(const law *l, const impact_problem *pr, const impact_direction *d,
                                core_scratch *s, double *dp, impact_derived *how);

/* Units of speeds and of contact rows, and the length over which the model changes. */
typedef struct impact_size {
  double *speed, *row; /* nu, rows */
  double length;       /* [m] */
} impact_size;

core_status impact_derive_sizes(const impact_point *at, core_scratch *s, impact_size *size);
char impact_derive_unit(const model *m, int i); /* of speed i: r for rad/s, m for m/s, else 0 */
/* how far coordinate i moves a contact as far as it is from where all are zero; 0: not known */
double impact_derive_stride(const impact_point *at, int i);

/* dJ, dY, dW, dgap with speed i's place, which q moves along by dq = rates(q) e_i */
core_status impact_derive_joint(const impact_point *at, const impact_size *size, int i,
                                const double *dq, core_scratch *s, double *d);

/* units of impulses of single contacts, for each row: what is `size` of an answer by differences */
void impact_derive_units(const impact_problem *pr, double *unit);

/* Richardson's, for every law: the last resort, and what tests compare the others with */
core_status impact_derive_differences(const law *l, const impact_problem *pr,
                                      const impact_direction *d, core_scratch *s, double *dp,
                                      impact_derived *how, core_error *err);

/* value of a parameter for contact c, NaN when the law has none of that name; and how it changes */
double impact_value(const law *l, const char *key, int c);
double impact_change(const law *l, const impact_direction *d, const char *key, int c);

#endif
