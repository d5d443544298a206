/* What margin.c gives compliant/watch.c: event functions as polynomials over a step. */
#ifndef IMPACT_LAWS_COMPLIANT_MARGIN_H
#define IMPACT_LAWS_COMPLIANT_MARGIN_H

#include "impact/laws/compliant/state.h"

enum { MARGIN_LONG = 3 * COMPLIANT_ORDER + 1 }; /* coefficients of products */

/* one row of a series, and c += sign a^2 */
void margin_gather(const compliant *z, const double *from, int stride, double factor, double *c);
void margin_add_square(const double *a, double sign, double *c);

/* slip speed, and rho - side x with one tangent, rho^2 - x^2 with two; returns the degree */
int margin_slip_speed(const compliant *z, int i, double *c);
void margin_line(const compliant *z, int i, double side, double *c);
void margin_circle(const compliant *z, int i, double *c);

/* 1 when slip cannot stop in this step, whatever its direction */
int margin_surely_slips(const compliant *z, int i);

/* part of the step that a contact lasts; leading coefficients that are zero at a tie */
double margin_lasts(const compliant *z, int i);
int margin_skip(const double *c, int used, double x, double noise);
int margin_skip_line(const compliant *z, int i, const double *c);
int margin_skip_circle(const compliant *z, int i, int fresh, const double *c);

#endif
