/* Sums over k = 0, 1, ... count - 1 and differences of polynomials, from their values at few nodes.
 *
 * Gram's polynomials are orthogonal on these k: with x = k/count
 *
 *   pi_(j+1) = (x - a) pi_j - b_j pi_(j-1),  a = (1 - 1/count)/2,
 *   b_j = j^2 (1 - j^2/count^2) / (4 (4 j^2 - 1))
 *
 * Nodes as Radau's: the last one is count - 1, the others make sums of degree 2 m - 2 exact. They
 * are the eigenvalues of the matrix of the recurrence whose last a is chosen so that count - 1 is
 * one.
 */
#include "core/lin.h"
#include "impact/laws/compliant/cycle.h"

enum { M = CYCLE_NODES };

static double gram_a(double count) {
  return (1 - 1 / count) / 2;
}

static double gram_b(double count, int j) {
  double n = j;
  return n * n * (1 - n * n / (count * count)) / (4 * (4 * n * n - 1));
}

static core_status make_nodes(double count, core_scratch *s, cycle_rule *rule) {
  double A[M * M] = {0}, V[M * M], x[M], end = 1 - 1 / count, before = 0, pi = 1;
  for (int j = 0; j < M - 1; j++) { /* pi_(M-2) and pi_(M-1) at the end */
    double next = (end - gram_a(count)) * pi - (j ? gram_b(count, j) : 0) * before;
    before = pi, pi = next;
  }
  for (int j = 0; j < M; j++) {
    A[j * M + j] = j < M - 1 ? gram_a(count) : end - gram_b(count, j) * before / pi;
    if (j < M - 1) A[j * M + j + 1] = sqrt(gram_b(count, j + 1));
  }
  core_status status = core_lin_eig_symmetric(M, A, s, x, V);
  x[M - 1] = end;
  rule->at[0] = 0;
  for (int j = 0; j < M && !status; j++) {
    rule->at[j + 1] = x[j] * count;
    rule->weight[j] = count * V[j * M] * V[j * M];
  }
  return status;
}

/* L_j(x_i + 1/count) - L_j(x_i) of Lagrange's polynomials of all nodes from 0 on: the coefficients
 * of (x - x_i)^r, r > 0, so that nothing cancels */
static double difference(const cycle_rule *rule, int i, int j) {
  double c[M + 2] = {1}, count = rule->count, sum = 0, power = 1 / count;
  int degree = 0;
  for (int l = 0; l <= M; l++) {
    if (l == j) continue;
    double root = (rule->at[l] - rule->at[i]) / count, over = count / (rule->at[j] - rule->at[l]);
    for (int r = ++degree; r >= 0; r--) c[r] = ((r ? c[r - 1] : 0) - root * c[r]) * over;
  }
  for (int r = 1; r <= degree; r++, power /= count) sum += c[r] * power;
  return sum;
}

static double value_at_start(const cycle_rule *rule, int j) {
  double value = 1;
  for (int l = 1; l <= M; l++)
    if (l != j) value *= -rule->at[l] / (rule->at[j] - rule->at[l]);
  return value;
}

core_status cycle_make_rule(double count, core_scratch *s, cycle_rule *rule) {
  rule->count = count;
  core_status status = make_nodes(count, s, rule);
  for (int j = 1; j <= M && !status; j++) {
    for (int i = 1; i <= M; i++) rule->D[(j - 1) * M + i - 1] = difference(rule, i, j);
    rule->back[j - 1] = value_at_start(rule, j);
  }
  return status;
}
