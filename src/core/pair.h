/* Two numbers at once: GCC's vector extension, which every target has (SSE2, NEON, or by twos). */
#ifndef CORE_PAIR_H
#define CORE_PAIR_H

typedef double core_pair __attribute__((vector_size(16)));
typedef long long core_bits __attribute__((vector_size(16)));

/* two numbers from anywhere: no alignment asked for */
typedef double core_loose_pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline core_pair core_pair_at(const double *x) {
  return *(const core_loose_pair *)x;
}

static inline void core_pair_put(double *x, core_pair a) {
  *(core_loose_pair *)x = a;
}

#endif
