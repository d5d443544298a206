/* The state that a tree in the plane is linearised at: coefficients of s, 1 and 1/s. plane_stiff.c
 * says what they are. */
#include <string.h>

#include "model/plane_stiff.h"

/* ---- memory ---- */

size_t plane_bytes(int bodies) {
  return sizeof(plane_tree) +
         (size_t)bodies * (sizeof(plane_body) + sizeof(plane_state) + sizeof(plane_joint));
}

plane_tree *plane_place(void *memory, int bodies, int speeds) {
  plane_tree *t = memory;
  t->n = bodies, t->speeds = speeds;
  t->joint = (plane_joint *)(t + 1);
  t->body = (plane_body *)(t->joint + bodies);
  t->state = (plane_state *)(t->body + bodies);
  return t;
}

/* ---- the state ---- */

/* a row of g, e or Wf: x p + y rho(p) */
static void put(double *row, const double *p, double x, double y) {
  row[0] = x * p[0] - y * p[1];
  row[1] = x * p[1] + y * p[0];
}

static void add(double *row, const double *p, double x, double y) {
  row[0] += x * p[0] - y * p[1];
  row[1] += x * p[1] + y * p[0];
}

static void move(const plane_body *b, const plane_state *up, const double *u, const double *udot,
                 plane_state *x) {
  double w2 = up->w * up->w;
  int turns = b->joint == MECHANISM_HINGE ? b->at : b->joint == MECHANISM_FREE ? b->at + 2 : -1;
  x->w = up->w + (turns < 0 ? 0 : u[turns]);
  x->alpha = up->alpha + (turns < 0 ? 0 : udot[turns]);
  memcpy(x->a, up->a, sizeof x->a);
  if (b->joint == MECHANISM_FREE)
    x->a[0] += udot[b->at], x->a[1] += udot[b->at + 1];
  else
    add(x->a, b->r, -w2, up->alpha);
  if (b->joint == MECHANISM_SLIDE) add(x->a, b->d, udot[b->at], 2 * up->w * u[b->at]);
}

static void carry(const plane_body *b, const plane_state *up, const double *u, const double *udot,
                  plane_state *x) {
  double w2 = up->w * up->w;
  put(x->g[0], b->r, 0, 1);
  put(x->g[1], b->r, -2 * up->w, 0);
  put(x->g[2], b->r, -up->alpha, -w2);
  if (b->joint != MECHANISM_SLIDE) return;
  double v = u[b->at];
  add(x->g[1], b->d, 0, 2 * v);
  add(x->g[2], b->d, -2 * up->w * v, udot[b->at]);
  put(x->e[0], b->d, 1, 0);
  put(x->e[1], b->d, 0, 2 * up->w);
  put(x->e[2], b->d, -w2, up->alpha);
}

static void weigh(const plane_body *b, plane_state *x) {
  double w2 = x->w * x->w;
  x->Wn = -plane_dot(b->mc, x->a);
  put(x->Wf[0], b->mc, 0, 1);
  put(x->Wf[1], b->mc, -2 * x->w, 0);
  put(x->Wf[2], b->mc, -x->alpha, -w2);
  for (int i = 0; i < 2; i++) x->f[i] = b->m * x->a[i];
  add(x->f, b->mc, -w2, x->alpha);
}

void plane_look(plane_tree *t, const double *g, const double *u, const double *udot) {
  const plane_state world = {.a = {-g[0], -g[1]}};
  for (int i = 0; i < t->n; i++) {
    const plane_body *b = &t->body[i];
    const plane_state *up = b->parent < 0 ? &world : &t->state[b->parent];
    move(b, up, u, udot, &t->state[i]);
    carry(b, up, u, udot, &t->state[i]);
    weigh(b, &t->state[i]);
  }
  for (int i = t->n - 1; i >= 0; i--) {
    const plane_body *b = &t->body[i];
    plane_state *x = &t->state[i];
    const double across[2] = {-b->d[1], b->d[0]};
    x->turned = b->joint == MECHANISM_SLIDE ? plane_dot(across, x->f) : 0;
    for (int j = 0; j < 2 && b->parent >= 0; j++) t->state[b->parent].f[j] += x->f[j];
  }
}
