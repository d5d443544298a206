/* The events of a run as a table, one row each, straight from the run: no Lua table is made for an
 * event. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/run.h"
#include "bind/table.h"
#include "bind/unit.h"

/* ---- texts; "" where an event has none ---- */

typedef const char *text_of(const sim_run *r, const sim_event *e, char *room);

static const char *kind_of(const sim_run *r, const sim_event *e, char *room) {
  (void)r, (void)room;
  return sim_event_word(e->kind);
}

static const char *name_of(const sim_run *r, const sim_event *e, char *room) {
  (void)room;
  return e->kind == SIM_USER ? r->o.watches[e->watch].name : "";
}

static const char *mode_of(const sim_run *r, const sim_event *e, char *room) {
  (void)r, (void)room;
  return e->kind == SIM_CONTACT ? bind_run_mode_word(e->mode) : "";
}

static const char *why_of(const sim_run *r, const sim_event *e, char *room) {
  (void)room;
  return e->kind == SIM_STOP ? sim_stop_word(r->why) : "";
}

static const char *status_of(const sim_run *r, const sim_event *e, char *room) {
  (void)room;
  return e->kind == SIM_STOP ? core_status_word(r->status) : "";
}

enum { DIGITS = 12 }; /* of a contact's number, with a blank */

/* "1 2": those that took part in an impact; the one concerned for other kinds */
static const char *contacts_of(const sim_run *r, const sim_event *e, char *room) {
  char *at = room;
  *at = '\0';
  if (!sim_is_impact(e)) {
    if (e->contact >= 0) snprintf(room, DIGITS, "%d", e->contact + 1);
    return room;
  }
  for (int i = 0; i < e->n; i++)
    at += snprintf(at, DIGITS, i ? " %d" : "%d", r->integers[e->ids + (size_t)i] + 1);
  return room;
}

/* a column, when some event has such a text */
static core_status add_texts(record_table *t, const sim_run *r, const char *name, text_of *text,
                             char *room) {
  size_t first = 0;
  while (first < r->n_events && !*text(r, &r->events[first], room)) first++;
  if (first == r->n_events) return CORE_OK;
  record_column *c = record_add(t, name, "", RECORD_STRING, 1);
  core_status status = c ? CORE_OK : CORE_NO_MEMORY;
  for (size_t i = 0; i < r->n_events && !status; i++) {
    const char *x = text(r, &r->events[i], room);
    status = record_set_string(c, i, x, strlen(x));
  }
  return status;
}

/* ---- numbers; NaN where an event has none ---- */

/* how many an event has, and where; NULL: none */
typedef const double *numbers_of(const sim_run *r, const sim_event *e, int *n);

static const double *q_of(const sim_run *r, const sim_event *e, int *n) {
  *n = r->m->shape.nq;
  return sim_event_q(r, e);
}

static const double *u_of(const sim_run *r, const sim_event *e, int *n) {
  *n = r->m->shape.nu;
  return sim_event_u(r, e);
}

static const double *u_after_of(const sim_run *r, const sim_event *e, int *n) {
  *n = sim_is_impact(e) || e->kind == SIM_USER ? r->m->shape.nu : 0;
  return sim_event_u_after(r, e);
}

static const double *impulse_of(const sim_run *r, const sim_event *e, int *n) {
  *n = sim_is_impact(e) ? sim_event_rows(r, e) : 0;
  return r->numbers + e->impulse;
}

static const double *lost_of(const sim_run *r, const sim_event *e, int *n) {
  (void)r;
  *n = sim_is_impact(e);
  return &e->lost;
}

static const double *t_of(const sim_run *r, const sim_event *e, int *n) {
  (void)r;
  *n = 1;
  return &e->t;
}

/* ---- their units ---- */

/* of number j of those that events have; "" when it is not the same in all of them */
typedef const char *unit_of(const sim_run *r, int j);

static const char *seconds(const sim_run *r, int j) {
  (void)r, (void)j;
  return "s";
}

static const char *joules(const sim_run *r, int j) {
  (void)r, (void)j;
  return "J";
}

static const char *of_q(const sim_run *r, int j) {
  return bind_unit_of_state(r->m, 'q', j, 1);
}

static const char *of_u(const sim_run *r, int j) {
  return bind_unit_of_state(r->m, 'u', j, 1);
}

/* row of all contacts that is row j of those of the impact; -1 when it has fewer */
static int row_of(const sim_run *r, const sim_event *e, int j) {
  for (int i = 0; i < e->n; i++) {
    int c = r->integers[e->ids + (size_t)i], rows = model_rows_of(&r->m->shape, c);
    if (j < rows) return model_first(&r->m->shape, c) + j;
    j -= rows;
  }
  return -1;
}

static const char *of_impulse(const sim_run *r, int j) {
  const char *unit = NULL;
  for (size_t i = 0; i < r->n_events; i++) {
    const sim_event *e = &r->events[i];
    int row = sim_is_impact(e) ? row_of(r, e, j) : -1;
    if (row < 0) continue;
    const char *mine = bind_unit_of_rows(r->m, row, 1, "N s", "N m s");
    if (unit && strcmp(unit, mine)) return "";
    unit = mine;
  }
  return unit ? unit : "";
}

/* ---- their columns ---- */

/* columns name1, name2 ..., as many as the event with most has; `single`: one, called `name` */
static core_status add_numbers(record_table *t, const sim_run *r, const char *name, unit_of *unit,
                               numbers_of *numbers, int single) {
  int most = 0, n;
  for (size_t i = 0; i < r->n_events; i++) {
    numbers(r, &r->events[i], &n);
    most = n > most ? n : most;
  }
  for (int j = 0; j < most; j++) {
    char full[32];
    snprintf(full, sizeof full, single ? "%s" : "%s%d", name, j + 1);
    record_column *c = record_add(t, full, unit(r, j), RECORD_NUMBER, 1);
    if (!c) return CORE_NO_MEMORY;
    for (size_t i = 0; i < r->n_events; i++) {
      const double *x = numbers(r, &r->events[i], &n);
      c->x[i] = j < n ? x[j] : NAN;
    }
  }
  return CORE_OK;
}

/* ---- the table ---- */

static core_status fill(record_table *t, const sim_run *r, core_scratch *s) {
  static const struct {
    const char *name;
    text_of *text;
  } texts[] = {{"event", kind_of}, {"contacts", contacts_of}, {"name", name_of}, /* t.kind is a */
               {"mode", mode_of},  {"why", why_of},           {"status", status_of}}; /* method */
  static const struct {
    const char *name;
    unit_of *unit;
    numbers_of *numbers;
    int single;
  } numbers[] = {{"lost", joules, lost_of, 1},
                 {"q", of_q, q_of, 0},
                 {"u", of_u, u_of, 0},
                 {"u_after", of_u, u_after_of, 0},
                 {"impulse", of_impulse, impulse_of, 0}};
  char *room = core_scratch_bytes(s, ((size_t)r->m->shape.nc + 1) * DIGITS);
  core_status status = room ? record_resize(t, r->n_events) : CORE_NO_MEMORY;
  if (!status) status = add_numbers(t, r, "t", seconds, t_of, 1);
  for (size_t k = 0; k < sizeof texts / sizeof *texts && !status; k++)
    status = add_texts(t, r, texts[k].name, texts[k].text, room);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers && !status; k++)
    status =
        add_numbers(t, r, numbers[k].name, numbers[k].unit, numbers[k].numbers, numbers[k].single);
  return status;
}

void bind_run_event_table(lua_State *L, const sim_run *r) {
  record_table *t = bind_table_new(L);
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {.status = fill(t, r, s)};
  core_scratch_release(s, mark);
  bind_raise_if(L, err.status, &err);
}
