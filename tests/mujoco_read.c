/* What MuJoCo makes of a file: mujoco_read robot.xml [moves] prints, one number per line,
 * nq, nu, qpos, qvel, the mass matrix by rows, passive minus bias forces, and how many corners of
 * boxes and ends of balls and capsules there are and their heights, at a state moved away from the
 * start by `moves` (a small number) in every coordinate. For tests/cli/test_robots.lua. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

static void print(int n, const double *x) {
  for (int i = 0; i < n; i++) printf("%.17g\n", x[i]);
}

/* heights of what may touch a level floor, those of geoms on bodies */
static int find_heights(const mjModel *m, const mjData *d, double *z) {
  int n = 0;
  for (int g = 0; g < m->ngeom; g++) {
    const double *x = d->geom_xpos + 3 * g, *R = d->geom_xmat + 9 * g, *s = m->geom_size + 3 * g;
    if (!m->geom_bodyid[g] || (!m->geom_contype[g] && !m->geom_conaffinity[g])) continue;
    if (m->geom_type[g] == mjGEOM_SPHERE) z[n++] = x[2] - s[0];
    for (int i = -1; m->geom_type[g] == mjGEOM_CAPSULE && i < 2; i += 2)
      z[n++] = x[2] + i * R[8] * s[1] - s[0];
    for (int i = 0; m->geom_type[g] == mjGEOM_BOX && i < 8; i++)
      z[n++] = x[2] + (i & 1 ? s[0] : -s[0]) * R[6] + (i & 2 ? s[1] : -s[1]) * R[7] +
               (i & 4 ? s[2] : -s[2]) * R[8];
  }
  return n;
}

int main(int argc, char **argv) {
  char wrong[500] = "";
  if (argc < 2) return 2;
  mjModel *m = mj_loadXML(argv[1], NULL, wrong, sizeof wrong);
  if (!m) {
    fprintf(stderr, "%s\n", wrong);
    return 1;
  }
  mjData *d = mj_makeData(m);
  int nv = m->nv;
  double by = argc > 2 ? atof(argv[2]) : 0, *v = calloc((size_t)nv, sizeof *v),
         *M = calloc((size_t)(nv * nv), sizeof *M);
  for (int i = 0; i < nv; i++) v[i] = by * sin(3.0 * i + 1);
  mj_integratePos(m, d->qpos, v, 1);
  for (int i = 0; i < nv; i++) d->qvel[i] = by * cos(2.0 * i + 1);
  m->opt.density = m->opt.viscosity = 0; /* fluids are not ours */
  m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT;
  mj_forward(m, d);
  mj_fullM(m, M, d->qM);
  printf("%d\n%d\n", m->nq, nv);
  print(m->nq, d->qpos);
  print(nv, d->qvel);
  print(nv * nv, M);
  for (int i = 0; i < nv; i++) v[i] = d->qfrc_passive[i] - d->qfrc_bias[i];
  print(nv, v);
  double *z = calloc((size_t)(8 * m->ngeom), sizeof *z);
  int heights = find_heights(m, d, z);
  printf("%d\n", heights);
  print(heights, z);
  free(z);
  free(v);
  free(M);
  mj_deleteData(d);
  mj_deleteModel(m);
  return 0;
}
