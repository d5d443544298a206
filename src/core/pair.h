/* Two numbers at once, or four: GCC's vector extension, which every target has (SSE2, NEON, or by
 * twos). */
#ifndef CORE_PAIR_H
#define CORE_PAIR_H

typedef double core_pair __attribute__((vector_size(16)));
typedef long long core_bits __attribute__((vector_size(16)));

/* two numbers from anywhere: no alignment asked for */
typedef double core_loose_pair __attribute__((vector_size(16), aligned(8), may_alias));

typedef double core_four __attribute__((vector_size(32)));
typedef long long core_four_bits __attribute__((vector_size(32)));
typedef double core_loose_four __attribute__((vector_size(32), aligned(8), may_alias));

/* Speed only: a function that works on four numbers at a time where the processor can. No sum is
 * done in another order, and nothing is fused, so that all bits stay. */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) &&                            \
    !defined(__SANITIZE_ADDRESS__)
#define CORE_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define CORE_WIDE
#endif

/* for parts of such a function: they must be compiled with it */
#define CORE_PART static inline __attribute__((always_inline))

static inline core_pair core_pair_at(const double *x) {
  return *(const core_loose_pair *)x;
}

static inline void core_pair_put(double *x, core_pair a) {
  *(core_loose_pair *)x = a;
}

#endif
