/* What the models share: rows of parameter tables, checks that name the argument, drawing. */
#ifndef MODEL_COMMON_H
#define MODEL_COMMON_H

#include <math.h>

#include "model/model.h"

/* ---- rows of a core_param table; the key is the name of the field ---- */

#define MODEL_NUMBER(type, field, unit, def, min, max, flags, doc)                                 \
  { #field, unit, CORE_NUMBER, offsetof(type, field), 1, def, min, max, flags, doc, 0 }
#define MODEL_INTEGER(type, field, def, min, max, doc)                                             \
  { #field, "1", CORE_INTEGER, offsetof(type, field), 1, def, min, max, 0, doc, 0 }
#define MODEL_VECTOR(type, field, n, unit, def, min, flags, doc)                                   \
  { #field, unit, CORE_VECTOR, offsetof(type, field), n, def, min, INFINITY, flags, doc, 0 }
#define MODEL_LIST(type, field, unit, def, min, max, flags, doc)                                   \
  { #field, unit, CORE_LIST, offsetof(type, field), 1, def, min, max, flags, doc, 0 }

/* one number pulls along the last axis, downwards; a list is the acceleration itself */
#define MODEL_GRAVITY(type, def)                                                                   \
  MODEL_LIST(type, gravity, "m/s^2", def, -INFINITY, INFINITY, 0,                                  \
             "one number pulls down, a list is a vector, 0 turns it off")

#define MODEL_SCHEMA(name, params, type)                                                           \
  { name, params, (int)(sizeof params / sizeof *params), sizeof(type) }

/* ---- checks: each names the model and the argument ---- */

/* a list holds one number for all or n of them: "arm: mass must be one number or 8, got 3" */
core_status model_fits(const model *m, const char *key, const core_list *l, int n, core_error *err);

/* a list holds exactly n numbers: "arm: q must be a list of 8 numbers, got 3" */
core_status model_exactly(const model *m, const char *key, int got, int n, core_error *err);

/* acceleration g[dim] from the parameter `gravity`: one number, or dim of them */
core_status model_gravity(const model *m, const core_list *l, int dim, double *g, core_error *err);

/* n = normal / |normal| for dim numbers; returns |normal| in *length. Fails when it is zero */
core_status model_unit(const model *m, const char *key, int dim, const double *normal, double *n,
                       double *length, core_error *err);

/* no contact may start inside its obstacle by more than rounding of its position */
core_status model_outside(const model *m, const double *q, const double *gap, core_error *err);

/* ---- small things ---- */

static inline int model_absent(double x) {
  return isnan(x);
}

static inline double model_or(double x, double otherwise) {
  return isnan(x) ? otherwise : x;
}

/* ---- rows and waists ---- */

/* fills the rows of contact c: J[j * ld + r] for r < its rows, entries that are not zero only */
typedef void model_rows(const model *m, const double *q, int c, int ld, double *J);

/* J of n contacts (of all when contacts is NULL), their rows one after the other, x nu */
void model_stack_rows(const model *m, model_rows *rows_of, const double *q, int n,
                      const int *contacts, double *J);

/* W = J Y, symmetric to the last bit */
void model_waist(int nu, int rows, const double *J, const double *Y, double *W);

/* Y = M^-1 J^T and W for a diagonal M, given its inverse */
void model_waist_diagonal(int nu, int rows, const double *inverse, const double *J, double *Y,
                          double *W);

/* ---- drawing ---- */

void model_draw_line(model_pen *pen, double x1, double z1, double x2, double z2, const char *part);

/* the line n.x = level around the point nearest to (x, z), `half` to each side */
void model_draw_floor(model_pen *pen, double nx, double nz, double level, double x, double z,
                      double half);

#endif
