/* Scratch memory: alignment, marks, reuse, and no malloc once it is warm. The linker sends every
 * allocation of this program, LAPACK included, through the counters below. */
#include <stdint.h>

#include "core/lin.h"
#include "lin_help.h"
#include "unity.h"

static int allocations;
static int refuse;

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);

void *__wrap_malloc(size_t n) {
  allocations++;
  return __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size) {
  allocations++;
  return __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n) {
  allocations++;
  return __real_realloc(p, n);
}

void *__wrap_aligned_alloc(size_t align, size_t n) {
  allocations++;
  return refuse ? NULL : __real_aligned_alloc(align, n);
}

static core_scratch s;

void setUp(void) {
  core_scratch_init(&s);
  refuse = 0;
}

void tearDown(void) {
  core_scratch_free(&s);
}

static void memory_is_aligned(void) {
  TEST_ASSERT_EQUAL_INT(0, (uintptr_t)core_scratch_bytes(&s, 1) % 64);
  for (size_t n = 0; n < 100; n++) {
    TEST_ASSERT_EQUAL_INT(0, (uintptr_t)core_scratch_bytes(&s, n) % 16);
    TEST_ASSERT_EQUAL_INT(0, (uintptr_t)core_scratch_ints(&s, n) % 16);
    TEST_ASSERT_EQUAL_INT(0, (uintptr_t)core_scratch_doubles(&s, n) % 16);
  }
}

/* many pieces of growing size keep what was written to them */
static void pieces_do_not_overlap(void) {
  enum { PIECES = 200 };
  double *piece[PIECES];
  for (int i = 0; i < PIECES; i++) {
    piece[i] = core_scratch_doubles(&s, (size_t)(i * i + 1));
    for (int k = 0; k <= i * i; k++) piece[i][k] = i;
  }
  for (int i = 0; i < PIECES; i++)
    for (int k = 0; k <= i * i; k++) TEST_ASSERT_TRUE(piece[i][k] == i);
}

static void a_released_mark_gives_the_same_memory_again(void) {
  core_scratch_doubles(&s, 10);
  core_mark mark = core_scratch_mark(&s);
  double *first = core_scratch_doubles(&s, 100);
  core_scratch_doubles(&s, 100000); /* another block */
  core_scratch_release(&s, mark);
  TEST_ASSERT_TRUE(first == core_scratch_doubles(&s, 100));
}

static void nested_marks_keep_the_outer_pieces(void) {
  double *outer = core_scratch_doubles(&s, 1000);
  for (int i = 0; i < 1000; i++) outer[i] = i;
  for (int round = 0; round < 50; round++) {
    core_mark mark = core_scratch_mark(&s);
    double *inner = core_scratch_doubles(&s, (size_t)(1000 * (round % 7) + 1));
    inner[0] = -1;
    core_mark deeper = core_scratch_mark(&s);
    double *deep = core_scratch_doubles(&s, 5000);
    for (int i = 0; i < 5000; i++) deep[i] = -2;
    core_scratch_release(&s, deeper);
    TEST_ASSERT_TRUE(inner[0] == -1);
    core_scratch_release(&s, mark);
  }
  for (int i = 0; i < 1000; i++) TEST_ASSERT_TRUE(outer[i] == i);
}

/* a mark of the empty scratch stays good when blocks have come since */
static void an_empty_mark_releases_everything(void) {
  core_mark empty = core_scratch_mark(&s);
  double *first = core_scratch_doubles(&s, 8);
  core_scratch_doubles(&s, 50000);
  core_scratch_release(&s, empty);
  TEST_ASSERT_TRUE(first == core_scratch_doubles(&s, 8));
}

static void use(const int *pieces, int n) {
  core_mark mark = core_scratch_mark(&s);
  for (int i = 0; i < n; i++) core_scratch_doubles(&s, (size_t)pieces[i]);
  core_scratch_release(&s, mark);
}

static void a_warm_scratch_does_not_allocate(void) {
  const int small_first[] = {10, 3000, 50, 9000, 20000}, large_first[] = {20000, 10, 3000, 9000};
  for (int warm = 0; warm < 3; warm++) use(small_first, 5), use(large_first, 4);
  int before = allocations;
  for (int round = 0; round < 100; round++) use(small_first, 5), use(large_first, 4);
  TEST_ASSERT_EQUAL_INT(before, allocations);
}

/* every routine of lin.h once, on memory that the caller owns */
static void all_of_lin(int n, const double *A, double *a, double *b, double *c, double *d) {
  double r;
  int rank;
  size_t bytes = (size_t)(n * n) * sizeof *a;
  core_lin_solve(n, memcpy(a, A, bytes), n, memcpy(b, A, bytes), &s, &r);
  core_lin_solve_spd(n, memcpy(a, A, bytes), n, memcpy(b, A, bytes), &s, &r);
  core_lin_solve_symmetric(n, memcpy(a, A, bytes), n, memcpy(b, A, bytes), &s, &r);
  core_lin_inverse(n, memcpy(a, A, bytes), &s, &r);
  core_lin_least_squares(n, n, A, n, A, -1, &s, a, &rank);
  core_lin_svd(n, n, A, &s, a, b, c);
  core_lin_eig_symmetric(n, A, &s, a, b);
  core_lin_eig_symmetric(n, A, &s, a, NULL);
  core_lin_eig_generalised(n, A, A, &s, a, b);
  core_lin_eig(n, A, &s, a, d, b);
  core_lin_det(n, A, &s, &r);
  for (const char *which = "1ifm2"; *which; which++) core_lin_norm(*which, n, n, A, &s, &r);
  core_lin_rank(n, n, A, -1, &s, &rank);
  core_lin_condition(n, n, A, &s, &r);
  core_lin_multiply('N', 'T', n, n, n, 1, A, n, A, n, 0, a, n);
}

static void warm_linear_algebra_does_not_allocate(void) {
  static const int sizes[] = {1, 3, 10, 80, 150};
  for (int i = 0; i < 5; i++) {
    int n = sizes[i];
    double *A = random_spd(n, i), *w[4];
    for (int k = 0; k < 4; k++) w[k] = matrix(n, n);
    all_of_lin(n, A, w[0], w[1], w[2], w[3]);
    int before = allocations;
    all_of_lin(n, A, w[0], w[1], w[2], w[3]);
    TEST_ASSERT_EQUAL_INT(before, allocations);
    for (int k = 0; k < 4; k++) free(w[k]);
    free(A);
  }
}

static void linear_algebra_gives_all_its_scratch_back(void) {
  double *A = random_spd(20, 1), *w[4];
  for (int k = 0; k < 4; k++) w[k] = matrix(20, 20);
  double *mine = core_scratch_doubles(&s, 3);
  core_mark mark = core_scratch_mark(&s);
  mine[2] = 42;
  all_of_lin(20, A, w[0], w[1], w[2], w[3]);
  core_mark after = core_scratch_mark(&s);
  TEST_ASSERT_TRUE(mark.block == after.block && mark.used == after.used && mine[2] == 42);
  for (int k = 0; k < 4; k++) free(w[k]);
  free(A);
}

/* larger than the systems that need no scratch at all */
static void running_out_of_memory_is_a_status(void) {
  enum { N = 12 };
  double *A = random_spd(N, 1), *b = random_matrix(N, 1, 1), *kept = copy_of(N, 1, b);
  double *V = matrix(N, N), x[N], y[N], r;
  int rank;
  refuse = 1;
  TEST_ASSERT_NULL(core_scratch_bytes(&s, 100));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_solve(N, A, 1, b, &s, &r));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_solve_spd(N, A, 1, b, &s, &r));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_solve_symmetric(N, A, 1, b, &s, &r));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_inverse(N, A, &s, &r));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_det(N, A, &s, &r));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_least_squares(N, N, A, 1, b, -1, &s, x, &rank));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_svd(N, N, A, &s, x, NULL, NULL));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_eig_symmetric(N, A, &s, x, V));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_eig_generalised(N, A, A, &s, x, V));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_eig(N, A, &s, x, y, NULL));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_norm('i', N, N, A, &s, &r));
  TEST_ASSERT_EQUAL_INT(CORE_NO_MEMORY, core_lin_rank(N, N, A, -1, &s, &rank));
  TEST_ASSERT_TRUE(apart(N, b, kept) == 0);
  refuse = 0;
  double *F = copy_of(N, N, A); /* and it recovers */
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_solve(N, F, 1, b, &s, &r));
  double *back = product(N, N, 1, A, b);
  TEST_ASSERT_TRUE(apart(N, back, kept) <= 1e-12);
  free(A), free(b), free(kept), free(V), free(F), free(back);
}

static void absurd_sizes_are_refused(void) {
  TEST_ASSERT_NULL(core_scratch_bytes(&s, SIZE_MAX));
  TEST_ASSERT_NULL(core_scratch_doubles(&s, SIZE_MAX / 8));
  TEST_ASSERT_NULL(core_scratch_ints(&s, SIZE_MAX / 4));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(memory_is_aligned);
  RUN_TEST(pieces_do_not_overlap);
  RUN_TEST(a_released_mark_gives_the_same_memory_again);
  RUN_TEST(nested_marks_keep_the_outer_pieces);
  RUN_TEST(an_empty_mark_releases_everything);
  RUN_TEST(a_warm_scratch_does_not_allocate);
  RUN_TEST(warm_linear_algebra_does_not_allocate);
  RUN_TEST(linear_algebra_gives_all_its_scratch_back);
  RUN_TEST(running_out_of_memory_is_a_status);
  RUN_TEST(absurd_sizes_are_refused);
  return UNITY_END();
}
