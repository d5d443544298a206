/* Models: bodies that can touch something. They know nothing of restitution or friction.
 *
 * A model is a mechanism with coordinates q (nq), speeds u (nu), a mass matrix M(q), forces, and nc
 * points that may touch an obstacle. The contact frame has rows (t1, t2, n), (t, n) or (n), dim of
 * them or each contact its own number; n points away from the obstacle, gap > 0 is open, v = J u,
 * v_n < 0 approaches.
 *
 *   M(q) u' = f(t, q, u) + J^T lambda,   q' = u unless `rates` says otherwise
 *
 * A new model = one file with a const model_type, one row in table.c, one line in CMakeLists.txt.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "core/param.h"
#include "core/scratch.h"
#include "core/status.h"

typedef struct model model;
typedef struct model_type model_type;
typedef struct model_pen model_pen;
typedef struct model_stiffness model_stiffness; /* stiffness.h */

/* sizes of one instance, fixed when it is built */
typedef struct model_shape {
  int nq;           /* coordinates */
  int nu;           /* speeds */
  int nc;           /* points that may touch */
  int dim;          /* rows per contact: 1, 2 or 3; of the one with most where they differ */
  int na;           /* rows of standing constraints A u = 0 */
  const int *first; /* nc + 1: first row of each contact, then their sum; NULL: dim rows each. It
                     * is the instance's, as m->extra is, and lives as long as that */
} model_shape;

/* first row of contact c in J of all contacts; model_first(shape, nc) is the number of rows */
static inline int model_first(const model_shape *shape, int c) {
  return shape->first ? shape->first[c] : c * shape->dim;
}

/* how many rows contact c has: 1, 2 or 3; its normal row is the last */
static inline int model_rows_of(const model_shape *shape, int c) {
  return shape->first ? shape->first[c + 1] - shape->first[c] : shape->dim;
}

static inline int model_normal(const model_shape *shape, int c) {
  return model_first(shape, c + 1) - 1;
}

/* what is small for the gap of contact c: see `size` below */
double model_size(const model *m, const double *q, int c);

/* rows of all contacts */
static inline int model_all_rows(const model_shape *shape) {
  return model_first(shape, shape->nc);
}

/* how a model speaks: a named slice of the speeds (or of the coordinates) */
typedef struct model_group {
  const char *name; /* "velocity", "spin", "rates" */
  const char *unit; /* "m/s", "rad/s" */
  char of;          /* 'q' or 'u' */
  int first, n;     /* slice; n = -1: all from first on */
  const char *doc;
} model_group;

struct model {
  const model_type *type;
  model_shape shape;
  void *params;  /* the type's struct, as described by its schema */
  double *q, *u; /* state the model stands in: nq and nu numbers */
  void *extra;   /* what the type derived from its params (freed by type->destroy) */
};

struct model_type {
  core_schema schema;        /* schema.owner is the model's name */
  const char *doc;           /* one paragraph for help */
  const char *paper;         /* where it comes from: "Jia, section 8.2" */
  const char *example;       /* a Lua expression that builds one */
  const model_group *groups; /* ends with name == NULL */

  /* checks relations between params and fixes the sizes; may fill m->extra (once per instance) */
  core_status (*build)(model *m, core_error *err);
  void (*destroy)(model *m); /* frees m->extra; may be NULL */

  /* state from the params (position, velocity, q, u ...) */
  core_status (*start)(const model *m, double *q, double *u, core_error *err);

  /* column-major; M is nu x nu, J is model_all_rows x nu, gap has nc numbers [m] */
  core_status (*mass)(const model *m, const double *q, double *M);
  core_status (*gap)(const model *m, const double *q, double *gap);
  core_status (*jacobian)(const model *m, const double *q, double *J);
  /* size of what the gap of contact c is the difference of, in the gap's unit: a gap that is some
   * 1e-9 of it may be rounding of positions. NULL: 1 */
  double (*size)(const model *m, const double *q, int c);

  /* right-hand side f of M u' = f: gravity, springs, torques, gyroscopic terms; no contact forces
   */
  core_status (*forces)(const model *m, double t, const double *q, const double *u, double *f);
  double (*potential)(const model *m, const double *q); /* of gravity and springs [J] */

  /* optional, NULL where the general way does */
  core_status (*rates)(const model *m, const double *q, const double *u, double *qdot);
  void (*normalise)(const model *m, double *q); /* quaternions back to unit length */
  /* q back onto constraints of position (loops), u onto A u = 0, redundant ones too; NULL: u by
   * the block matrix */
  core_status (*close)(const model *m, double *q, double *u);
  /* Jdot u: contact acceleration when u' = 0, model_all_rows; NULL: by differences of J */
  core_status (*drift)(const model *m, const double *q, const double *u, double *a);
  core_status (*constraints)(const model *m, const double *q, double *A); /* na x nu */
  /* fast way to J (rows x nu), Y = M^-1 J^T (nu x rows), W = J Y (rows x rows, symmetric to the
   * last bit) and gap (n) of some contacts in one go; rows = those of these contacts, one after the
   * other; contact indices count from 0; NULL: mass + jacobian + Cholesky */
  core_status (*collide)(const model *m, const double *q, int n, const int *contacts,
                         core_scratch *s, double *J, double *Y, double *W, double *gap);
  /* u' = M^-1 (f + h), h generalised extra force or NULL; NULL: forces + mass + Cholesky */
  core_status (*accelerate)(const model *m, double t, const double *q, const double *u,
                            const double *h, core_scratch *s, double *udot);
  /* u^T M u / 2 [J] without the matrix, in time that grows with the bodies; NULL: by the matrix */
  core_status (*kinetic)(const model *m, const double *q, const double *u, double *energy);
  /* Free flight by t, exactly, without extra forces; for models whose J_n and u' are the same at
   * all places and speeds, so that gaps move by parabolas. NULL: by integration. */
  void (*coast)(const model *m, double t, const double *q, const double *u, double *q_after,
                double *u_after);
  /* A bound on how far each gap moves while every coordinate changes by at most dq (nq numbers),
   * from whatever place: nc [m]. Steps that cannot reach a gap are not searched. NULL: not known.
   */
  void (*sway)(const model *m, const double *dq, double *most);
  /* drawing: lines, circles and points in the picture plane, see model_pen */
  void (*outline)(const model *m, const double *q, model_pen *pen);
  /* power of the forces that are not in `potential` (dampers, torques) [W]; NULL: zero */
  double (*power)(const model *m, double t, const double *q, const double *u);
  /* Newton's method of implicit steps in time that grows with the bodies; NULL: by full matrices */
  const model_stiffness *stiffness;
  int wants_tangents; /* 1: with one row per contact it cannot meet friction: rows t are missing */
};

/* what an outline draws with; coordinates in metres, x to the right and z up (or y up) */
struct model_pen {
  void *self;
  void (*line)(void *self, int n, const double *xz, const char *part); /* n points, polyline */
  void (*circle)(void *self, double x, double z, double r, const char *part);
  void (*point)(void *self, double x, double z, const char *part); /* joints, contact points */
};

/* all models, in the order of the documentation; ends with NULL */
extern const model_type *const model_table[];
const model_type *model_find(const char *name);

/* Life of an instance. `params` is a struct described by type->schema; it is copied. */
core_status model_create(const model_type *type, const void *params, model **m, core_error *err);
core_status model_copy(const model *from, model **m); /* same params and state */
void model_free(model *m);
/* Models in one piece of memory that somebody else owns, for loops that make many: the struct, its
 * params and its state. model_piece is how many bytes a changed copy of m takes, 0 when it cannot
 * be had so (the type derives things, or a list is long). model_place makes one with the params
 * copied; change them, then model_settle builds and starts it. CORE_UNSUPPORTED: it has become
 * another size, or a list is long: free its params (core_schema_free) and take model_create. */
size_t model_piece(const model *m);
model *model_place(const model *m, void *piece);
core_status model_settle(model *made, const model *like, core_error *err);
core_status model_restart(model *made, const model *like, core_error *err); /* CORE_SPEEDs alone */

/* builds and starts again after its params were changed in place; its sizes may not change */
core_status model_rebuild(model *m, core_error *err);

/* general ways, which use the type's fast hooks where it has them */
core_status model_accelerate(const model *m, double t, const double *q, const double *u,
                             const double *h, core_scratch *s, double *udot);
/* K = [M A^T; A 0], (nu + na) x (nu + na), with the standing constraints of the model */
core_status model_block(const model *m, const double *q, core_scratch *s, double *K);
core_status model_rates(const model *m, const double *q, const double *u, double *qdot);
core_status model_drift(const model *m, const double *q, const double *u, core_scratch *s,
                        double *a);
core_status model_kinetic(const model *m, const double *q, const double *u, core_scratch *s,
                          double *energy);

#endif
