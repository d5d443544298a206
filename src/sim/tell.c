/* What is told of contacts: who came, sticks, slides and left; and of points that land, when they
 * have. */
#include <math.h>

#include "sim/inner.h"

void sim_landed(sim_flow *f, int contact) {
  f->landing.over_at[contact] = NAN;
  f->landing.ends_series[contact] = 0;
}

static core_status tell(sim_flow *f, sim_event_kind kind, double t, const double *y, int contact,
                        sim_mode mode) {
  sim_event *e;
  core_status status = sim_store_event(f, kind, t, y, NULL, &e);
  if (status) return status;
  e->contact = contact;
  e->mode = mode;
  return CORE_OK;
}

static core_status tell_one(sim_flow *f, double t, const double *y, int id, sim_mode now,
                            double heading) {
  sim_mode was = f->told.mode[id];
  if (now == SIM_MODE_CREEP) now = SIM_MODE_SLIP;
  if (now == SIM_MODE_HELD) now = SIM_MODE_STICK;
  int turned = now == SIM_MODE_SLIP && sim_rows_of(&f->motion, id) == 2 && f->motion.mu[id] > 0 &&
               heading != f->told.direction[id];
  f->told.mode[id] = now;
  f->told.direction[id] = heading;
  if (was == now && !turned) return CORE_OK;
  if (was == SIM_MODE_OPEN) return tell(f, SIM_CONTACT, t, y, id, now);
  if (now == SIM_MODE_OPEN) return tell(f, SIM_RELEASE, t, y, id, now);
  return tell(f, now == SIM_MODE_STICK ? SIM_STICK : SIM_SLIP, t, y, id, now);
}

core_status sim_cut_landing(sim_flow *f, double t, int contact) {
  sim_event *e;
  int zeno = f->landing.ends_series[contact];
  sim_landed(f, contact);
  if (!zeno) return CORE_OK;
  core_status status = sim_store_event(f, SIM_ZENO, t, f->y, NULL, &e);
  if (status) return status;
  e->contact = contact;
  return sim_announce(f, t, f->y);
}

core_status sim_land_until(sim_flow *f, double t) {
  core_status status = CORE_OK;
  double until = t + sim_instant(&f->motion, t);
  for (int i = 0; i < f->motion.nc && !status; i++)
    if (f->landing.over_at[i] <= until) status = sim_cut_landing(f, t, i);
  return status;
}

core_status sim_announce(sim_flow *f, double t, const double *y) {
  core_status status = CORE_OK;
  int k = 0;
  for (int i = 0; i < f->motion.nc && !status; i++) {
    int closed = k < f->motion.closed.n && f->motion.closed.ids[k] == i;
    if (closed && f->landing.ends_series[i]) { /* by the end of its series */
      k++;
      continue;
    }
    status = tell_one(f, t, y, i, closed ? (sim_mode)f->motion.closed.mode[k] : SIM_MODE_OPEN,
                      closed ? f->motion.closed.slip[2 * k] : 0);
    k += closed;
  }
  return status;
}
