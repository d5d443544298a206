/* Every model with every law that takes its contacts: momentum, velocity, energy by two routes, the
 * ledger, the cone along the whole path, penetration, dissipation, scaling, mirrors, masses. */
#include "conformance.h"
#include "mixed_help.h"
#include "model/mechanism.h"

static int per_pair = 60; /* random cases of each pair */

/* what the promise is: closed forms and integrated laws */
static double tolerance(const law *l) {
  return l->type->flags & LAW_TIME ? 1e-10 : 1e-11;
}

/* ---- the path ---- */

typedef struct watcher {
  trial *t;
  double mu[MOST_CONTACTS];
  double p[MOST_ROWS]; /* at the last point */
  double size;         /* of the whole impulse */
  double outside;      /* worst step out of the cone */
  double mismatch;     /* worst v - (v- + W p) */
} watcher;

/* a step of the impulse lies in the friction cone, because that is convex; v belongs to p */
static void watch(void *self, const impact_sample *s) {
  watcher *w = self;
  const impact_problem *pr = &w->t->setup.problem;
  for (int c = 0; c < pr->nc; c++) {
    double tangential = 0;
    int n = impact_normal(pr, c);
    for (int i = impact_first(pr, c); i < n; i++) tangential = hypot(tangential, s->p[i] - w->p[i]);
    double normal = s->p[n] - w->p[n];
    w->outside = fmax(w->outside, -normal);
    if (!isnan(w->mu[c])) w->outside = fmax(w->outside, tangential - w->mu[c] * normal);
  }
  for (int i = 0; i < pr->rows; i++) {
    double v = pr->v[i];
    for (int j = 0; j < pr->rows; j++) v += pr->W[j * pr->rows + i] * s->p[j];
    w->mismatch = fmax(w->mismatch, fabs(v - s->v[i]));
  }
  memcpy(w->p, s->p, (size_t)pr->rows * sizeof *w->p);
}

static void watch_event(void *self, const impact_event *e) {
  watch(self, &e->sample);
}

static void check_path(trial *t, const outcome *o) {
  const impact_problem *pr = &t->setup.problem;
  watcher w = {.t = t, .size = largest(pr->rows, o->p)};
  for (int c = 0; c < pr->nc; c++) w.mu[c] = law_friction_limit(t->l, c);
  impact_sink sink = {&w, 8, 0, watch, watch_event};
  outcome again = solve_problem(t, pr, &sink);
  double difference[MOST_ROWS];
  for (int i = 0; i < pr->rows; i++) difference[i] = again.p[i] - o->p[i];
  demand(t, "the same answer with a sink", largest(pr->rows, difference), 1e-13 * w.size);
  for (int i = 0; i < pr->rows; i++) difference[i] = w.p[i] - o->p[i];
  demand(t, "the end of the path", largest(pr->rows, difference), tolerance(t->l) * w.size);
  double v_size = largest(pr->rows, pr->v) + largest(pr->rows, o->v);
  demand(t, "the cone along the path", w.outside, tolerance(t->l) * w.size);
  demand(t, "v = v- + W p along the path", w.mismatch, tolerance(t->l) * v_size);
}

/* ---- one result ---- */

static void check_audit(trial *t, outcome *o) {
  double after[MOST_SPEEDS], M[MOST_SPEEDS * MOST_SPEEDS], tol = tolerance(t->l);
  impact_audit a;
  o->r.p = o->p, o->r.v = o->v;
  impact_back(&t->setup, t->u, o->p, after);
  TEST_ASSERT_EQUAL_INT(
      CORE_OK, impact_audit_hit(t->m, t->q, t->u, after, &t->setup, t->l, &o->r, &t->s, &a));
  demand(t, "momentum", a.momentum, 1e-11);
  demand(t, "J u+ = v+", a.velocity, 1e-10);
  demand(t, "energy by two routes", a.energy, 1e-11);
  demand(t, "the ledger", a.ledger, tol);
  demand(t, "the cone", a.cone, tol);
  demand(t, "penetration", a.penetration, tol);
  demand(t, "pull", a.pull, tol);
  t->m->type->mass(t->m, t->q, M);
  double before = kinetic(M, t->m->shape.nu, t->u), now = kinetic(M, t->m->shape.nu, after);
  if (o->r.flags & IMPACT_GAINS_ENERGY) {
    if (!(t->l->type->flags & LAW_MAY_GAIN)) demand(t, "a gain that no flag announces", 1, 0);
    if (now <= before) demand(t, "the flag `gains energy` without a gain", 1, 0);
  } else {
    demand(t, "created energy", (now - before) / before, 1e-11);
  }
}

static void check_velocity(const trial *t, const outcome *o) {
  const impact_problem *pr = &t->setup.problem;
  double error[MOST_ROWS], size = largest(pr->rows, pr->v) + largest(pr->rows, o->v);
  for (int i = 0; i < pr->rows; i++) {
    error[i] = pr->v[i] - o->v[i];
    for (int j = 0; j < pr->rows; j++) error[i] += pr->W[j * pr->rows + i] * o->p[j];
    size = fmax(size, fabs(pr->W[i * pr->rows + i] * o->p[i]));
  }
  demand(t, "v+ = v- + W p", largest(pr->rows, error), tolerance(t->l) * size);
}

/* ---- the same case in other clothes ---- */

/* How far o is from the answer of another problem, whose impulses are factor[i] times as large and
 * whose velocities v_factor[i] times. Factors of +-4^n change no rounding at
 * all (`exact`): nothing is excused. Otherwise, where rows depend on each other only the velocities
 * are unique, and with friction not even these: law.moreau on the rimless wheel has several
 * answers, and which one is found may depend on rounding. */
static void check_same(trial *t, const char *what, const impact_problem *other, const outcome *o,
                       const double *factor, const double *v_factor, int exact) {
  int rows = other->rows;
  outcome x = solve_problem(t, other, NULL);
  if (x.status == CORE_LIMIT && !exact) return; /* bounces that only just end within the limit */
  if (x.status != o->status) {
    char text[120];
    snprintf(text, sizeof text, "%s: status %s instead of %s", what, core_status_word(x.status),
             core_status_word(o->status));
    demand(t, text, 1, 0);
  }
  double error[MOST_ROWS];
  int redundant = !exact && ((o->r.flags & IMPACT_REDUNDANT) || rows > t->m->shape.nu);
  if (redundant && law_friction_limit(t->l, 0) > 0) return;
  for (int i = 0; i < rows; i++)
    error[i] = redundant ? x.v[i] / v_factor[i] - o->v[i] : x.p[i] / factor[i] - o->p[i];
  double size =
      redundant ? largest(rows, o->v) + largest(rows, t->setup.problem.v) : largest(rows, o->p);
  demand(t, what, largest(rows, error), 100 * tolerance(t->l) * size);
}

/* Theorem 3 of paper Y and the like: s v gives s p; s times the mass gives s times the impulse */
static void check_scale(trial *t, const outcome *o, double faster, double heavier, int exact) {
  const impact_problem *pr = &t->setup.problem;
  double v[MOST_ROWS], W[MOST_ROWS * MOST_ROWS], factor[MOST_ROWS], v_factor[MOST_ROWS];
  impact_problem other = *pr;
  for (int i = 0; i < pr->rows; i++) {
    v[i] = faster * pr->v[i];
    v_factor[i] = faster, factor[i] = faster * heavier;
  }
  for (int i = 0; i < pr->rows * pr->rows; i++) W[i] = pr->W[i] / heavier;
  other.v = v, other.W = W;
  check_same(t, faster == 1 ? "scaling of masses" : "scaling of velocities", &other, o, factor,
             v_factor, exact);
}

static void check_scaling(trial *t, const outcome *o) {
  check_scale(t, o, 3.7, 1, 0);
  check_scale(t, o, 1, 8, 0);
  check_scale(t, o, 4, 1, 1);
  check_scale(t, o, 1, 0x1p-20, 1);
}

/* t1 -> -t1 at every contact */
static void check_mirror(trial *t, const outcome *o) {
  const impact_problem *pr = &t->setup.problem;
  double v[MOST_ROWS], W[MOST_ROWS * MOST_ROWS], sign[MOST_ROWS];
  int n = pr->rows;
  if (pr->dim == 1) return;
  for (int i = 0; i < n; i++) {
    sign[i] = 1;
    for (int c = 0; c < pr->nc; c++)
      if (i == impact_first(pr, c) && impact_rows_of(pr, c) > 1) sign[i] = -1;
    v[i] = sign[i] * pr->v[i];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) W[j * n + i] = sign[i] * sign[j] * pr->W[j * n + i];
  impact_problem mirrored = {
      .nc = pr->nc, .dim = pr->dim, .rows = n, .W = W, .v = v, .gap = pr->gap};
  mirrored.first = pr->first;
  check_same(t, "the mirror image", &mirrored, o, sign, sign, 1);
}

/* ---- every pair ---- */

static int takes(const law_type *l, const model *m) {
  if (m->shape.nc > 1 && !(l->flags & LAW_MANY)) return 0;
  if (m->shape.first && !(l->flags & LAW_MIXED)) return 0;
  return (l->flags & (LAW_DIM1 << (m->shape.dim - 1))) != 0;
}

/* what became of the cases of a pair, and of all */
enum { IMPACTS, NO_IMPACT, JAM, LIMIT, UNSUPPORTED, SINGULAR_PLACE, FATES };
static const char *const fate_words[FATES] = {"impacts",   "without impact",
                                              "jams",      "at the limit of events",
                                              "not taken", "at singular places"};
static long total[FATES];

static int fate_of(core_status status) {
  switch (status) {
    case CORE_JAM: return JAM;
    case CORE_LIMIT: return LIMIT;
    case CORE_UNSUPPORTED: return UNSUPPORTED;
    default: return IMPACTS;
  }
}

/* a state that approaches with some contact where it can: u or -u */
static core_status assemble(trial *t) {
  static int all[MOST_CONTACTS];
  core_error err = {0};
  core_status status = CORE_OK;
  for (int c = 0; c < t->m->shape.nc; c++) all[c] = c;
  for (int turn = 0; turn < 2; turn++) {
    status = impact_assemble(t->m, t->q, t->u, t->m->shape.nc, all, &t->s, &t->setup, &err);
    if (status) return status;
    impact_touch(&t->setup, INFINITY);
    const impact_problem *pr = &t->setup.problem;
    for (int c = 0; c < pr->nc; c++)
      if (pr->v[impact_normal(pr, c)] < 0) return CORE_OK;
    for (int i = 0; i < t->m->shape.nu; i++) t->u[i] = -t->u[i];
  }
  return status;
}

/* a jam is an answer too, and some laws refuse friction with many contacts */
static int check_case(trial *t) {
  if (!random_state(t)) return SINGULAR_PLACE;
  obey_constraints(t->m, t->q, t->u);
  if (assemble(t)) return SINGULAR_PLACE;
  outcome o = solve_problem(t, &t->setup.problem, NULL);
  if (fate_of(o.status) != IMPACTS) return fate_of(o.status);
  if (!core_status_good(o.status)) {
    char text[320];
    print_case(t);
    snprintf(text, sizeof text, "%s x %s: %s %s", t->m->type->schema.owner,
             t->l->type->schema.owner, core_status_word(o.status), o.err.text);
    TEST_FAIL_MESSAGE(text);
  }
  check_velocity(t, &o);
  if (o.status == CORE_NO_IMPACT) {
    demand(t, "an impulse without an impact", largest(t->setup.problem.rows, o.p), 0);
    return NO_IMPACT;
  }
  check_audit(t, &o);
  check_path(t, &o);
  check_scaling(t, &o);
  check_mirror(t, &o);
  return IMPACTS;
}

/* Counts what became of the cases. A law that refuses friction here is tried without. */
static void check_pair(const model *m, const law_type *type, int cases, long fates[FATES]) {
  trial t = {.m = m, .seed = 1 + (uint64_t)(type->name[0] + m->shape.nu)};
  int rough = 1;
  core_scratch_init(&t.s);
  for (int i = 0; i < cases; i++) {
    double mu = i % 3 && rough ? between(&t.seed, 0, 1) : 0, e = between(&t.seed, 0, 1);
    law *inner = random_law(law_find("stronge"), &t.seed, e, mu, NULL);
    law *l = random_law(type, &t.seed, e, mu, inner);
    core_mark mark = core_scratch_mark(&t.s);
    t.l = l;
    int fate = check_case(&t);
    fates[fate]++;
    if (fate == UNSUPPORTED) rough = 0;
    core_scratch_release(&t.s, mark);
    law_free(l);
    law_free(inner);
  }
  core_scratch_free(&t.s);
}

static void describe(const long fates[FATES], char *text, size_t size) {
  int n = 0;
  for (int k = 0; k < FATES; k++)
    if (fates[k] && (size_t)n < size)
      n += snprintf(text + n, size - (size_t)n, "%s%ld %s", n ? ", " : "", fates[k], fate_words[k]);
}

static void every_law_on_model(const model *m) {
  const model_type *type = m->type;
  TEST_ASSERT_TRUE_MESSAGE(m->shape.nq <= MOST_SPEEDS && m->shape.nc <= MOST_CONTACTS,
                           type->schema.owner);
  for (int j = 0; law_table[j]; j++) {
    if (!takes(law_table[j], m)) continue;
    long fates[FATES] = {0};
    check_pair(m, law_table[j], per_pair, fates);
    char text[320], story[200];
    describe(fates, story, sizeof story);
    snprintf(text, sizeof text, "%s x %s: fewer than half were impacts: %s", type->schema.owner,
             law_table[j]->schema.owner, story);
    TEST_ASSERT_TRUE_MESSAGE(2 * fates[IMPACTS] >= per_pair, text);
    for (int k = 0; k < FATES; k++) total[k] += fates[k];
  }
}

static void every_law_on(const model_type *type) {
  model *m = default_model(type);
  every_law_on_model(m);
  model_free(m);
}

static void every_law_on_every_model_it_takes(void) {
  for (int i = 0; model_table[i]; i++) every_law_on(model_table[i]);
}

/* feet with two rows and a stop with one */
static void every_law_on_contacts_that_differ_in_rows(void) {
  every_law_on(&mixed_type);
}

/* a declared machine: a trunk, two legs, feet over a floor, the stop of a hip */
static void every_law_on_a_mechanism(void) {
  static const mechanism_body body[] = {{"trunk", -1, MECHANISM_FREE, 0, 0},
                                        {"left", 0, MECHANISM_HINGE, 1, 0},
                                        {"right", 0, MECHANISM_HINGE, 0, 0}};
  static const mechanism_part part[] = {{"left.foot", 1, MECHANISM_POINT},
                                        {"right.foot", 2, MECHANISM_POINT},
                                        {"floor", -1, MECHANISM_PLANE}};
  static const mechanism_link contact[] = {{"", 0, 2}, {"", 1, 2}};
  static const struct {
    const char *key;
    int n;
    double x[3];
  } numbers[] = {
      {"trunk.mass", 1, {5}},      {"trunk.inertia", 1, {0.4}},    {"left.mass", 1, {1}},
      {"left.inertia", 1, {0.03}}, {"right.mass", 1, {1.5}},       {"right.inertia", 1, {0.04}},
      {"left.com", 2, {0, -0.3}},  {"right.com", 2, {0.05, -0.3}}, {"left.at", 2, {-0.2, 0}},
      {"right.at", 2, {0.2, 0}},   {"left.foot", 2, {0, -0.6}},    {"right.foot", 2, {0, -0.6}},
      {"floor.point", 2, {0, -3}}, {"floor.normal", 2, {0, 1}},    {"left.lower", 1, {-4}},
      {"gravity", 2, {0, -9.81}}};
  const mechanism_spec spec = {"biped", 1, 3, 3, 2, 0, 0, body, part, contact, NULL, NULL, 0};
  mechanism *d;
  model *m = NULL;
  core_error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, mechanism_define(&spec, &d, &err), err.text);
  const core_schema *schema = &mechanism_type(d)->schema;
  void *params = calloc(1, schema->size);
  core_schema_defaults(schema, params);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_param_set(schema, core_schema_find(schema, numbers[i].key),
                                                  params, numbers[i].n, numbers[i].x, &err));
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, model_create(mechanism_type(d), params, &m, &err),
                                err.text);
  every_law_on_model(m);
  model_free(m);
  core_schema_free(schema, params);
  free(params);
  mechanism_free(d);
}

/* ---- agreement of the endings ---- */

static law *law_with(const char *name, double e) {
  const law_type *type = law_find(name);
  void *params = calloc(1, type->schema.size);
  core_error err = {0};
  law *l = NULL;
  core_schema_defaults(&type->schema, params);
  set_param(&type->schema, params, "e", e);
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, law_create(type, params, &l, &err), err.text);
  core_schema_free(&type->schema, params);
  free(params);
  return l;
}

static void without_friction_all_endings_agree(void) {
  static const char *const names[] = {"newton", "poisson", "stronge", "compliant"};
  for (int i = 0; model_table[i]; i++) {
    model *m = default_model(model_table[i]);
    for (int k = 0; k < 40 && m->shape.nc == 1; k++) {
      trial t = {.m = m, .seed = (uint64_t)(1000 * i + k)};
      core_scratch_init(&t.s);
      double e = k % 4 ? between(&t.seed, 0, 1) : k % 8 / 4, first = NAN;
      if (!random_state(&t)) continue;
      for (int j = 0; j < 4; j++) {
        if (!law_find(names[j]) || !takes(law_find(names[j]), m)) continue;
        law *l = law_with(names[j], e);
        t.l = l;
        outcome o = solve_problem(&t, &t.setup.problem, NULL);
        double p = o.p[m->shape.dim - 1];
        if (j == 0) first = p;
        demand(&t, "the frictionless impulse", fabs(p - first), 1e-10 * fabs(first));
        law_free(l);
      }
      core_scratch_free(&t.s);
    }
    model_free(m);
  }
}

void setUp(void) {
}

void tearDown(void) {
}

int main(int argc, char **argv) {
  if (argc > 1) per_pair = atoi(argv[1]);
  UNITY_BEGIN();
  RUN_TEST(every_law_on_every_model_it_takes);
  RUN_TEST(every_law_on_contacts_that_differ_in_rows);
  RUN_TEST(every_law_on_a_mechanism);
  RUN_TEST(without_friction_all_endings_agree);
  char story[200] = "";
  describe(total, story, sizeof story);
  printf("cases of laws on models: %s\n", story);
  return UNITY_END();
}
