/* law.compliant: springs at every contact of a frozen mechanism, with Coulomb friction.
 *
 * Each contact carries a normal spring k and tangential springs kt = k/eta^2 that end in a massless
 * point which sticks to the obstacle or slides on it (Jia 2013, after Stronge). With n <= 0 and x
 * their deflections
 *
 *   p' = F,  v' = W F,  F_n = -k n,  F_t = -kt x,  n' = v_n
 *   stick    x' = v_t                   while |x| < rho = mu F_n / kt
 *   slip     x = rho d, |d| = 1         while the slip speed v_t.d - rho' > 0
 *   v_n = 0  k -> k/e^2, n -> e^2 n: the force goes on, (1 - e^2) of the energy is lost
 *   n = 0    the contact opens; if it closes again it starts afresh
 *
 * A contact pressed again before it opens stays on k/e^2 and loses nothing more (reload =
 * "elastic"), so that in all it gives back more than e^2 of what it took in; or it goes up k/e^2 to
 * the force of its greatest compression and on along k, as a spring that has yielded does
 * ("plastic"): the answer then depends continuously on what came before. With e = 0 it is held from
 * its greatest compression on: v_n = 0 as long as the others press it (its tangential spring slips
 * back at once to what the smaller force can hold), let go when it would have to pull, and with
 * "plastic" pressed further by more than it has borne; neither is the limit e -> 0,
 * where a contact opens for an instant and starts afresh. The impact is over when nothing is left
 * but open and held contacts (with one contact: at its greatest compression). One contact is paper
 * Y, mu = 0 and e = 1 is paper B, eta -> 0 is the rigid law of paper M. With one contact the result
 * does not depend on k.
 *
 * Between events the solution is a power series to rounding (compliant/series.c), so there is no
 * step in impulse and no error to control but rounding; events are first roots of polynomials,
 * found without jumping over any (compliant/events.c).
 *
 * Where the same few events repeat thousands of times while the rest changes slowly (a contact on
 * k/e^2 that sticks and slips, or opens and closes, once in every period of its own), many cycles
 * are taken at once (compliant/cycles.c); a vibration that is less than rounding of the velocities
 * is held until nothing presses the contact.
 *
 * Why it ends. In a phase all rates are bounded: frequencies by omega, forces by the energy, which
 * never grows. So a contact needs a time of order 1/omega to fill its margin after an event, except
 * when events fall together, and then each of them settles one contact for good
 * (compliant/settle.c): a finite time holds finitely many events. The time is finite because bodies
 * that push each other apart part. Those that cannot, one between two others say, bounce ever lower
 * when e < 1; one of several whose rebound is nothing beside the impact (1e-11 of its speeds) has
 * come to rest and is held from then on as with e = 0, until something presses it by more: this is
 * the limit of the Zeno series, and it ends too. What is less than rounding of the velocities is
 * rest from the start. What is left stops with the status `limit` and says why: with e = 1 bodies
 * may bounce between walls for ever (`max_events`), obstacles that close on each other squeeze what
 * is between them for ever (compliant/squeeze.c), and for held contacts there may be no combination
 * of stick and slip that can go on (as in Painleve's paradox; one in some ten thousand random
 * problems of three contacts with e = 0).
 *
 * Tiny eta. Tangential springs that stick vibrate with a frequency of 1/eta and the amplitude of
 * their margin, slip at their peaks as the force falls, and do what rigid tangents do but for
 * eta^2: from 1e-6 on that limit is taken where it can be shown to be near
 * (compliant/fast/rigid.c).
 *
 * As printed. The paper's program used eta0 in place of eta while slipping in restitution, so that
 * friction was e mu there; `published_slip` repeats that on purpose, to reproduce its numbers. The
 * cause is inferred from the numbers. It is against Coulomb's law and never the default.
 */
#include <string.h>

#include "impact/laws/compliant/fast/fast.h"

static const core_param params[] = {
    {"mu", "1", CORE_LIST, offsetof(compliant_params, mu), 1, "0", 0, INFINITY, CORE_MAY_BE_INF,
     "Coulomb friction, one number or one per contact; math.huge never slips", NULL},
    {"e", "1", CORE_LIST, offsetof(compliant_params, e), 1, "1", 0, 1, 0,
     "energetic restitution: e^2 of the normal strain energy comes back after greatest "
     "compression; reload says what a contact does that is pressed again before it opens; e = 0 "
     "holds the contact, which is not the limit e -> 0",
     NULL},
    {"eta", "1", CORE_LIST, offsetof(compliant_params, eta), 1, "1", 0, INFINITY, CORE_OPEN_MIN,
     "sqrt(normal stiffness / tangential stiffness), sqrt((2-nu)/(2-2nu)) on a half-space", NULL},
    {"k", "N/m", CORE_LIST, offsetof(compliant_params, k), 1, "1e8", 0, INFINITY, CORE_OPEN_MIN,
     "normal stiffness in compression; with one contact only the time depends on it", NULL},
    {"window", "s", CORE_NUMBER, offsetof(compliant_params, window), 1, "nil", 0, INFINITY,
     CORE_MAY_BE_INF,
     "longest flight without contact inside one impact; by default one period of the slowest "
     "spring "
     "for contacts that were open at the start, 25 for those that touched; in k.simulate the open "
     "ones close under load only",
     NULL},
    {"max_events", "1", CORE_INTEGER, offsetof(compliant_params, max_events), 1, "100000", 1, 1e9,
     0,
     "stops with the status `limit` after so many events that were computed; cycles of events that "
     "are stepped over (flag skipped) count as few",
     NULL},
    {"reload", "1", CORE_CHOICE, offsetof(compliant_params, reload), 1, "'elastic'", 0, 1, 0,
     "a contact pressed again before it opens: elastic stays on k/e^2 and loses nothing more, "
     "plastic "
     "rejoins the line of loading where it left it",
     "elastic|plastic"},
    TOLERANCE_PARAM(compliant_params),
    {"published_slip", "1", CORE_FLAG, offsetof(compliant_params, published_slip), 1, "false", 0, 1,
     0, "friction e mu while slipping in restitution, the slip in the published program", NULL},
};

/* ---- set-up in scaled units ---- */

/* memory for all that one solution needs */
static core_status take_memory(compliant *z) {
  size_t rows = (size_t)z->rows, nc = (size_t)z->nc, L = LENGTH;
  compliant_phase *f = &z->phase;
  compliant_series *s = &z->series;
  struct {
    double **at;
    size_t n;
  } wanted[] = {{&z->p, rows},        {&z->v, rows},      {&z->y, rows},      {&z->row_work, rows},
                {&z->push, rows},     {&z->work, nc},     {&f->stiff, rows},  {&f->B, rows * rows},
                {&f->D, rows * rows}, {&f->G, nc * rows}, {&f->M, nc * nc},   {&s->y, L * rows},
                {&s->v, L * rows},    {&s->f, L * rows},  {&s->held, L * nc}, {&s->pace, L}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (!(*wanted[i].at = core_scratch_doubles(z->scratch, wanted[i].n))) return CORE_NO_MEMORY;
  z->c = core_scratch_bytes(z->scratch, nc * sizeof *z->c);
  z->found = core_scratch_bytes(z->scratch, 5 * nc * sizeof *z->found);
  z->span = impact_spans(z->pr, z->scratch);
  f->reach_B = core_scratch_bytes(z->scratch, 2 * rows * sizeof *f->reach_B);
  f->row = core_scratch_ints(z->scratch, 2 * rows + nc);
  if (!z->c || !z->found || !z->span || !f->reach_B || !f->row) return CORE_NO_MEMORY;
  f->owner = f->row + rows;
  z->who = f->owner + rows;
  f->reach_D = f->reach_B + rows;
  memset(f->reach_B, 0, 2 * rows * sizeof *f->reach_B);
  memset(f->B, 0, rows * rows * sizeof *f->B);
  memset(f->D, 0, rows * rows * sizeof *f->D);
  core_status status = compliant_start_turning(z);
  return status ? status : compliant_record_start(z);
}

/* T = 1/sqrt(largest k W_nn); the slowest contact gives the window */
static void choose_units(compliant *z, const compliant_params *q) {
  double fastest = 0, slowest = INFINITY;
  for (int i = 0; i < z->nc; i++) {
    double rate = core_list_at(&q->k, i) * w_normal(z, &z->c[i]);
    fastest = core_max(fastest, rate);
    if (rate > 0) slowest = core_min(slowest, rate);
  }
  z->unit = 1 / sqrt(fastest);
  z->window = q->window / z->unit;
  z->period = 2 * M_PI * sqrt(fastest / slowest);
  z->speed = 0;
  for (int r = 0; r < z->rows; r++) z->speed = core_max(z->speed, fabs(z->pr->v[r]));
  z->v_rounding = TOL_REST * z->speed;
}

static void set_contact(compliant *z, const compliant_params *q, int i) {
  double eta = core_max(core_list_at(&q->eta, i), z->way.least_eta), T = z->unit;
  compliant_contact *c = &z->c[i];
  c->mu = core_list_at(&q->mu, i);
  c->e = core_list_at(&q->e, i);
  c->mu_restitution = q->published_slip ? c->e * c->mu : c->mu;
  c->k = c->k0 = core_list_at(&q->k, i) * T * T;
  c->kt = c->k0 / (eta * eta);
  z->y[c->n] = z->pr->gap ? z->pr->gap[i] / T : 0;
}

static core_status set_up(compliant *z, const compliant_params *q) {
  core_status status = take_memory(z);
  if (status) return core_fail(z->err, status, "%s", "");
  memset(z->c, 0, (size_t)z->nc * sizeof *z->c);
  for (int i = 0; i < z->nc; i++) {
    z->c[i].t = impact_first(z->pr, i);
    z->c[i].n = impact_normal(z->pr, i);
    z->c[i].tangents = z->c[i].n - z->c[i].t;
  }
  choose_units(z, q);
  z->loose = q->tolerance / TOL_PROMISED;
  z->series.loose = z->loose > 1 ? pow(z->loose, 1.5) : 1;
  memset(z->p, 0, (size_t)z->rows * sizeof *z->p);
  memset(z->y, 0, (size_t)z->rows * sizeof *z->y);
  memcpy(z->v, z->pr->v, (size_t)z->rows * sizeof *z->v);
  for (int i = 0; i < z->nc; i++) set_contact(z, q, i);
  return CORE_OK;
}

/* ---- the course of the impact ---- */

/* A contact whose rows nothing can move but that approaches would be pressed for ever. */
static core_status check_movable(compliant *z) {
  for (int i = 0; i < z->nc; i++)
    if (w_normal(z, &z->c[i]) <= 0 && z->pr->v[z->c[i].n] < 0)
      return core_fail(z->err, CORE_JAM,
                       "law.compliant: contact %d approaches and W[%d][%d] = 0: no impulse can "
                       "stop it",
                       i + 1, z->c[i].n + 1, z->c[i].n + 1);
  return CORE_OK;
}

/* time until the next open contact, *first, closes at the velocities of a flight; infinity when
 * none does */
static double flight_time(const compliant *z, int *first) {
  double soonest = INFINITY;
  for (int i = 0; i < z->nc; i++) {
    double gap = z->y[z->c[i].n], rate = -z->v[z->c[i].n];
    if (z->c[i].touch != OPEN || !(gap > 0 && rate > 0) || gap / rate >= soonest) continue;
    soonest = gap / rate;
    *first = i;
  }
  return soonest;
}

/* all move on unforced, until contact `first` closes: its gap is 0 by definition, not by rounding
 */
static void fly(compliant *z, double duration, int first) {
  compliant_fly(z, duration);
  z->y[z->c[first].n] = 0;
}

/* What rounding does to v. It moves step by step (phase.c) and is never taken from v before + W p:
 * where impulses hold each other (p 1e5 times what is left of W p when obstacles squeeze bodies)
 * that would put noise into v after every phase. */
static void note_rounding(compliant *z) {
  double largest = z->speed;
  for (int c = 0; c < z->rows; c++) {
    double w = z->W[(size_t)c * (size_t)(z->rows + 1)];
    largest = core_max(largest, w * fabs(z->p[c]));
  }
  z->v_rounding = TOL_REST * largest;
}

static core_status one_phase(compliant *z) {
  core_status status = compliant_walk(z);
  if (status) return status;
  compliant_apply(z);
  note_rounding(z);
  return CORE_OK;
}

static core_status run(compliant *z, int max_events) {
  double last = -1;
  long untold = 0; /* phases without an event that anybody hears of */
  for (int touched = 0, still = 0;; still++) {
    long told = z->events;
    core_status status = compliant_settle(z);
    if (status) return status;
    compliant_report(z);
    untold += z->events == told;
    if (last < 0) compliant_sample_start(z);
    status = compliant_skip_cycles(z);
    if (status) return status;
    if (z->time > last) still = 0;
    last = z->time;
    if (still > 20 * z->nc + 20 || z->events + z->walked + untold >= max_events)
      return core_fail(
          z->err, CORE_LIMIT, "law.compliant: stopped after %ld events at t = %.6g s%s",
          z->events + z->walked, z->time * z->unit, still ? ": the modes do not settle" : "");
    if (z->phase.pressed) {
      touched = 1;
      status = one_phase(z);
      if (status) return status;
      continue;
    }
    int first = 0;
    double duration = flight_time(z, &first);
    if (isinf(duration) || !impact_may_fly(z->pr, first, touched, duration, z->window, z->period))
      return touched ? CORE_OK : CORE_NO_IMPACT;
    compliant_release_all(z);
    compliant_report(z);
    fly(z, duration, first);
  }
}

static void conclude(compliant *z, const compliant_params *q, impact_result *r) {
  memcpy(r->p, z->p, (size_t)z->rows * sizeof *r->p);
  impact_velocity_after(z->pr, z->p, r->v);
  r->lost_restitution = z->lost_restitution;
  r->lost_friction = z->lost_friction;
  r->stored = compliant_strain(z);
  r->duration = z->time * z->unit;
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].grip_before == STICK) r->flags |= IMPACT_STUCK;
  if (q->published_slip) r->flags |= IMPACT_AS_PRINTED;
  if (z->phase.redundant) r->flags |= IMPACT_REDUNDANT;
  if (z->pressed_again) r->flags |= IMPACT_PRESSED_AGAIN;
  if (z->skipped > 0) r->flags |= IMPACT_SKIPPED;
}

core_status compliant_solve_by(const law *l, const impact_problem *pr, core_scratch *s,
                               impact_sink *sink, impact_result *r, core_error *err,
                               compliant_way way) {
  const compliant_params *q = l->params;
  compliant z = {.pr = pr, .nc = pr->nc, .rows = pr->rows, .W = pr->W, .way = way};
  z.scratch = s;
  z.sink = sink;
  z.err = err;
  z.plastic = q->reload;
  core_status status = set_up(&z, q);
  if (!status && way.fast) status = fast_start(&z);
  if (!status && way.stretch > 0) status = compliant_start_cycles(&z);
  if (!status) status = check_movable(&z);
  if (!status) status = run(&z, q->max_events);
  if (status == CORE_NO_IMPACT) return impact_nothing(pr, r);
  if (status) return status;
  conclude(&z, q, r);
  compliant_emit(&z, IMPACT_END, -1);
  return CORE_OK;
}

static core_status solve(const law *l, const impact_problem *pr, core_scratch *s, impact_sink *sink,
                         impact_result *r, core_error *err) {
  if (pr->nc == 1 && !sink && fast_single(l->params, pr, r)) return CORE_OK;
  if (fast_rigid(l, pr, s, sink, r)) return CORE_OK;
  return compliant_solve_by(l, pr, s, sink, r, err,
                            (compliant_way){.fast = 1, .stretch = INFINITY});
}

/* for tests */
core_status compliant_solve_plain(const law *l, const impact_problem *pr, core_scratch *s,
                                  impact_sink *sink, impact_result *r, core_error *err) {
  return compliant_solve_by(l, pr, s, sink, r, err, (compliant_way){0});
}

core_status compliant_solve_each(const law *l, const impact_problem *pr, core_scratch *s,
                                 impact_sink *sink, impact_result *r, core_error *err) {
  return compliant_solve_by(l, pr, s, sink, r, err, (compliant_way){.fast = 1});
}

core_status compliant_solve_short(const law *l, const impact_problem *pr, core_scratch *s,
                                  impact_sink *sink, impact_result *r, core_error *err) {
  return compliant_solve_by(l, pr, s, sink, r, err, (compliant_way){.fast = 1, .stretch = 20000});
}

const law_type law_compliant = {
    {"law.compliant", params, sizeof params / sizeof *params, sizeof(compliant_params)},
    "compliant",
    "Springs and Coulomb friction at each of any number of contacts, exact between events.",
    "Jia 2013; with mu = 0 and e = 1 Batlle, Barjau and Font-Llagunes 2011",
    "k.law.compliant{ mu = 0.4, e = 0.5, eta = math.sqrt(17/14) }",
    LAW_MANY | LAW_GAPS | LAW_TIME | LAW_FRICTION | LAW_ANY_DIM | LAW_MIXED,
    .solve = solve,
    .friction = &params[0],
};
