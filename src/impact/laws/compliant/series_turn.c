/* The Taylor series of a step in which slip turns, exact to rounding.
 *
 * Deflection and slip point the same way, x = rho d, rho = mu F_n / kt, |d| = 1. Across d the
 * spring follows the contact, so with e = (-d2, d1) and q the rate of turning
 *
 *   rho q = v.e,   d' = q e,   F_t = -mu F_n d,   v' = W F,   n' = v_n
 *
 * and every coefficient follows from those before it by products of series.
 *
 *   Start: a contact that has just closed has rho = 0, rho' > 0. Of all solutions one is regular,
 *   with d along v_t; order j + 1 of rho q = v.e then holds q[j] on both sides and gives it.
 *
 *   End: as the contact opens rho goes to 0 linearly and d goes to the direction of v_t like a
 *   power of the time left, which no series in t can follow. In the time sigma with dt = g dsigma,
 *   g = F_n / F_n(now) the pace, all is smooth: rho q = g v.e becomes q = v.e / rho(now).
 *
 *   Stiff: where rho is tiny beside v h (eta small) d follows v at once, and only tiny steps could
 *   tell that it does not. Then rho q is a small correction: order j + 1 gives q[j] as at the
 *   start, with rho[0] q[j+1] taken from the sweep before, and a few sweeps converge.
 *
 * Four contacts go side by side through the same sums, whether they turn or not: those that do not
 * have q = 0, those that stick no drag, and open ones nothing at all.
 */
#include <stdint.h>
#include <string.h>

#include "impact/laws/compliant/fast/fast.h"
#include "impact/laws/compliant/series_turn.h"

typedef compliant_four four;

/* ---- sums of one order, four contacts at once ---- */

/* F_n d, F_n q, v.e and q d at order j, and where time runs by pace (uneven) forces, v.e and v_n
 * times that; all without q[j] and F_t[j], which are not known yet */
CORE_PART void products(int j, int uneven, const double *pace, compliant_turn *a) {
  four f1 = {0}, f2 = {0}, fq = {0}, across = {0}, q1 = {0}, q2 = {0};
  four g1 = {0}, g2 = {0}, gn = {0}, gw = {0}, gv = {0};
  for (int i = 0; i <= j; i++) {
    four c = a->d[0][j - i], s = a->d[1][j - i], f = a->f[2][i], q = a->q[i];
    f1 += f * c, f2 += f * s, fq += f * a->q[j - i];
    across += a->v[1][i] * c - a->v[0][i] * s;
    q1 += q * c, q2 += q * s;
    if (!uneven) continue;
    double g = pace[j - i];
    g1 += a->f[0][i] * g, g2 += a->f[1][i] * g, gn += f * g;
    gw += a->w[i] * g, gv += a->v[2][i] * g;
  }
  a->f_d[0] = f1, a->f_d[1] = f2, a->f_q = fq;
  a->q_d[0] = q1, a->q_d[1] = q2;
  a->w[j] = across;
  a->paced_f[0] = g1, a->paced_f[1] = g2, a->paced_f[2] = uneven ? gn : a->f[2][j];
  a->paced_w = gw + across, a->paced_v[2] = uneven ? gv : a->v[2][j];
}

/* order j of x times pace, which is x[j] where time runs evenly */
CORE_PART void paced(int j, const double *pace, const four *x, four *out) {
  four sum = x[j];
  for (int i = 0; pace && i < j; i++) sum += x[i] * pace[j - i];
  *out = sum;
}

/* forces of order j, but for those of held contacts; all times pace */
CORE_WIDE static void forces_of(compliant *z, int j, const double *pace) {
  compliant_turn *a = z->series.four;
  for (int b = 0; b < z->nc; b += 4, a++) {
    for (int t = 0; a->sticks && t < 2; t++) paced(j, pace, a->v[t], &a->paced_v[t]);
    a->q[j] = a->w[j] = a->f[0][j] = a->f[1][j] = a->f[2][j] = (four){0};
    if (!a->pressed) {
      paced(j, pace, a->v[2], &a->paced_v[2]);
      continue;
    }
    a->f[2][j] = a->press * a->y[2];
    if (pace)
      products(j, 1, pace, a);
    else
      products(j, 0, pace, a);
    for (int t = 0; t < 2; t++) {
      a->f[t][j] = a->stick * a->y[t] + a->drag * a->f_d[t];
      a->paced_f[t] += a->f[t][j];
    }
  }
}

/* y' = v */
CORE_WIDE static void follow(compliant *z, double by) {
  compliant_turn *a = z->series.four;
  for (int b = 0; b < z->nc; b += 4, a++) {
    a->y[2] = by * a->paced_v[2];
    for (int t = 0; t < 2; t++) a->y[t] = by * a->follows * a->paced_v[t];
  }
}

/* d[j+1] from the sums with q d and q[j] */
CORE_PART void turn_by(int j, double by, compliant_turn *a) {
  a->d[0][j + 1] = -by * (a->q_d[1] + a->q[j] * a->d[1][0]);
  a->d[1][j + 1] = by * (a->q_d[0] + a->q[j] * a->d[0][0]);
}

/* q[j] from order j + 1 of rho q = v.e, with rho[0] q[j+1] from the last sweep (or rho[0] = 0):
 * d[j+1] = (known - q[j] h d2 / (j+1), known + q[j] h d1 / (j+1)) holds q[j] too; f_n holds up to
 * j, and y and v up to j + 1 */
CORE_PART void rate_slow(int j, double by, const double *pace, compliant_turn *a, four *q) {
  four w = {0}, next = a->press * a->y[2], first = j ? a->f[2][1] : next;
  four known = next * a->q[0] + a->f[2][0] * a->old[j + 1];
  turn_by(j, by, a);
  for (int i = 0; i <= j + 1; i++)
    w += a->v[1][i] * a->d[0][j + 1 - i] - a->v[0][i] * a->d[1][j + 1 - i];
  for (int i = 1; i <= j; i++) known += a->f[2][i] * a->q[j + 1 - i];
  for (int i = 0; pace && i <= j; i++) w += a->w[i] * pace[j + 1 - i];
  four here = by * (a->v[0][0] * a->d[0][0] + a->v[1][0] * a->d[1][0]);
  a->lean[j] = a->ratio * a->f[2][0] / (a->ratio * first + here);
  *q = (w - a->ratio * known) / (a->ratio * first + here);
}

/* q[j] from rho q = v.e with rho[0] > 0 (lead: its force is the pace), and d[j+1] */
CORE_WIDE static void turn_all(compliant *z, int j, double by, const double *pace) {
  compliant_turn *a = z->series.four;
  for (int b = 0; b < z->nc; b += 4, a++) {
    if (!a->turning) {
      a->d[0][j + 1] = a->d[1][j + 1] = (four){0};
      continue;
    }
    four q = (a->paced_w - a->ratio * a->f_q) * a->per_rho;
    if (a->lead >= 0) q[a->lead] = a->w[j][a->lead] * a->per_rho[a->lead];
    if (a->slow) {
      four late;
      rate_slow(j, by, pace, a, &late);
      for (int l = 0; l < 4; l++)
        if (a->slow >> l & 1) q[l] = late[l];
    }
    a->q[j] = q;
    turn_by(j, by, a);
  }
}

/* ---- between contacts ---- */

/* the four of contact i, which is number i % 4 among them */
static compliant_turn *four_of(const compliant *z, int i) {
  return &z->series.four[i / 4];
}

/* three rows of fours (at `offset` of each) -> one number per row; mostly all have three */
static void put(const compliant *z, size_t offset, double *to) {
  for (int i = 0; i < z->nc; i += 4) {
    const double *x = (const double *)((const char *)four_of(z, i) + offset);
    const compliant_contact *k = &z->c[i];
    double *at = to + k->t;
    if (four_of(z, i)->whole) {
      for (int l = 0; l < 4; l++)
        for (int t = 0; t < 3; t++) at[3 * l + t] = x[4 * t + l];
      continue;
    }
    for (int l = 0; l < 4 && i + l < z->nc; l++, k++) {
      for (int t = 0; t < k->tangents; t++) to[k->t + t] = x[4 * t + l];
      to[k->n] = x[8 + l];
    }
  }
}

/* the other way round: velocities of order j */
static void take_velocity(const compliant *z, int j, const double *v) {
  for (int i = 0; i < z->nc; i += 4) {
    compliant_turn *a = four_of(z, i);
    const compliant_contact *k = &z->c[i];
    const double *at = v + k->t;
    if (a->whole) {
      for (int t = 0; t < 3; t++) a->v[t][j] = (four){at[t], at[3 + t], at[6 + t], at[9 + t]};
      continue;
    }
    for (int l = 0; l < 4 && i + l < z->nc; l++, k++) {
      for (int t = 0; t < k->tangents; t++) a->v[t][j][l] = v[k->t + t];
      a->v[2][j][l] = v[k->n];
    }
  }
}

static void set_reaction(compliant *z, int i, int j, double q) {
  compliant_turn *a = four_of(z, i);
  int l = i % 4;
  z->series.held[j * z->nc + i] = a->f[2][j][l] = q;
  a->paced_f[2][l] += q;
  a->f_q[l] += q * a->q[0][l];
  for (int t = 0; t < 2; t++) {
    double drag = a->drag[l] * q * a->d[t][0][l];
    a->f_d[t][l] += q * a->d[t][0][l];
    a->f[t][j][l] += drag;
    a->paced_f[t][l] += drag;
  }
}

/* normal reactions of order j that keep v_n of held contacts at 0: M q = -(W F)_n */
static void add_reactions(compliant *z, int j) {
  int n = 0, *who = z->who;
  double *rate = z->work, *F = z->row_work;
  for (int i = 0; i < z->nc; i++) {
    const compliant_turn *a = four_of(z, i);
    for (int t = 0; t < z->c[i].tangents; t++) F[z->c[i].t + t] = a->f[t][j][i % 4];
    F[z->c[i].n] = a->f[2][j][i % 4];
  }
  for (int i = 0; i < z->nc; i++) {
    if (z->c[i].touch != HELD) continue;
    rate[n] = dot(z->rows, z->W + (size_t)z->c[i].n * (size_t)z->rows, F);
    who[n++] = i;
  }
  for (int a = 0; a < n; a++) {
    double q = 0;
    for (int b = 0; b < n; b++) q -= z->phase.M[b * n + a] * rate[b];
    set_reaction(z, who[a], j, q);
  }
}

/* forces of order j, and what is known of their products */
static const double *forces(compliant *z, int j) {
  compliant_series *s = &z->series;
  const double *pace = s->uneven ? s->pace : NULL;
  forces_of(z, j, pace);
  if (z->phase.held) add_reactions(z, j);
  put(z, offsetof(compliant_turn, paced_f), s->f + j * z->rows);
  return pace;
}

/* v[j+1], y[j+1] and pace[j+1] from what is known up to j; forces of open contacts are zero */
static void move(compliant *z, int j, double by, int lead) {
  compliant_series *s = &z->series;
  int rows = z->rows;
  double *v = s->v + (j + 1) * rows, *y = s->y + (j + 1) * rows;
  follow(z, by);
  put(z, offsetof(compliant_turn, y), y);
  memset(v, 0, (size_t)rows * sizeof *v);
  compliant_multiply(z, by, s->f + j * rows, v);
  take_velocity(z, j + 1, v);
  if (lead >= 0) s->pace[j + 1] = y[z->c[lead].n] / s->y[z->c[lead].n];
}

/* ---- the whole ---- */

static void start_contact(const compliant *z, int i, int lead, compliant_turn *a) {
  const compliant_contact *k = &z->c[i];
  int l = i % 4, slides = slips(k);
  a->press[l] = k->touch == PRESSED ? -k->k : 0;
  a->stick[l] = k->touch != OPEN && k->grip == STICK ? -k->kt : 0;
  a->follows[l] = k->grip == STICK;
  a->drag[l] = slides ? -slip_mu(k) : 0;
  a->give[l] = slides && k->touch == PRESSED ? slip_mu(k) * k->k / k->kt : 0;
  a->ratio[l] = k->turning ? slip_mu(k) / k->kt : 0;
  a->pressed |= k->touch != OPEN, a->sticks |= k->grip == STICK;
  a->turning |= k->turning, a->slides |= slides;
  a->whole &= k->tangents == 2;
  a->slow |= (k->turning && (k->just_closed || k->stiff)) << l;
  if (i == lead) a->lead = l;
  for (int t = 0; t < k->tangents; t++) {
    a->v[t][0][l] = z->v[k->t + t], a->y[t][l] = z->y[k->t + t];
    a->d[t][0][l] = slides ? k->d[t] : 0;
  }
  a->v[2][0][l] = z->v[k->n], a->y[2][l] = z->y[k->n];
  for (int j = 0; a->slow && j < LENGTH; j++) a->old[j][l] = k->stiff ? a->q[j][l] : 0;
}

static void start_fours(compliant *z, int lead) {
  for (int b = 0; b < (z->nc + 3) / 4; b++) {
    compliant_turn *a = &z->series.four[b];
    a->press = a->stick = a->follows = a->drag = a->ratio = a->per_rho = (four){0};
    a->give = (four){0};
    for (int t = 0; t < 3; t++) a->v[t][0] = a->y[t] = a->paced_f[t] = a->paced_v[t] = (four){0};
    a->d[0][0] = a->d[1][0] = (four){0};
    for (int j = 0; j < 3; j++) a->f[j][0] = (four){0};
    a->pressed = a->sticks = a->turning = a->slow = a->slides = 0;
    a->whole = 4 * b + 4 <= z->nc;
    a->lead = -1;
  }
  for (int i = 0; i < z->nc; i++) start_contact(z, i, lead, four_of(z, i));
}

/* 1 / rho, where forces are known */
static void start_turning(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    compliant_turn *a = four_of(z, i);
    if (z->c[i].turning) a->per_rho[i % 4] = 1 / (a->ratio[i % 4] * a->f[2][0][i % 4]);
  }
}

static void start(compliant *z, int lead, int order) {
  compliant_series *s = &z->series;
  size_t rows = (size_t)z->rows;
  s->uneven = lead >= 0;
  s->order = order;
  s->pace[0] = 1;
  memcpy(s->y, z->y, rows * sizeof *s->y);
  memcpy(s->v, z->v, rows * sizeof *s->v);
}

/* one run through the orders */
void compliant_turn_series(compliant *z, int lead, int order) {
  compliant_series *s = &z->series;
  start(z, lead, order);
  if (fast_one_series(z)) return;
  start_fours(z, lead);
  for (int j = 0; j < order; j++) {
    double by = s->h * core_taylor_inverse[j];
    const double *pace = forces(z, j);
    if (j == 0) start_turning(z);
    move(z, j, by, lead);
    turn_all(z, j, by, pace);
  }
  forces(z, order);
}

/* Between two sweeps: order j leans on q[j+1] of the sweep before, so that what is better known now
 * of the highest orders goes down to all of them at once; orders below add a factor of
 * (rho/|v|) |v'|/|v| to what is left. */
void compliant_improve_rates(compliant *z, int i) {
  compliant_turn *a = four_of(z, i);
  int l = i % 4;
  for (int j = z->series.order - 2; j >= 0; j--)
    a->q[j][l] -= a->lean[j][l] * (a->q[j + 1][l] - a->old[j + 1][l]);
}

CORE_WIDE void compliant_stretch_turning(compliant *z, double x) {
  compliant_turn *a = z->series.four;
  for (int b = 0; b < z->nc; b += 4, a++) {
    double power = 1;
    for (int j = 0; j <= z->series.order; j++, power *= x) {
      for (int t = 0; t < 2; t++) a->d[t][j] *= power;
      for (int r = 0; r < 3; r++) a->v[r][j] *= power;
    }
  }
}

/* ---- memory ---- */

/* the first whole line of the cache in memory that has one more than is needed: for speed only */
static void *aligned(void *at) {
  return at ? (void *)(((uintptr_t)at + 63) / 64 * 64) : NULL;
}

core_status compliant_start_turning(compliant *z) {
  size_t fours = ((size_t)z->nc + 3) / 4, size = fours * sizeof *z->series.four;
  if (z->pr->dim < 3) return CORE_OK;
  z->series.four = aligned(core_scratch_bytes(z->scratch, size + sizeof *z->series.four));
  if (!z->series.four) return CORE_NO_MEMORY;
  memset(z->series.four, 0, size);
  return CORE_OK;
}
