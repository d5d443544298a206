/* A run's memory: growing arrays that hold events, steps, phases, numbers and whole numbers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/inner.h"

/* room for `more` items of `size` bytes after n; doubles what is there */
static core_status grow(void **items, size_t size, size_t n, size_t more, size_t *room) {
  if (n + more <= *room) return CORE_OK;
  size_t wanted = *room ? 2 * *room : 64;
  while (wanted < n + more) wanted *= 2;
  if (wanted > (size_t)-1 / 2 / size) return CORE_NO_MEMORY;
  void *bigger = realloc(*items, wanted * size);
  if (!bigger) return CORE_NO_MEMORY;
  *items = bigger;
  *room = wanted;
  return CORE_OK;
}

core_status sim_store_numbers(sim_run *r, int n, const double *x, size_t *at) {
  core_status status =
      grow((void **)&r->numbers, sizeof *r->numbers, r->n_numbers, (size_t)n, &r->room_numbers);
  if (status) return status;
  *at = r->n_numbers;
  if (n) memcpy(r->numbers + *at, x, (size_t)n * sizeof *x);
  r->n_numbers += (size_t)n;
  return CORE_OK;
}

core_status sim_store_ints(sim_run *r, int n, const int *x, size_t *at) {
  core_status status =
      grow((void **)&r->integers, sizeof *r->integers, r->n_integers, (size_t)n, &r->room_integers);
  if (status) return status;
  *at = r->n_integers;
  if (n) memcpy(r->integers + *at, x, (size_t)n * sizeof *x);
  r->n_integers += (size_t)n;
  return CORE_OK;
}

core_status sim_store_event(sim_flow *f, sim_event_kind kind, double t, const double *y,
                            const double *u_after, sim_event **event) {
  sim_run *r = f->run;
  size_t state, after;
  if (!r->o.keep) r->n_events = r->n_numbers = r->n_integers = 0; /* the last one alone */
  core_status status =
      grow((void **)&r->events, sizeof *r->events, r->n_events, 1, &r->room_events);
  if (!status) status = sim_store_numbers(r, f->motion.nq + f->motion.nu, y, &state);
  if (!status)
    status = sim_store_numbers(r, f->motion.nu, u_after ? u_after : y + f->motion.nq, &after);
  if (status) return status;
  sim_event *e = &r->events[r->n_events++];
  *e = (sim_event){.kind = kind, .t = t, .contact = -1, .watch = -1, .state = state};
  *event = e;
  return CORE_OK;
}

core_status sim_store_phase(sim_flow *f) {
  sim_run *r = f->run;
  const sim_closed *c = &f->motion.closed;
  size_t ids, modes, slip, held;
  if (!r->o.keep) return CORE_OK;
  core_status status =
      grow((void **)&r->phases, sizeof *r->phases, r->n_phases, 1, &r->room_phases);
  if (!status) status = sim_store_ints(r, c->n, c->ids, &ids);
  if (!status) status = sim_store_ints(r, c->n, c->mode, &modes);
  if (!status) status = sim_store_numbers(r, 2 * c->n, c->slip, &slip);
  if (!status) status = sim_store_numbers(r, 3 * c->n, c->held, &held);
  if (status) return status;
  f->phase = (int)r->n_phases;
  r->phases[r->n_phases++] = (sim_phase){c->n, ids, slip};
  return CORE_OK;
}

double sim_most_kept(void) {
  return SIM_KEPT_PART * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* a machine whose memory is full ends processes without a word: stop before */
static core_status check_memory(const sim_flow *f) {
  static const char *const units[] = {"kB", "MB", "GB"};
  double most = f->motion.o->max_bytes;
  if ((double)f->run->n_numbers * sizeof(double) <= most) return CORE_OK;
  int unit = most >= 1e9 ? 2 : most >= 1e6;
  return core_fail(f->motion.err, CORE_LIMIT,
                   "stopped at t = %.10g s: what is kept fills %.3g %s (max_bytes); keep = false "
                   "keeps the last state alone",
                   f->ode.t_old, most / pow(1e3, unit + 1), units[unit]);
}

core_status sim_store_step(sim_flow *f, const core_ode *o) {
  sim_run *r = f->run;
  size_t dense = 0;
  if (!f->motion.o->keep) return CORE_OK;
  core_status status = check_memory(f);
  if (!status) status = grow((void **)&r->steps, sizeof *r->steps, r->n_steps, 1, &r->room_steps);
  if (!status) status = sim_store_numbers(r, CORE_ODE_DENSE * o->n, o->dense, &dense);
  if (status) return status;
  r->steps[r->n_steps++] = (sim_step){o->t_old, o->h, o->t, dense, f->phase, 0, f->lost, f->reset};
  return CORE_OK;
}

core_status sim_store_flight(sim_flow *f, const core_ode *o) {
  sim_run *r = f->run;
  size_t start = 0;
  if (!r->o.keep) return CORE_OK;
  core_status status = grow((void **)&r->steps, sizeof *r->steps, r->n_steps, 1, &r->room_steps);
  if (!status) status = sim_store_numbers(r, o->n, o->y_old, &start);
  if (status) return status;
  r->steps[r->n_steps++] = (sim_step){o->t_old, o->h, o->t, start, f->phase, 1, f->lost, f->reset};
  return CORE_OK;
}

void sim_kept_free(sim_kept *kept) {
  if (kept) impact_path_free(&kept->path);
  free(kept);
}

void sim_free(sim_run *r) {
  if (!r) return;
  for (size_t i = 0; i < r->n_events && r->o.keep; i++) sim_kept_free(r->events[i].kept);
  free(r->mu);
  free(r->scale.of);
  free(r->events);
  free(r->steps);
  free(r->phases);
  free(r->numbers);
  free(r->integers);
  free(r->q);
  free(r);
}
