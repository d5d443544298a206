/* The fast lane: sweeps of one model and one law whose parameters are numbers stay in C.
 *
 * Inputs are axes that set parameters of private copies of the model and the law;
 * outputs are numbers of the impact. One lane belongs to one process.
 */
#ifndef SWEEP_LANE_H
#define SWEEP_LANE_H

#include <stdint.h>

#include "impact/assemble.h"
#include "sweep/axes.h"
#include "sweep/pool.h"

/* an axis sets a parameter: all of it, or one element (from 0) of a vector or list */
typedef struct sweep_input {
  int axis;                  /* its number */
  const core_schema *schema; /* the model's or the law's */
  const core_param *param;
  int element;    /* -1: the whole parameter */
  uint64_t meant; /* not 0: the elements of a list by the names of contacts, bit c for element c */
  int of_law;     /* 0: a parameter of the model */
  int shared;     /* another axis sets (a part of) the same parameter: set both, in order */
  size_t row;     /* the value that is set now, SIZE_MAX: none */
} sweep_input;

/* what a number of the result is */
typedef enum sweep_what {
  SWEEP_SPEED,            /* generalised speed after the impact */
  SWEEP_IMPULSE,          /* row of the impulse [N s] */
  SWEEP_CONTACT_VELOCITY, /* row of the contact velocity after [m/s] */
  SWEEP_ENERGY_BEFORE,    /* kinetic [J] */
  SWEEP_ENERGY_AFTER,
  SWEEP_ENERGY_LOST, /* before - after */
  SWEEP_ENERGY_RESTITUTION,
  SWEEP_ENERGY_FRICTION,
  SWEEP_ENERGY_STORED,
  SWEEP_DURATION /* [s] */
} sweep_what;

typedef struct sweep_output {
  sweep_what what;
  int first, n; /* rows or speeds first .. first + n - 1 */
} sweep_output;

typedef struct sweep_lane {
  model *m; /* private copies */
  law *l;
  const sweep_axes *axes;
  sweep_input *inputs;
  const sweep_output *outputs;
  int n_inputs, n_outputs;
  int width;   /* numbers per sample: the sum of outputs[].n */
  double *row; /* those of one sample */
  law *part;   /* the law for part_n contacts of the model, part_ids; NULL: none is made */
  int part_n, *part_ids;
  core_scratch scratch;
} sweep_lane;

/* inputs and outputs, which stay the caller's, are in the lane already */
core_status sweep_lane_open(sweep_lane *lane, const model *m, const law *l);
void sweep_lane_close(sweep_lane *lane);

/* sample i: sets the parameters, solves, writes `width` numbers (NaN where there is none) */
core_status sweep_lane_sample(sweep_lane *lane, size_t i, double *out, core_error *err);

/* the same for one number per input, without axes */
core_status sweep_lane_call(sweep_lane *lane, const double *x, double *out, core_error *err);

/* samples first ... first + count - 1 as one unit of a sweep */
void sweep_lane_unit(sweep_lane *lane, size_t first, size_t count, sweep_bytes *out);

#endif
