/* libfclib on the other side of tests/cli/test_fclib.lua:
 *
 *   fclib_peer write KIND FILE   csc, csr, triplet, global, mixed, or a bad one: index, skew
 *   fclib_peer read FILE         prints spacedim, m, W by rows, q, mu of a local problem
 *   fclib_peer merit FILE r...   libfclib's own merit function of these impulses
 *   fclib_peer answers FILE      its merit of the file's solution; how many guesses; u, r of all
 *   fclib_peer answer FILE r...  writes a solution of these impulses and two guesses, r and 2 r
 */
#include <fclib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 6, ENTRIES = N * N };

static struct fclib_info info = {"a problem of the test", "two contacts", "none"};

/* two contacts (n, t1, t2): entries of about 1, four of them zero */
static double entry(int i, int j) {
  if (i != j && i % 3 == 2 && j % 3 == 2) return 0;
  return (i == j ? 3 : 0) + 1.0 / (1 + i + j);
}

/* W in one of three formats; skew: not symmetric */
static struct fclib_matrix *sparse(const char *kind) {
  static int p[ENTRIES + 1], index[ENTRIES];
  static double x[ENTRIES];
  static struct fclib_matrix A;
  int rows = !strcmp(kind, "csr"), triplet = !strcmp(kind, "triplet"), n = 0;
  for (int line = 0; line < N; line++) {
    if (!triplet) p[line] = n;
    for (int k = 0; k < N; k++) {
      int i = rows ? line : k, j = rows ? k : line;
      double value = entry(i, j) + (!strcmp(kind, "skew") && i == 1 && j == 4);
      if (value == 0) continue;
      if (triplet) p[n] = i;
      index[n] = triplet ? j : rows ? j : i, x[n++] = value;
    }
  }
  if (!triplet) p[N] = n;
  if (!strcmp(kind, "index")) index[3] = 77;
  A = (struct fclib_matrix){n, N, N, p, index, x, triplet ? n : rows ? -2 : -1, NULL};
  return &A;
}

/* a dense m x n matrix as triplets */
static struct fclib_matrix *dense(int m, int n, const double *rows) {
  struct fclib_matrix *A = calloc(1, sizeof *A);
  int *p = malloc((size_t)(m * n) * sizeof *p), *i = malloc((size_t)(m * n) * sizeof *i);
  double *x = malloc((size_t)(m * n) * sizeof *x);
  for (int k = 0; k < m * n; k++) p[k] = k / n, i[k] = k % n, x[k] = rows[k];
  *A = (struct fclib_matrix){m * n, m, n, p, i, x, m * n, NULL};
  return A;
}

static int write_global(const char *path) {
  double M[] = {2, 0.5, 0, 0.5, 3, 0, 0, 0, 4}, H[] = {1, 0.2, 0, 1, 0.5, -0.3}, G[] = {1, 1, 1};
  double f[] = {1, -2, 0.5}, w[] = {-0.1, 0.3}, b[] = {0.25}, mu[] = {0.4};
  struct fclib_global g = {dense(3, 3, M), dense(3, 2, H), dense(3, 1, G), mu, f, b, w, 2, &info};
  return fclib_write_global(&g, path);
}

static int write_local(const char *kind, const char *path) {
  double q[N] = {-1, 0.5, 0.25, -2, 0, 1e-300}, mu[] = {0.3, 0.7}, V[N] = {1, 0, 2, 0, 0, 1};
  double R[] = {2}, s[] = {0.5};
  struct fclib_local f = {sparse(kind), NULL, NULL, mu, q, NULL, 3, &info};
  if (!strcmp(kind, "mixed")) f.V = dense(N, 1, V), f.R = dense(1, 1, R), f.s = s;
  return fclib_write_local(&f, path);
}

static double at(const struct fclib_matrix *A, int i, int j) {
  double sum = 0;
  for (int k = A->p[j]; k < A->p[j + 1]; k++) sum += A->i[k] == i ? A->x[k] : 0;
  return sum;
}

static void show(const struct fclib_local *f) {
  printf("%d\n%d\n", f->spacedim, f->W->m);
  for (int i = 0; i < f->W->m; i++)
    for (int j = 0; j < f->W->n; j++) printf("%.17g\n", at(f->W, i, j));
  for (int i = 0; i < f->W->m; i++) printf("%.17g\n", f->q[i]);
  for (int c = 0; c < f->W->m / f->spacedim; c++) printf("%.17g\n", f->mu[c]);
}

/* factor times the impulses in words, and their u */
static struct fclib_solution solution(const struct fclib_local *f, char **words, double factor) {
  int m = f->W->m;
  double *r = malloc(2 * (size_t)m * sizeof *r), *u = r + m;
  for (int i = 0; i < m; i++) r[i] = factor * atof(words[i]);
  for (int i = 0; i < m; i++) {
    u[i] = f->q[i];
    for (int j = 0; j < m; j++) u[i] += at(f->W, i, j) * r[j];
  }
  return (struct fclib_solution){NULL, u, r, NULL};
}

static double merit(struct fclib_local *f, char **words) {
  struct fclib_solution s = solution(f, words, 1);
  return fclib_merit_local(f, MERIT_1, &s);
}

static void show_answer(const struct fclib_solution *s, int m) {
  for (int i = 0; i < m; i++) printf("%.17g\n", s->u[i]);
  for (int i = 0; i < m; i++) printf("%.17g\n", s->r[i]);
}

static void show_answers(struct fclib_local *f, const char *path) {
  int n = 0;
  struct fclib_solution *s = fclib_read_solution(path), *g = fclib_read_guesses(path, &n);
  if (!s) return;
  printf("%.17g\n%d\n", fclib_merit_local(f, MERIT_1, s), n);
  show_answer(s, f->W->m);
  for (int i = 0; i < n; i++) show_answer(&g[i], f->W->m);
}

static int write_answers(const struct fclib_local *f, const char *path, char **words) {
  struct fclib_solution s = solution(f, words, 1), g[2] = {s, solution(f, words, 2)};
  return fclib_write_solution(&s, path) && fclib_write_guesses(2, g, path);
}

int main(int argc, char **argv) {
  if (argc > 3 && !strcmp(argv[1], "write"))
    return !(!strcmp(argv[2], "global") ? write_global(argv[3]) : write_local(argv[2], argv[3]));
  struct fclib_local *f = argc > 2 ? fclib_read_local(argv[2]) : NULL;
  if (!f) return 1;
  if (!strcmp(argv[1], "read")) show(f);
  if (!strcmp(argv[1], "merit") && argc == 3 + f->W->m) printf("%.17g\n", merit(f, argv + 3));
  if (!strcmp(argv[1], "answers")) show_answers(f, argv[2]);
  if (!strcmp(argv[1], "answer")) return !write_answers(f, argv[2], argv + 3);
  return 0;
}
