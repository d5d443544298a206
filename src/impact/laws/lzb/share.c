/* Contacts that stick and depend on each other, as points of one body do: how long they hold, who
 * slides off when they do not, and how they share what holds them.
 *
 * Rows S of all that stick have W_SS = L L^T, and their accelerations are L a, a in as many
 * dimensions as there are ways to slide. Of all forces |f_i| <= mu F_n = m_i those that act make
 *
 *   a = beta + L^T f  shortest;    a minimises |a|^2/2 - beta.a + sum_i m_i |L_i a|
 *
 * (its dual). All hold where a = 0, which many f can do. With |L_i a| rounded to
 * (|L_i a|^2 + eps_i^2)^(1/2) the function is smooth and has one f:
 *
 *   f_i = -m_i psi_i,   psi = x/(1 + x^2)^(1/2),   x_i = L_i a/eps_i
 *
 * which is inside all limits and as far from them as may be (it has the largest sum of eps_i m_i
 * (1 - psi_i^2)^(1/2)), does not ask for the order of contacts or the directions of tangents, and
 * where nothing can hold x grows to 1/eps along the motion that begins. eps goes down step by step,
 * and a follows it on a path that is linear in eps for what sticks and for what slides.
 *
 * The share that is found holds at one moment. For the time that comes it goes on linearly, by the
 * derivative of psi, until a contact comes to its limit. It stays there as long as the others hold
 * (settle.c); else there is another share of all, or none. Which share it is changes no velocity.
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "impact/laws/lzb/share.h"
#include "impact/laws/tolerance.h"

static int take(lzb_share_of *q) {
  size_t k = (size_t)q->k, n = (size_t)q->n;
  q->of = core_scratch_ints(q->z->s, 2 * n + 1 + k);
  q->L = core_scratch_doubles(q->z->s, 2 * k * k + 2 * n + 7 * k);
  if (!q->of || !q->L) return 0;
  q->at = q->of + n, q->pivot = q->at + n + 1;
  q->limit = q->L + k * k, q->size = q->limit + n;
  q->x = q->size + n, q->psi = q->x + k;
  q->a = q->psi + k, q->beta = q->a + k, q->to = q->beta + k;
  q->grad = q->to + k, q->step = q->grad + k, q->H = q->step + k;
  return 1;
}

/* contacts that stick, and where their rows begin among z->stuck */
static void list(lzb_share_of *q) {
  int k = 0;
  q->n = 0;
  for (int i = 0; i < q->z->nc; i++) {
    int first = k;
    while (k < q->k && q->z->stuck[k] < q->z->c[i].n && q->z->stuck[k] >= q->z->c[i].t) k++;
    if (k > first) q->of[q->n] = i, q->at[q->n++] = first;
  }
  q->at[q->n] = q->k;
}

/* ---- L ---- */

static double w_of(const lzb_share_of *q, int i, int j) {
  return q->z->W[q->z->stuck[j] * q->z->rows + q->z->stuck[i]];
}

/* Cholesky's factor with the largest pivot first, as far as they count */
static void factor(lzb_share_of *q) {
  int k = q->k;
  double *left = q->x, most = 0, *L = q->L;
  for (int i = 0; i < k; i++) left[i] = w_of(q, i, i), most = fmax(most, left[i]);
  memset(L, 0, (size_t)(k * k) * sizeof *L);
  for (q->r = 0; q->r < k; q->r++) {
    int best = 0, c = q->r;
    for (int i = 1; i < k; i++)
      if (left[i] > left[best]) best = i;
    if (!(left[best] > TOL_LZB_RANK * most)) break;
    q->pivot[c] = best;
    double root = sqrt(left[best]);
    for (int i = 0; i < k; i++) {
      double sum = w_of(q, i, best);
      for (int j = 0; j < c; j++) sum -= L[i * k + j] * L[best * k + j];
      L[i * k + c] = left[i] == 0 && i != best ? 0 : sum / root;
    }
    for (int i = 0; i < k; i++) left[i] = fmax(left[i] - L[i * k + c] * L[i * k + c], 0);
    left[best] = 0;
  }
}

/* ---- loads ---- */

/* what contact j does to the stuck row r beside what is asked for */
static double push(const lzb_share_of *q, int r, int j) {
  const lzb *z = q->z;
  const lzb_contact *c = &z->c[j];
  double sum = 0;
  for (int t = c->t; t <= c->n; t++)
    if (t == c->n || lzb_at_limit(c)) sum += z->W[t * z->rows + r] * z->f[t];
  return sum;
}

/* limits, loads and the size of accelerations, at the forces z->f */
static void load(lzb_share_of *q) {
  const lzb *z = q->z;
  double all = 0, *b = q->psi;
  for (int j = 0; j < z->nc; j++)
    all += z->f[z->c[j].n] + (lzb_at_limit(&z->c[j]) ? lzb_pull(z, &z->c[j]) : 0);
  memset(b, 0, (size_t)q->k * sizeof *b);
  for (int i = 0; i < q->n; i++) {
    const lzb_contact *c = &z->c[q->of[i]];
    double own = 0;
    for (int j = 0; j < z->nc; j++) {
      double sum = 0;
      for (int r = q->at[i]; r < q->at[i + 1]; r++) {
        double by = push(q, z->stuck[r], j);
        b[r] += by, sum = hypot(sum, by);
      }
      own += sum;
    }
    q->limit[i] = fmin(c->mu * z->f[c->n], LIMIT_LZB_ASKED * all);
    for (int r = q->at[i]; r < q->at[i + 1]; r++)
      own += w_of(q, r, r) * fmax(z->f[c->n], q->limit[i]);
    q->size[i] = own > LIMIT_LZB_LEAST ? own : 1;
  }
  lzb_share_solve(q, b, q->beta);
}

/* ---- the path ---- */

double lzb_share_bend(lzb_share_of *q, int i, const double *a) {
  double square = 1;
  for (int r = q->at[i]; r < q->at[i + 1]; r++) {
    q->x[r] = lzb_share_along(q, r, a) / (q->eps * q->size[i]);
    square += q->x[r] * q->x[r];
  }
  double root = sqrt(square);
  for (int r = q->at[i]; r < q->at[i + 1]; r++) q->psi[r] = q->x[r] / root;
  return root;
}

/* the function that is minimised, and the size of its terms */
static double value(lzb_share_of *q, const double *a, double *size) {
  double sum = 0;
  *size = 0;
  for (int j = 0; j < q->r; j++) {
    sum += a[j] * (a[j] / 2 - q->beta[j]);
    *size += fabs(a[j]) * (fabs(a[j]) / 2 + fabs(q->beta[j]));
  }
  for (int i = 0; i < q->n; i++) {
    double term = q->limit[i] * q->eps * q->size[i] * lzb_share_bend(q, i, a);
    sum += term, *size += term;
  }
  return sum;
}

void lzb_share_slope(lzb_share_of *q, int i, double by, double root) {
  for (int r = q->at[i]; r < q->at[i + 1]; r++)
    for (int s = q->at[i]; s < q->at[i + 1]; s++) {
      double c = by * lzb_share_part(q->psi, r, s, root);
      for (int u = 0; u < q->r; u++)
        for (int v = 0; v < q->r; v++)
          q->H[v * q->r + u] += q->L[r * q->k + u] * c * q->L[s * q->k + v];
    }
}

/* gradient and second derivatives at a; to: how the gradient falls with eps */
static void differentiate(lzb_share_of *q) {
  int n = q->r;
  memset(q->H, 0, (size_t)(n * n) * sizeof *q->H);
  for (int j = 0; j < n; j++) q->H[j * n + j] = 1, q->grad[j] = q->a[j] - q->beta[j], q->to[j] = 0;
  for (int i = 0; i < q->n; i++) {
    double root = lzb_share_bend(q, i, q->a);
    lzb_share_slope(q, i, q->limit[i] / (q->eps * q->size[i]), root);
    for (int r = q->at[i]; r < q->at[i + 1]; r++)
      for (int j = 0; j < n; j++) {
        q->grad[j] += q->limit[i] * q->psi[r] * q->L[r * q->k + j];
        q->to[j] += q->limit[i] * q->psi[r] / (root * root) * q->L[r * q->k + j];
      }
  }
}

/* a shorter step where the whole one does not lower the function */
static double advance(lzb_share_of *q, double fall) {
  double size, before = value(q, q->a, &size), part = 1;
  for (; part > 1e-3; part /= 2) {
    for (int j = 0; j < q->r; j++) q->to[j] = q->a[j] + part * q->step[j];
    if (value(q, q->to, &size) <= before - 1e-4 * part * fall + TOL_REST * size) break;
  }
  memcpy(q->a, q->to, (size_t)q->r * sizeof *q->a);
  return part;
}

/* Newton's steps at one eps, until x moves no more */
static core_status descend(lzb_share_of *q) {
  for (int turn = 0; turn < LIMIT_LZB_DESCENT; turn++) {
    double fall = 0, most = 0;
    differentiate(q);
    for (int j = 0; j < q->r; j++) q->step[j] = -q->grad[j];
    core_status status = core_lin_solve_spd(q->r, q->H, 1, q->step, q->z->s, NULL);
    if (status) return status;
    for (int j = 0; j < q->r; j++) fall -= q->step[j] * q->grad[j];
    for (int i = 0; i < q->n; i++)
      for (int r = q->at[i]; r < q->at[i + 1]; r++)
        most = fmax(most, fabs(lzb_share_along(q, r, q->step)) / (q->eps * q->size[i]) /
                              (1 + fabs(q->x[r])));
    if (advance(q, fall) == 1 && most < TOL_LZB_DESCENT) break;
  }
  return CORE_OK;
}

/* to the next eps, along the path: d grad/d eps = -to/eps */
static core_status lower(lzb_share_of *q) {
  differentiate(q);
  core_status status = core_lin_solve_spd(q->r, q->H, 1, q->to, q->z->s, NULL);
  for (int j = 0; j < q->r && !status; j++) q->a[j] -= (1 - LIMIT_LZB_LOWER) * q->to[j];
  q->eps *= LIMIT_LZB_LOWER;
  return status;
}

static core_status follow(lzb_share_of *q) {
  core_status status = CORE_OK;
  memset(q->a, 0, (size_t)q->r * sizeof *q->a);
  for (q->eps = 1; !status;) {
    status = descend(q);
    if (status || q->eps <= TOL_LZB_ROUNDED) break;
    status = lower(q);
  }
  return status;
}

/* ---- what follows ---- */

/* |L_i a|, and the vector into d */
static double leaves(const lzb_share_of *q, int i, double *d) {
  const lzb_contact *c = &q->z->c[q->of[i]];
  double off = 0;
  d[0] = d[1] = 0;
  for (int r = q->at[i]; r < q->at[i + 1]; r++) {
    double a = lzb_share_along(q, r, q->a);
    d[q->z->stuck[r] - c->t] = a, off = hypot(off, a);
  }
  return off;
}

/* those that slide off, with their directions; where some do, all that are far from a share do */
static int release(lzb_share_of *q) {
  double d[2], most = 0;
  for (int i = 0; i < q->n; i++) most = fmax(most, leaves(q, i, d) / q->size[i]);
  if (most <= TOL_LZB_SHARE) return 0;
  for (int i = 0; i < q->n; i++) {
    lzb_contact *c = &q->z->c[q->of[i]];
    double off = leaves(q, i, d);
    if (off <= TOL_LZB_SHARE_TOO * q->size[i]) continue;
    c->grip = LZB_SLIDE, c->off = off;
    for (int t = 0; t < lzb_tangents(c); t++) c->d[t] = d[t] / off;
  }
  return 1;
}

/* twice what the share has above the limits now */
static void find_slack(lzb *z) {
  for (int r = 0; r < z->n_stuck; r++) z->f[z->stuck[r]] = 0;
  lzb_hold(z, z->f);
  z->slack = TOL_LZB_SHARE;
  for (int i = 0; i < z->nc; i++) {
    const lzb_contact *c = &z->c[i];
    double limit = c->mu * z->f[c->n];
    if (c->grip == LZB_STICK && limit > 0)
      z->slack = fmax(z->slack, 2 * (lzb_pull(z, c) / limit - 1));
  }
}

core_status lzb_share(lzb *z, int *released) {
  lzb_share_of q = {.z = z, .n = z->nc, .k = z->n_stuck};
  core_mark mark = core_scratch_mark(z->s);
  if (!take(&q)) return CORE_NO_MEMORY;
  list(&q);
  factor(&q);
  load(&q);
  core_status status = follow(&q);
  *released = !status && release(&q);
  if (!status && !*released && z->depend) status = lzb_share_hold(&q);
  if (!status && !*released) find_slack(z);
  core_scratch_release(z->s, mark);
  return status;
}
