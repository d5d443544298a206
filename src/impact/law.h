/* Laws: from the waist's W and v- to an impulse. They know nothing of bodies.
 *
 * A new law = one file in laws/ with a const law_type and its equations in the comment at its top,
 * one row in law_table.c, one line in laws/CMakeLists.txt. What only one law needs stands in
 * laws/<its name>/.
 */
#ifndef IMPACT_LAW_H
#define IMPACT_LAW_H

#include "core/param.h"
#include "core/scratch.h"
#include "impact/problem.h"
#include "impact/sink.h"

typedef struct law_type law_type;

typedef struct law {
  const law_type *type;
  void *params;      /* the type's struct, as described by its schema */
  void *extra;       /* Lua functions, nested laws: owned by type->destroy */
  int lists;         /* parameters that can hold one number per contact */
  struct law *owned; /* the inner law, where it was made with this one (law_part); freed with it */
} law;

/* what a law can take and give */
enum {
  LAW_MANY = 1,      /* several contacts at once */
  LAW_GAPS = 2,      /* contacts that are still open may close during the impact */
  LAW_TIME = 4,      /* its path runs in time, with deflections and forces */
  LAW_FRICTION = 8,  /* tangential impulses */
  LAW_MAY_GAIN = 16, /* can create energy: flagged when it does */
  LAW_DIM1 = 32,     /* takes contacts with one row */
  LAW_DIM2 = 64,     /* with two */
  LAW_DIM3 = 128,    /* with three */
  LAW_ANY_DIM = 32 + 64 + 128,
  LAW_SCRIPT = 256, /* runs a function of the script: asked again, it may answer otherwise */
  LAW_MIXED = 512   /* takes contacts with different numbers of rows in one problem */
};

struct law_type {
  core_schema schema; /* schema.owner is "law.<name>" */
  const char *name;   /* "compliant" */
  const char *doc, *paper, *example;
  unsigned flags;
  core_status (*build)(law *l, core_error *err); /* relations between params; may be NULL */
  void (*destroy)(law *l);                       /* frees l->extra; may be NULL */
  /* never called with a problem that its flags exclude; r->p and r->v are the caller's memory.
   * sink may be NULL, err may be NULL. */
  core_status (*solve)(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                       impact_result *r, core_error *err);
  /* which of its parameters tell what others must know of it; NULL: it has none */
  const core_param *friction;        /* mu while sliding */
  const core_param *static_friction; /* mu that holds a stick */
  const core_param *inner;           /* CORE_OBJECT: the law of each single impact inside */
};

extern const law_type *const law_table[]; /* ends with NULL */
const law_type *law_find(const char *name);

core_status law_create(const law_type *type, const void *params, law **l, core_error *err);
void law_free(law *l);
core_status law_rebuild(law *l, core_error *err); /* after its params were changed in place */
/* Laws in one piece of memory that somebody else owns, as models are (model/model.h): law_piece is
 * how many bytes a changed copy takes, 0 when it cannot be had so (the type owns things, or a list
 * is long). law_place makes one with the params copied; change them, then law_settle builds it.
 * CORE_UNSUPPORTED: a list is long now: free its params (core_schema_free) and take law_create. */
size_t law_piece(const law *l);
law *law_place(const law *l, void *piece);
core_status law_settle(law *made, core_error *err);

/* checks the problem against the law's flags and list lengths, then solves: the one entrance */
core_status law_solve(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                      impact_result *r, core_error *err);

/* the most numbers that a list of the law, or of one inside it, has: 1 without any */
int law_longest_list(const law *l);

/* The law for some contacts of a model that has nc of them: its lists with nc numbers, and those of
 * laws inside it, cut down to ids[0] ... ids[n - 1]. */
core_status law_part(const law *l, int nc, int n, const int *ids, law **part, core_error *err);

/* the law of each single impact inside a law, or the law itself */
const law *law_innermost(const law *l);

/* the law that `sequential` takes for contact c, the one it was given for c = -1; NULL: another law
 */
const law *law_sequential_inner(const law *l, int c);

/* The cone problem that law.moreau solves for these contacts, for whoever asks whether its answer
 * is the only one (impact/modes.h); memory from s. 0: the law is another. */
struct impact_modes;
core_status law_moreau_modes(const law *l, const impact_problem *pr, core_scratch *s,
                             struct impact_modes *m);

/* its answer is a function of the problem and its parameters alone: to solve again is to replay */
int law_repeats(const law *l);

/* coefficient of friction of contact c: while sliding, and the largest one the law allows (that
 * which holds a stick, if it has its own); NaN when the law has none */
double law_sliding_friction(const law *l, int c);
double law_friction_limit(const law *l, int c);

#endif
