#include "impact/path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void impact_path_init(impact_path *path, const impact_problem *pr) {
  memset(path, 0, sizeof *path);
  path->nc = pr->nc;
  path->rows = pr->rows;
  path->width = IMPACT_PATH_ROWS + 4 * pr->rows + 4 * pr->nc;
}

void impact_path_free(impact_path *path) {
  free(path->lines);
  free(path->events);
  path->lines = NULL;
  path->events = NULL;
  path->n = path->room = path->n_events = path->room_events = 0;
}

core_status impact_path_copy(impact_path *to, const impact_path *from) {
  size_t lines = (size_t)from->n * (size_t)from->width * sizeof *from->lines;
  size_t events = (size_t)from->n_events * sizeof *from->events;
  *to = *from;
  to->room = from->n, to->room_events = from->n_events;
  to->lines = malloc(lines + 1);
  to->events = malloc(events + 1);
  if (!to->lines || !to->events) {
    impact_path_free(to);
    return CORE_NO_MEMORY;
  }
  if (lines) memcpy(to->lines, from->lines, lines);
  if (events) memcpy(to->events, from->events, events);
  return CORE_OK;
}

/* room for one more; 0 when memory is out */
static int grow(void **at, int n, int *room, size_t size) {
  if (n < *room) return 1;
  int more = *room ? 2 * *room : 64;
  void *now = realloc(*at, (size_t)more * size);
  if (!now) return 0;
  *at = now;
  *room = more;
  return 1;
}

/* n numbers, or n times NaN where the law has none */
static void put(double *to, int n, const double *from) {
  for (int i = 0; i < n; i++) to[i] = from ? from[i] : NAN;
}

static void put_ints(double *to, int n, const int *from) {
  for (int i = 0; i < n; i++) to[i] = from ? from[i] : NAN;
}

static void add_sample(void *self, const impact_sample *s) {
  impact_path *path = self;
  void *lines = path->lines;
  if (!grow(&lines, path->n, &path->room, (size_t)path->width * sizeof(double))) {
    path->status = CORE_NO_MEMORY;
    return;
  }
  path->lines = lines;
  double *line = path->lines + (size_t)path->n++ * (size_t)path->width;
  line[IMPACT_PATH_T] = s->t;
  line[IMPACT_PATH_STRAIN] = s->strain;
  line[IMPACT_PATH_RESTITUTION] = s->lost_restitution;
  line[IMPACT_PATH_FRICTION] = s->lost_friction;
  line[IMPACT_PATH_WORK] = s->work_normal;
  put(line + impact_path_column(path, 0), path->rows, s->p);
  put(line + impact_path_column(path, 1), path->rows, s->v);
  put(line + impact_path_column(path, 2), path->rows, s->x);
  put(line + impact_path_column(path, 3), path->rows, s->force);
  put_ints(line + impact_path_state(path, 0), path->nc, s->mode);
  put_ints(line + impact_path_state(path, 1), path->nc, s->restituting);
  put(line + impact_path_state(path, 2), path->nc, s->absorbed);
  put(line + impact_path_state(path, 3), path->nc, s->returned);
  path->has_time |= !isnan(s->t);
  path->has_deflection |= s->x != NULL;
  path->has_force |= s->force != NULL;
}

static void add_event(void *self, const impact_event *e) {
  impact_path *path = self;
  add_sample(self, &e->sample);
  void *events = path->events;
  if (path->status ||
      !grow(&events, path->n_events, &path->room_events, sizeof(impact_path_event))) {
    path->status = CORE_NO_MEMORY;
    return;
  }
  path->events = events;
  path->events[path->n_events++] = (impact_path_event){e->kind, e->contact, path->n - 1};
}

impact_sink impact_path_sink(impact_path *path, int per_phase) {
  return (impact_sink){path, per_phase, 0, add_sample, add_event};
}

void impact_path_end(impact_path *path, const impact_result *r) {
  const impact_path_event *last = path->events + path->n_events - 1;
  if (!path->n_events || last->kind != IMPACT_END || last->at != path->n - 1) return;
  double *line = path->lines + (size_t)last->at * (size_t)path->width;
  put(line + impact_path_column(path, 0), path->rows, r->p);
  put(line + impact_path_column(path, 1), path->rows, r->v);
}
