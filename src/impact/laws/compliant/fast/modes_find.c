/* The modes of a linear phase (modes.c says what they are for). */
#include <string.h>

#include "core/lin.h"
#include "impact/laws/compliant/fast/inside.h"

enum { MOST_FORCES = 24 };

static int take_memory(compliant *z) {
  compliant_modes *o = &z->fast->modes;
  size_t m = (size_t)z->rows, rows = m, nc = (size_t)z->nc;
  struct {
    double **at;
    size_t n;
  } wanted[] = {{&o->w, m},          {&o->square, m},     {&o->beside, m}, {&o->Y, m * m},
                {&o->X, m * m},      {&o->G, rows * m},   {&o->H, nc * m}, {&o->P, rows * m},
                {&o->S, m * m},      {&o->q, m},          {&o->rate, m},   {&o->swing_y, rows},
                {&o->swing_v, rows}, {&o->swing_held, nc}};
  if (o->w) return 1;
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
    if (!(*wanted[i].at = core_scratch_doubles(z->scratch, wanted[i].n))) return 0;
  o->other = core_scratch_ints(z->scratch, 2 * m);
  o->driving_none = o->other + m;
  return o->other != NULL;
}

/* ---- the modes ---- */

/* G, H, P: what a unit of (int q), q and (int q) does to v, held forces and impulses */
static void make_shapes(compliant *z) {
  compliant_modes *o = &z->fast->modes;
  const compliant_phase *f = &z->phase;
  int m = f->m, rows = z->rows, nc = z->nc;
  memset(o->G, 0, (size_t)(rows * m) * sizeof *o->G);
  memset(o->P, 0, (size_t)(rows * m) * sizeof *o->P);
  memset(o->H, 0, (size_t)(nc * m) * sizeof *o->H);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) {
      double by = sqrt(f->stiff[j]) * o->X[i * m + j];
      for (int r = 0; r < rows; r++) {
        o->G[i * rows + r] += f->B[j * rows + r] * by;
        o->P[i * rows + r] += f->D[j * rows + r] * by;
      }
      for (int c = 0; f->held && c < nc; c++) o->H[i * nc + c] += f->G[j * nc + c] * by;
    }
}

static int symmetric_modes(compliant *z) {
  compliant_modes *o = &z->fast->modes;
  int m = z->phase.m;
  if (core_lin_eig_graded(m, o->S, z->scratch, o->square, o->X)) return 0;
  for (int i = 0; i < m; i++) o->other[i] = i;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) o->Y[j * m + i] = o->X[i * m + j];
  return 1;
}

/* E = Y S X, which products of graded numbers keep exact entry by entry */
static void transform(compliant *z, double *E) {
  const compliant_modes *o = &z->fast->modes;
  int m = z->phase.m;
  for (int j = 0; j < m; j++) {
    double *Sx = o->q;
    memset(Sx, 0, (size_t)m * sizeof *Sx);
    for (int k = 0; k < m; k++)
      for (int r = 0; r < m; r++) Sx[r] += o->S[k * m + r] * o->X[j * m + k];
    for (int i = 0; i < m; i++) {
      E[j * m + i] = 0;
      for (int k = 0; k < m; k++) E[j * m + i] += o->Y[k * m + i] * Sx[k];
    }
  }
}

/* X += X D with D_ij = E_ij / (E_jj - E_ii) takes off E what is not on its diagonal, to first
 * order */
static void sharpen(compliant *z, const double *E) {
  compliant_modes *o = &z->fast->modes;
  int m = z->phase.m;
  for (int r = 0; r < m; r++) {
    double *row = o->q;
    for (int i = 0; i < m; i++) row[i] = o->X[i * m + r];
    for (int j = 0; j < m; j++)
      for (int i = 0; i < m; i++)
        if (i != j && i != o->other[j])
          o->X[j * m + r] += row[i] * E[j * m + i] / (E[j * m + j] - E[i * m + i]);
  }
}

/* to rounding of graded numbers, not less: thousands of phases follow each other where contacts
 * stick and slip. Modes that are hardly independent never pass: rounding of Y is in E. */
static int is_diagonal(const compliant_modes *o, int m, double loose, const double *E) {
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) {
      double scale = fabs(E[j * m + j] * E[i * m + i]);
      if (i == j || i == o->other[j]) continue;
      if (!(fabs(E[j * m + i]) <= loose * TOL_MODE * sqrt(scale))) return 0;
    }
  return 1;
}

/* LAPACK knows small w^2 beside the largest only: a few rounds give every one to its own rounding.
 * It has the real and imaginary part of a complex one side by side, which make a pair. */
static int slip_modes(compliant *z, double loose) {
  compliant_modes *o = &z->fast->modes;
  int m = z->phase.m;
  double *imaginary = o->rate, *E = o->G; /* G is made later */
  if (core_lin_eig(m, o->S, z->scratch, o->square, imaginary, o->X)) return 0;
  for (int i = 0; i < m; i++) o->other[i] = imaginary[i] > 0 ? i + 1 : imaginary[i] < 0 ? i - 1 : i;
  for (int round = 0; round < 5; round++) {
    memcpy(o->Y, o->X, (size_t)(m * m) * sizeof *o->Y);
    if (core_lin_inverse(m, o->Y, z->scratch, NULL)) return 0;
    transform(z, E);
    if (is_diagonal(o, m, loose, E)) {
      for (int i = 0; i < m; i++)
        o->square[i] = E[i * m + i], o->beside[i] = E[o->other[i] * m + i];
      return 1;
    }
    sharpen(z, E);
  }
  return 0;
}

/* w of all modes; those without a bound say how long a step may be */
static void find_frequencies(compliant *z) {
  compliant_modes *o = &z->fast->modes;
  int m = z->phase.m;
  o->slowest = o->longest = INFINITY;
  for (int i = 0; i < m; i++) {
    double size = 0, square = fabs(o->square[i]);
    for (int j = 0; j < m; j++) size += fabs(o->Y[j * m + i] * o->X[i * m + j] * o->S[j * m + j]);
    if (o->other[i] != i) square += fabs(o->beside[i]);
    o->w[i] = square > TOL_ZERO_MODE * size ? sqrt(square) : 0;
    if (o->w[i] == 0) continue;
    o->slowest = core_min(o->slowest, o->w[i]);
    if (!fast_bounded(o, i)) o->longest = core_min(o->longest, 2 / o->w[i]);
  }
}

/* which rows drive no force */
static void sort_rows(compliant *z) {
  compliant_modes *o = &z->fast->modes;
  int rest = 0;
  for (int r = 0; r < z->rows; r++) {
    int drives = 0;
    for (int i = 0; i < z->phase.m; i++) drives |= z->phase.row[i] == r;
    if (!drives) o->driving_none[rest++] = r;
  }
  o->driven = z->rows - rest;
}

int fast_find_modes(compliant *z, double loose) {
  compliant_modes *o = &z->fast->modes;
  const compliant_phase *f = &z->phase;
  int m = f->m;
  if (m > MOST_FORCES || !take_memory(z)) return 0;
  compliant_make_B(z);
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++)
      o->S[j * m + i] = sqrt(f->stiff[i] * f->stiff[j]) * f->B[j * z->rows + f->row[i]];
  o->slips = 0;
  for (int i = 0; i < z->nc; i++) o->slips |= slips(&z->c[i]);
  if (!(o->slips ? slip_modes(z, loose) : symmetric_modes(z))) return 0;
  find_frequencies(z);
  make_shapes(z);
  sort_rows(z);
  return 1;
}
