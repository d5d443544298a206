/* Random mechanisms for tests. */
#ifndef MECHANISM_HELP_H
#define MECHANISM_HELP_H

#include "model/mechanism.h"
#include "model_help.h"

/* ---- a random declaration ---- */

enum { MOST = 48, PARTS = 120 };

typedef struct machine {
  int plane, bodies, parts, contacts, springs;
  mechanism_body body[MOST];
  char name[MOST][16], part_name[PARTS][16];
  mechanism_part part[PARTS];
  mechanism_link contact[PARTS], spring[4];
  mechanism *definition;
  model *m;
} machine;

static int below(int n) {
  int k = (int)((any() + 1) / 2 * n);
  return k < n ? k : n - 1;
}

static int add_part(machine *k, int body, mechanism_shape shape) {
  int i = k->parts++;
  snprintf(k->part_name[i], sizeof k->part_name[i], "p%d", i);
  k->part[i] = (mechanism_part){k->part_name[i], body, shape};
  return i;
}

static mechanism_joint any_joint(int plane, int parent) {
  static const mechanism_joint flat[] = {MECHANISM_HINGE, MECHANISM_SLIDE, MECHANISM_HINGE,
                                         MECHANISM_FIXED, MECHANISM_FREE};
  static const mechanism_joint space[] = {MECHANISM_HINGE, MECHANISM_SLIDE, MECHANISM_BALL,
                                          MECHANISM_FIXED, MECHANISM_FREE};
  return (plane ? flat : space)[below(parent < 0 ? 5 : 4)];
}

static inline void declare(machine *k, int plane, int bodies) {
  *k = (machine){.plane = plane, .bodies = bodies};
  int floor = add_part(k, -1, MECHANISM_PLANE), round[MOST];
  for (int i = 0; i < bodies; i++) {
    int parent = below(i + 1) - 1;
    snprintf(k->name[i], sizeof k->name[i], "b%d", i);
    k->body[i] = (mechanism_body){k->name[i], parent, any_joint(plane, parent), 0, 0};
    if (i == 0)
      k->body[i].joint = plane ? MECHANISM_FREE : below(2) ? MECHANISM_FREE : MECHANISM_BALL;
    round[i] = add_part(k, i, (mechanism_shape)below(3));
    if (k->contacts < 5) k->contact[k->contacts++] = (mechanism_link){NULL, round[i], floor};
  }
  for (int i = 1; i < bodies && i < 4; i++) {
    k->contact[k->contacts++] = (mechanism_link){NULL, round[i], round[0]};
    int face = add_part(k, 0, MECHANISM_PLANE);
    k->contact[k->contacts++] = (mechanism_link){NULL, round[i], face};
    k->spring[k->springs] = (mechanism_link){"s0", round[i], round[0]};
    if (i == 1) k->springs++;
  }
}

static int help_armature; /* 1: joints get an armature too */

/* every number of the parameters at random, what must be positive positive */
static void fill(const core_schema *schema, void *params) {
  core_error err = {0};
  for (int i = 0; i < schema->n; i++) {
    const core_param *p = &schema->params[i];
    size_t length = strlen(p->key);
    if (length > 2 && (!strcmp(p->key + length - 2, ".q") || !strcmp(p->key + length - 2, ".u")))
      continue;
    if (strstr(p->key, ".armature") && !help_armature) continue;
    double x[7] = {0};
    int inertia = strstr(p->key, ".inertia") != NULL, mass = strstr(p->key, ".mass") != NULL;
    for (int j = 0; j < p->n; j++) x[j] = any();
    if (p->min == 0)
      for (int j = 0; j < p->n; j++) x[j] = fabs(x[j]);
    if (mass) x[0] += 0.5;
    if (inertia && p->n == 1) x[0] = 0.2 + fabs(x[0]);
    if (inertia && p->n == 6) { /* sum of squares of places: the inertia of some body */
      double s[3][3] = {{0}}, tr = 0;
      for (int c = 0; c < 4; c++) {
        double d[3] = {any(), any(), any()};
        for (int a = 0; a < 3; a++)
          for (int b = 0; b < 3; b++) s[a][b] += d[a] * d[b] / 4;
      }
      for (int a = 0; a < 3; a++) tr += s[a][a];
      double I[6] = {tr - s[0][0], -s[0][1], -s[0][2], tr - s[1][1], -s[1][2], tr - s[2][2]};
      memcpy(x, I, sizeof I);
    }
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, core_param_set(schema, p, params, p->n, x, &err),
                                  err.text);
  }
}

static inline double value(const model *m, const char *owner, const char *field, int i) {
  char key[64];
  snprintf(key, sizeof key, "%s%s%s", owner, *owner && *field ? "." : "", field);
  const core_param *p = core_schema_find(&m->type->schema, key);
  return p ? ((const double *)((const char *)m->params + p->at))[i] : 0;
}

/* high above the floor: gaps may be anything, so the floor is put far down */
static void make_with(machine *k, void (*adjust)(const core_schema *schema, void *params)) {
  mechanism_spec spec = {"machine", k->plane, k->bodies,  k->parts,  k->contacts, k->springs, 0,
                         k->body,   k->part,  k->contact, k->spring, NULL,        0};
  core_error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, mechanism_define(&spec, &k->definition, &err), err.text);
  const core_schema *schema = &mechanism_type(k->definition)->schema;
  void *params = malloc(schema->size);
  core_schema_defaults(schema, params);
  fill(schema, params);
  /* away from every face, small radii */
  for (int i = 0; i < schema->n; i++) {
    double *x = (double *)((char *)params + schema->params[i].at);
    if (strstr(schema->params[i].key, ".radius")) *x *= 1e-3;
    if (strstr(schema->params[i].key, ".point")) x[k->plane ? 1 : 2] -= 60;
    if (strstr(schema->params[i].key, ".normal")) x[k->plane ? 1 : 2] = 4;
  }
  if (adjust) adjust(schema, params);
  if (model_create(mechanism_type(k->definition), params, &k->m, &err)) {
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "inside"), err.text);
  }
  core_schema_free(schema, params);
  free(params);
}

static inline void make(machine *k) {
  make_with(k, NULL);
}

static void unmake(machine *k) {
  model_free(k->m);
  mechanism_free(k->definition);
}

#endif
