/* One contact's pair (x, z) of the interior path (modes_path.c), in the cone x_0 >= |x_1|, with
 * Jordan's product x o z = (x.z, x_0 z_1 + z_0 x_1) and its unit e = (1, 0, 0); modes_cone.c. */
#ifndef IMPACT_MODES_CONE_H
#define IMPACT_MODES_CONE_H

enum { CONE_SIDE = 3 };

typedef struct modes_cone {
  int dim;                           /* 1, 2, 3; 0 is the axis */
  double x[CONE_SIDE], z[CONE_SIDE]; /* both inside */
  double eta, w[CONE_SIDE];          /* Nesterov and Todd's scaling H: H x = H^-1 z = l */
  double l[CONE_SIDE];
} modes_cone;

double modes_cone_dot(int n, const double *x, const double *y);

/* H and l from x and z */
void modes_cone_scale(modes_cone *k);

/* to = H y, H^-1 y, and the entry i, j of H^2 */
void modes_cone_times(const modes_cone *k, const double *y, double *to);
void modes_cone_over(const modes_cone *k, const double *y, double *to);
double modes_cone_square(const modes_cone *k, int i, int j);

/* to = y with l o y = centre (nu e - l o l) + along nu e */
void modes_cone_aim(const modes_cone *k, double nu, double centre, double along, double *to);

/* largest entry of nu e - l o l, over nu */
double modes_cone_apart(const modes_cone *k, double nu);

/* largest a with x + a dx in the cone */
double modes_cone_reach(int n, const double *x, const double *dx);

#endif
