/* Every law moves every model, from random states: runs end with a documented status in bounded
 * time, nothing goes through the floor, forces stay in their cones, the ledger closes, energy does
 * not come from nowhere, events are in order, and states are continuous between them.
 *
 *   test_sim_every [seeds [model|all [law|all [first_seed]]]]
 *
 * One seed of one law tells its events too.
 */
#include <signal.h>
#include <sys/time.h>
#include <unity.h>

#include "sim_help.h"

void setUp(void) {
  core_scratch_init(&sim_scratch);
}
void tearDown(void) {
  core_scratch_free(&sim_scratch);
}

static int seeds = 5, first_seed = 1, told, runs, ended[CORE_STATUS_COUNT];
static const char *only_model, *only_law;
static const double seconds = 5; /* of processor time that a run may take */

/* ---- subjects ---- */

typedef struct subject_row {
  const char *name, *model;
  int n;
  setting settings[5];
} subject_row;

static const subject_row subjects[] = {
    {"particle", "particle", 0, {{0}}},
    {"line", "particle", 2, {{"position", 1, {1}, 0}, {"velocity", 1, {0}, 0}}},
    {"corner",
     "particle",
     2,
     {{"position", 2, {0.5, 0.5}, 0}, {"planes", 6, {0, -1, 1, 0, 0, -1}, 2}}},
    {"space",
     "particle",
     2,
     {{"position", 3, {0.5, 0, 0.3}, 0}, {"planes", 8, {0, -1, 0, 0.3, 1, 0.2, 0, -1}, 2}}},
    {"ball", "ball", 0, {{0}}},
    {"slope", "ball", 2, {{"normal", 3, {0.3, 0.1, 1}, 0}, {"gravity", 3, {1, 0.5, -9}, 0}}},
    {"pencil", "pencil", 0, {{0}}},
    {"pair", "pair", 1, {{"position1", 3, {0.2, 0.1, 1.99}, 0}}},
    {"rod", "rod", 2, {{"part", 1, {1}, 0}, {"floor", 1, {-0.3}, 0}}},
    {"lopsided", "rod", 2, {{"gaps", 2, {0.1, 0.2}, 0}, {"length", 1, {1}, 0}}},
    {"double_pendulum", "double_pendulum", 1, {{"floor", 1, {-1.5}, 0}}},
    {"arm", "arm", 1, {{"floor", 1, {-0.2}, 0}}},
    {"lying", "arm", 3, {{"n", 1, {4}, 0}, {"floor", 1, {-0.4}, 0}, {"contacts", 3, {2, 3, 4}, 0}}},
    {"crutch_walker", "crutch_walker", 0, {{0}}},
    {"bar", "bar", 0, {{0}}},
    {"chain", "chain", 0, {{0}}},
    {"stack", "chain", 2, {{"wall", 1, {1}, 0}, {"gravity", 1, {9.81}, 0}}},
};

/* ---- random cases ---- */

typedef struct subject_case {
  const subject_row *row;
  const law_type *type;
  int seed;
  double e, mu;
} subject_case;

static int inside(const model *m) {
  double gap[MAX_ROWS];
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->gap(m, m->q, gap));
  for (int c = 0; c < m->shape.nc; c++)
    if (gap[c] < 0) return 1;
  return 0;
}

/* another place that is not inside, or the one it has; other speeds */
static void scatter(model *m) {
  double q[MAX_ROWS];
  int nq = m->shape.nq, found = 0;
  memcpy(q, m->q, (size_t)nq * sizeof *q);
  for (int i = 0; i < 200 && !found; i++) {
    for (int j = 0; j < nq; j++) m->q[j] = q[j] + 0.4 * any();
    if (m->type->normalise) m->type->normalise(m, m->q);
    found = !inside(m);
  }
  if (!found) memcpy(m->q, q, (size_t)nq * sizeof *q);
  for (int j = 0; j < m->shape.nu; j++) m->u[j] = 3 * any();
}

static void set(const core_schema *schema, void *params, const char *key, double x) {
  core_error err = {0};
  const core_param *p = core_schema_find(schema, key);
  if (p && p->kind != CORE_OBJECT)
    TEST_ASSERT_EQUAL_INT(CORE_OK, core_param_set(schema, p, params, 1, &x, &err));
}

static law *law_of(const law_type *type, double e, double mu, law *inner) {
  const core_schema *schema = &type->schema;
  void *params = calloc(1, schema->size + 1);
  core_error err = {0};
  law *l = NULL;
  core_schema_defaults(schema, params);
  set(schema, params, "e", e);
  set(schema, params, "mu", mu);
  const core_param *p = core_schema_find(schema, "law");
  if (p && p->kind == CORE_OBJECT) *(law **)((char *)params + p->at) = inner;
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, law_create(type, params, &l, &err), err.text);
  core_schema_free(schema, params);
  free(params);
  return l;
}

/* ---- saying what is wrong ---- */

static void wrong(const subject_case *c, const sim_run *r, const char *what, double t, double x) {
  static int last, again;
  told++;
  again = runs == last ? again + 1 : 0;
  last = runs;
  if (again < 3)
    printf("%s with %s, seed %d (e = %g, mu = %g): %s at t = %.9g: %.3g  %s%.240s\n", c->row->name,
           c->type->name, c->seed, c->e, c->mu, what, t, x, r->status ? "; " : "",
           r->status ? r->error.text : "");
}

static void check(const subject_case *c, const sim_run *r, const char *what, double t, double x,
                  double allowed) {
  if (!(x <= allowed)) wrong(c, r, what, t, x);
}

/* ---- what must hold ---- */

static void check_status(const subject_case *c, const sim_run *r) {
  core_status s = r->status;
  ended[s]++;
  if (s && s != CORE_UNSUPPORTED && s != CORE_JAM && s != CORE_NO_SOLUTION && s != CORE_LIMIT)
    wrong(c, r, core_status_word(s), r->t, s);
}

static void check_events(const subject_case *c, const sim_run *r) {
  double before = r->o.t_start, scale = 1 + fabs(r->ledger.start);
  for (size_t i = 0; i < r->n_events; i++) {
    const sim_event *e = &r->events[i];
    check(c, r, "events out of order", e->t, before - e->t, 0);
    if (e->kind == SIM_IMPACT && !(e->flags & IMPACT_GAINS_ENERGY))
      check(c, r, "energy gained in an impact", e->t, -e->lost, 1e-9 * scale);
    before = e->t;
  }
}

static double friction_of(const sim_run *r, int c) {
  return r->mu[r->m->shape.nc + c];
}

static void check_contacts(const subject_case *c, const sim_run *r, const sim_state *s) {
  const model_shape *shape = &r->m->shape;
  double largest = 1;
  for (int i = 0; i < model_all_rows(shape); i++) largest = fmax(largest, fabs(s->force[i]));
  for (int i = 0; i < shape->nc; i++) {
    const double *f = s->force + model_first(shape, i);
    int tangents = model_rows_of(shape, i) - 1;
    double fn = f[tangents], ft = 0;
    for (int k = 0; k < tangents; k++) ft = hypot(ft, f[k]);
    int none = isnan(fn) && r->status == CORE_NO_SOLUTION && s->t > r->t - 1e-4;
    check(c, r, "below the surface", s->t, -s->gap[i], 1e-9);
    if (s->mode[i]) check(c, r, "off the surface", s->t, fabs(s->gap[i]), 1e-9);
    if (none) continue;
    check(c, r, "pulls", s->t, -fn / largest, 1e-6);
    check(c, r, "out of the cone", s->t, (ft - friction_of(r, i) * fn) / largest, 1e-6);
  }
}

/* a point lands at t: its last impact was, and the end of its series is still to be told. Friction
 * in that time is booked as that of the whole landing, which pushes before it brakes. */
static int lands_at(const sim_run *r, double t) {
  int bounces[MAX_ROWS] = {0};
  for (size_t i = 0; i < r->n_events; i++) {
    const sim_event *e = &r->events[i];
    if (e->t <= t || e->contact < 0) continue;
    if (e->kind == SIM_ZENO && !bounces[e->contact]) return 1;
    if (e->kind == SIM_IMPACT) bounces[e->contact] = 1;
  }
  return 0;
}

/* samples along the run: contacts, and the energy, which has nowhere else to go */
static void check_samples(const subject_case *c, const sim_run *r, int n) {
  double scale = 1 + fabs(r->ledger.start) + fabs(r->ledger.work), slid = 0;
  for (int i = 0; i <= n; i++) {
    double t = i == n ? r->t : r->o.t_start + (r->t - r->o.t_start) * i / n;
    const sim_state *s = state_at(r, t);
    check_contacts(c, r, s);
    double sum = s->kinetic + s->potential + s->lost + s->sliding - s->work - s->reset;
    double size = scale + fabs(s->kinetic) + fabs(s->potential);
    check(c, r, "the ledger", t, fabs(sum - r->ledger.start) / size, 1e-6);
    if (lands_at(r, t)) continue;
    check(c, r, "friction drives", t, slid - s->sliding, 1e-9 * size);
    slid = s->sliding;
  }
  check(c, r, "the whole ledger", r->t, fabs(r->ledger.residual) / scale, 1e-6);
}

/* where an event is that may change speeds: an impact, or a landing whose last hops are cut */
static int jumps_at(const sim_run *r, double t) {
  for (size_t i = 0; i < r->n_events; i++)
    if (r->events[i].kind != SIM_STOP && r->events[i].t == t) return 1;
  return 0;
}

static double difference(int n, const double *a, const double *b) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]) / (1 + fabs(a[i])));
  return most;
}

/* every step starts where the one before it ended */
static void check_joints(const subject_case *c, const sim_run *r) {
  double q[2][MAX_ROWS], u[2][MAX_ROWS];
  for (size_t i = 1; i < r->n_steps; i++) {
    double t = r->steps[i].t0;
    for (int side = 0; side < 2; side++) {
      sim_state s = {.q = q[side], .u = u[side]};
      core_error err = {0};
      TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, sim_at(r, t, side, &sim_scratch, &s, &err), err.text);
    }
    check(c, r, "steps in order", t, r->steps[i - 1].t1 - t, 0);
    check(c, r, "a hole between steps", t, t - r->steps[i - 1].t1, 1e-6);
    check(c, r, "a jump of position", t, difference(r->m->shape.nq, q[0], q[1]), 1e-8);
    if (!jumps_at(r, t))
      check(c, r, "a jump of speed", t, difference(r->m->shape.nu, u[0], u[1]), 1e-7);
  }
}

/* ---- one run ---- */

static void too_long(int signal) {
  (void)signal;
  core_interrupt_flag = CORE_INTERRUPT_ASKED;
}

static void set_timer(double s) {
  struct itimerval timer = {{0, 0}, {(long)s, 0}};
  setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static void one_run(subject_case *c) {
  help_seed = 88172645463325252ull + 7919 * (unsigned long long)c->seed;
  for (int i = 0; i < 10; i++) any();
  model *m = make_model(c->row->model, c->row->n, c->row->settings);
  c->e = c->seed % 4 == 0 ? 0 : fabs(any());
  c->mu = c->seed % 3 == 0 ? 0 : fabs(any());
  if (c->seed > 1) scatter(m);
  law *inner = law_of(law_find("stronge"), c->e, c->mu, NULL);
  law *l = law_of(c->type, c->e, c->mu, inner);
  sim_options o = until(2, 1e-9);
  o.max_events = 20000; /* a stack that hops on a hopping stack takes its time */
  core_error err = {0};
  sim_run *r = NULL;
  set_timer(seconds);
  core_status status = sim_simulate(m, l, &o, &sim_scratch, &r, &err);
  set_timer(0);
  core_interrupt_flag = 0;
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, status, err.text);
  runs++;
  check_status(c, r);
  check_events(c, r);
  if (r->n_steps) check_samples(c, r, 200);
  check_joints(c, r);
  if (only_law && seeds == 1)
    printf("%s (%s), %ld impacts, %ld steps, why %s, residual %.3g: %s\n",
           core_status_word(r->status), r->error.text, r->impacts, r->accepted,
           sim_stop_word(r->why), r->ledger.residual, story(r));
  if (only_law && seeds == 1)
    for (size_t i = 0; i < r->n_events; i++)
      printf("%.12g %s %d, lost %.3g\n", r->events[i].t, sim_event_word(r->events[i].kind),
             r->events[i].contact + 1, r->events[i].lost);
  sim_free(r);
  law_free(l);
  law_free(inner);
  model_free(m);
}

static void every_law_moves_every_model(void) {
  signal(SIGVTALRM, too_long);
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
    for (int j = 0; law_table[j]; j++)
      for (int k = 0; k < seeds; k++) {
        subject_case c = {&subjects[i], law_table[j], first_seed + k, 0, 0};
        if (only_model && strcmp(only_model, c.row->name)) continue;
        if (only_law && strcmp(only_law, c.type->name)) continue;
        one_run(&c);
      }
  printf("%d runs:", runs);
  for (int i = 0; i < CORE_STATUS_COUNT; i++)
    if (ended[i]) printf(" %d %s", ended[i], core_status_word((core_status)i));
  printf("\n");
  TEST_ASSERT_EQUAL_INT_MESSAGE(0, told, "things that must hold and do not");
}

static const subject_row *subject_named(const char *name) {
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
    if (!strcmp(subjects[i].name, name)) return &subjects[i];
  TEST_FAIL_MESSAGE(name);
  return NULL;
}

/* each of these went wrong in its own way */
static void what_failed_once(void) {
  static const struct {
    const char *model, *law;
    int seed;
  } cases[] = {
      {"slope", "newton", 2},          {"space", "plastic", 59},
      {"space", "plastic", 83},        {"pencil", "newton", 13},
      {"pencil", "newton", 76},        {"pencil", "newton", 115},
      {"pencil", "newton", 337},       {"pencil", "newton", 1019},
      {"pencil", "newton", 1186},      {"pencil", "newton", 1219},
      {"pencil", "stronge", 1045},     {"pencil", "poisson", 101},
      {"pencil", "compliant", 166},    {"crutch_walker", "sequential", 25},
      {"crutch_walker", "newton", 20}, {"crutch_walker", "sequential", 98},
      {"lying", "plastic", 338},       {"crutch_walker", "sequential", 102},
      {"lying", "sequential", 6},      {"crutch_walker", "sequential", 190},
      {"lying", "sequential", 211},    {"crutch_walker", "sequential", 2440},
      {"lying", "sequential", 1087},   {"crutch_walker", "compliant", 5},
      {"lying", "sequential", 1331},   {"crutch_walker", "compliant", 100},
      {"stack", "sequential", 2077},   {"stack", "sequential", 2139},
      {"arm", "plastic", 679},         {"arm", "plastic", 2006},
      {"arm", "newton", 2264},         {"arm", "poisson", 2063},
      {"pencil", "compliant", 23},     {"pencil", "compliant", 206},
      {"space", "compliant", 106},     {"space", "compliant", 163},
      {"space", "compliant", 14},      {"space", "compliant", 22},
      {"lying", "compliant", 151},     {"crutch_walker", "compliant", 20},
      {"lopsided", "moreau", 14},      {"lying", "sequential", 151},
      {"lying", "glocker", 154},
  };
  int before = told;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    subject_case c = {subject_named(cases[i].model), law_find(cases[i].law), cases[i].seed, 0, 0};
    one_run(&c);
  }
  TEST_ASSERT_EQUAL_INT_MESSAGE(before, told, "things that must hold and do not");
}

int main(int argc, char **argv) {
  if (argc > 1) seeds = atoi(argv[1]);
  if (argc > 2 && strcmp(argv[2], "all")) only_model = argv[2];
  if (argc > 3 && strcmp(argv[3], "all")) only_law = argv[3];
  if (argc > 4) first_seed = atoi(argv[4]);
  UNITY_BEGIN();
  RUN_TEST(every_law_moves_every_model);
  if (argc == 1) RUN_TEST(what_failed_once);
  return UNITY_END();
}
