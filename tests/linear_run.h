/* A run of the linear model with law.moreau, plastic, for a millisecond. */
#ifndef TESTS_LINEAR_RUN_H
#define TESTS_LINEAR_RUN_H

#include "linear_help.h"
#include "sim_help.h"

static inline sim_run *start(const double *mu, const double *u) {
  model *m = NULL;
  core_error err = {0};
  TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, model_create(&linear_type, NULL, &m, &err), err.text);
  memcpy(m->u, u, (size_t)linear.nu * sizeof *u);
  setting of = {"mu", linear.nc, {0}, 0};
  memcpy(of.x, mu, (size_t)linear.nc * sizeof *mu);
  law *l = make_law("moreau", 2, (setting[]){of, ONE("e", 0)});
  sim_options o = sim_defaults();
  o.t_end = 1e-3;
  return go(m, l, o);
}

#endif
