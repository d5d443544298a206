/* Where models and laws meet, and the only place where they do.
 *
 *   W = J M^-1 J^T,  v- = J u-,  law: p,  u+ = u- + M^-1 J^T p
 *
 * Standing constraints A u = 0 use the constrained inverse in place of M^-1; a singular M is fine
 * as long as the block matrix [M A^T; A 0] is regular.
 */
#ifndef IMPACT_ASSEMBLE_H
#define IMPACT_ASSEMBLE_H

#include "impact/law.h"
#include "model/model.h"

typedef struct impact_setup {
  impact_problem problem; /* what the law sees */
  int nu;
  const int *contacts; /* problem.nc indices into the model's contacts */
  double *J;           /* rows x nu */
  double *Y;           /* nu x rows: M^-1 J^T, with standing constraints */
  double *room;        /* 2 rows: where a caller may put p and v+ */
  double *size;        /* problem.nc: what the gaps are differences of, see model.h */
} impact_setup;

/* Which contacts take part: those in `contacts` (n of them), or, when n < 0, the touching ones
 * (gap <= touch; NaN: 1e-9 of the contact's size); laws with LAW_GAPS get all of them with their
 * gaps. Nothing may touch from inside: a gap below -touch (or 1e-6 of its size, if that is more) is
 * refused. Memory is from s. */
core_status impact_select(const model *m, const double *q, const law *l, double touch,
                          core_scratch *s, int *n, int **contacts, core_error *err);

core_status impact_assemble(const model *m, const double *q, const double *u, int n,
                            const int *contacts, core_scratch *s, impact_setup *setup,
                            core_error *err);

/* impact_select, impact_assemble and impact_touch in one; the short way for models with a single
 * contact, which asks for nothing twice */
core_status impact_meet(const model *m, const double *q, const double *u, const law *l,
                        double touch, core_scratch *s, impact_setup *setup, core_error *err);

/* gaps of at most `touch` count as closed; NaN: 1e-9 of their size */
void impact_touch(impact_setup *setup, double touch);

/* CORE_BAD_INPUT when the law (or mu, if that is a number) has friction and the model ought to have
 * tangential rows, but has none */
core_status impact_check_rows(const model *m, const law *l, double mu, core_error *err);

/* u+ = u- + Y p */
void impact_back(const impact_setup *setup, const double *u, const double *p, double *u_after);

/* The whole way for one state: meet, solve, back. u_after has nu numbers; r->p and
 * r->v are set to scratch memory. */
core_status impact_solve(const model *m, const double *q, const double *u, const law *l,
                         double touch, core_scratch *s, impact_sink *sink, impact_setup *setup,
                         impact_result *r, double *u_after, core_error *err);

/* Independent look at a result: all figures are relative residuals, 0 is perfect. */
typedef struct impact_audit {
  double momentum;    /* |M (u+ - u-) - J^T p| (- A^T multipliers) */
  double velocity;    /* |J u+ - v+| */
  double energy;      /* |T+ - T- - p.(v- + v+)/2| by M and by the waist */
  double ledger;      /* |T- - T+ - lost_restitution - lost_friction - stored| */
  double cone;        /* how far |p_t| exceeds mu p_n, where the law has mu */
  double penetration; /* -min v_n+ of the touching contacts, 0 when all leave */
  double pull;        /* -min p_n, 0 when all push */
} impact_audit;

core_status impact_audit_hit(const model *m, const double *q, const double *u,
                             const double *u_after, const impact_setup *setup, const law *l,
                             const impact_result *r, core_scratch *s, impact_audit *audit);

#endif
