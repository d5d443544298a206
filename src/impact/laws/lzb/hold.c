/* How contacts of law.lzb that stick and depend on each other go on sharing what holds them: f_S =
 * -Z f, linear in all other forces f, so that it is a series where they are. Z makes W_SS Z = W_S:
 * and, at the moment of the share psi of share.c, f_i = -m_i psi_i; what changes later is spread as
 * psi would be by its derivative, with the weights C_i = m_i/eps_i dpsi/dx:
 *
 *   f_i = -m_i psi_i - C_i L_i H^-1 (beta - sum m L^T psi),   H = sum L^T C L
 */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "impact/laws/lzb/share.h"
#include "impact/laws/tolerance.h"

/* H = sum L^T C L, C = weight dpsi/dx, not too far out, where it hardly bends any more; weights
 * m_i/eps_i, but for contacts that are about to open and would leave H singular */
static void weigh(lzb_share_of *q, double *root, double *weight) {
  double most = 0, heaviest = 0;
  for (int r = 0; r < q->k; r++) most = fmax(most, fabs(q->x[r]));
  for (int i = 0; i < q->n; i++)
    weight[i] = q->limit[i] / q->size[i], heaviest = fmax(heaviest, weight[i]);
  q->eps *= fmax(1, most / LIMIT_LZB_BENT);
  memset(q->H, 0, (size_t)(q->r * q->r) * sizeof *q->H);
  for (int i = 0; i < q->n; i++) {
    root[i] = lzb_share_bend(q, i, q->a);
    weight[i] = fmax(weight[i], heaviest / (LIMIT_LZB_BENT * LIMIT_LZB_BENT * LIMIT_LZB_BENT));
    lzb_share_slope(q, i, weight[i], root[i]);
  }
}

/* part of a normal force that friction follows with; none where friction is far more than needed */
static double part_of(const lzb_share_of *q, int i) {
  const lzb_contact *c = &q->z->c[q->of[i]];
  return c->mu < LIMIT_LZB_ASKED && q->z->f[c->n] > 0 ? q->limit[i] / q->z->f[c->n] : 0;
}

/* f_S = -to f, of the column of row j, where y = H^-1 (beta_j - part of psi) */
static void fill(const lzb_share_of *q, int j, const double *psi, const double *y,
                 const double *root, const double *weight, double *to) {
  for (int i = 0; i < q->n; i++) {
    double part = j == q->z->c[q->of[i]].n ? part_of(q, i) : 0;
    for (int r = q->at[i]; r < q->at[i + 1]; r++) {
      to[r] = part * psi[r];
      for (int s = q->at[i]; s < q->at[i + 1]; s++)
        to[r] += weight[i] * lzb_share_part(q->psi, r, s, root[i]) * lzb_share_along(q, s, y);
    }
  }
}

/* columns of L made orthonormal: accelerations that forces make, Gram and Schmidt's way, twice */
static void orthonormal(lzb_share_of *q) {
  for (int c = 0; c < q->r; c++)
    for (int turn = 0; turn < 2; turn++) {
      double size = 0;
      for (int j = 0; j < c; j++) {
        double dot = 0;
        for (int i = 0; i < q->k; i++) dot += q->L[i * q->k + j] * q->L[i * q->k + c];
        for (int i = 0; i < q->k; i++) q->L[i * q->k + c] -= dot * q->L[i * q->k + j];
      }
      for (int i = 0; i < q->k; i++) size = hypot(size, q->L[i * q->k + c]);
      for (int i = 0; i < q->k; i++) q->L[i * q->k + c] /= size;
    }
}

/* Z + x less what x makes move: Z holds exactly, x only shares */
static void add_share(const lzb_share_of *q, double *Z, double *x) {
  for (int c = 0; c < q->r; c++) {
    double dot = 0;
    for (int i = 0; i < q->k; i++) dot += q->L[i * q->k + c] * x[i];
    for (int i = 0; i < q->k; i++) x[i] -= dot * q->L[i * q->k + c];
  }
  for (int i = 0; i < q->k; i++) Z[i] += x[i];
}

/* what a unit of force at row j asks for, less its own share of psi */
static void ask(const lzb_share_of *q, int j, const double *psi, double *b, double *y) {
  const lzb *z = q->z;
  for (int r = 0; r < q->k; r++) b[r] = z->W[j * z->rows + z->stuck[r]];
  lzb_share_solve(q, b, y);
  for (int i = 0; i < q->n; i++) {
    const lzb_contact *c = &z->c[q->of[i]];
    if (c->n != j) continue;
    for (int r = q->at[i]; r < q->at[i + 1]; r++)
      for (int u = 0; u < q->r; u++) y[u] -= part_of(q, i) * psi[r] * q->L[r * q->k + u];
  }
}

core_status lzb_share_hold(lzb_share_of *q) {
  size_t k = (size_t)q->k, rows = (size_t)q->z->rows;
  double *psi = core_scratch_doubles(q->z->s, 2 * k + 2 * k * rows + 2 * (size_t)q->n);
  if (!psi) return CORE_NO_MEMORY;
  double *b = psi + k, *root = b + k, *weight = root + q->n, *Y = weight + q->n;
  double *X = Y + k * rows;
  memcpy(psi, q->psi, k * sizeof *psi);
  weigh(q, root, weight);
  for (int j = 0; j < q->z->rows; j++) ask(q, j, psi, b, Y + j * q->r);
  core_status status = core_lin_solve_spd(q->r, q->H, q->z->rows, Y, q->z->s, NULL);
  if (status) return status == CORE_SINGULAR ? CORE_OK : status; /* Z as it is */
  for (int j = 0; j < q->z->rows; j++) fill(q, j, psi, Y + j * q->r, root, weight, X + j * q->k);
  orthonormal(q);
  for (int j = 0; j < q->z->rows; j++) add_share(q, q->z->Z + j * q->k, X + j * q->k);
  return CORE_OK;
}
