/* Random trees in space against MuJoCo: mass matrix, bias forces, Jacobians of points.
 *
 * MuJoCo is handed the same tree as XML. Its joints stand in the body's own axes and its speeds are
 * ours: the velocity of a free body in the world, spins in the body. */
#include <mujoco/mujoco.h>
#include <stdarg.h>
#include <time.h>
#include <unistd.h>

#include "mechanism_help.h"

void setUp(void) {
}

void tearDown(void) {
}

/* ---- the tree as XML ---- */

typedef struct xml {
  char text[1 << 17];
  size_t used;
} xml;

static void say(xml *x, const char *format, ...) {
  va_list args;
  va_start(args, format);
  x->used += (size_t)vsnprintf(x->text + x->used, sizeof x->text - x->used, format, args);
  va_end(args);
  TEST_ASSERT_TRUE(x->used < sizeof x->text);
}

static void say_numbers(xml *x, const model *m, const char *attribute, const char *owner,
                        const char *field, int n) {
  say(x, " %s='", attribute);
  for (int i = 0; i < n; i++) say(x, "%s%.17g", i ? " " : "", value(m, owner, field, i));
  say(x, "'");
}

static void say_joint(xml *x, const machine *k, int i) {
  const char *name = k->name[i];
  switch (k->body[i].joint) {
    case MECHANISM_FREE: say(x, "<freejoint/>"); break;
    case MECHANISM_BALL: say(x, "<joint type='ball'/>"); break;
    case MECHANISM_HINGE:
    case MECHANISM_SLIDE:
      say(x, "<joint type='%s'", k->body[i].joint == MECHANISM_HINGE ? "hinge" : "slide");
      say_numbers(x, k->m, "axis", name, "axis", 3);
      say_numbers(x, k->m, "armature", name, "armature", 1);
      say(x, "/>");
      break;
    default: break;
  }
}

/* principal moments and axes: its own diagonalisation of a full matrix is good to 1e-9 only */
static void say_inertia(xml *x, const model *m, const char *name) {
  static const int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  double I[9], w[3], V[9], R[9], quat[4];
  core_scratch s;
  core_scratch_init(&s);
  for (int i = 0; i < 9; i++) I[i] = value(m, name, "inertia", at[i]);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_lin_eig_symmetric(3, I, &s, w, V));
  core_scratch_free(&s);
  mju_cross(V + 6, V, V + 3); /* right-handed */
  mju_transpose(R, V, 3, 3);  /* theirs is row by row */
  mju_mat2Quat(quat, R);
  mju_normalize4(quat);
  say(x, " diaginertia='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'", w[0], w[1], w[2],
      quat[0], quat[1], quat[2], quat[3]);
}

static void say_body(xml *x, const machine *k, int i) {
  const model *m = k->m;
  const char *name = k->name[i];
  say(x, "<body");
  if (k->body[i].joint != MECHANISM_FREE) {
    say_numbers(x, m, "pos", name, "at", 3);
    say_numbers(x, m, "quat", name, "turn", 4);
  }
  say(x, "><inertial");
  say_numbers(x, m, "pos", name, "com", 3);
  say_numbers(x, m, "mass", name, "mass", 1);
  say_inertia(x, m, name);
  say(x, "/>");
  say_joint(x, k, i);
  for (int j = i + 1; j < k->bodies; j++)
    if (k->body[j].parent == i) say_body(x, k, j);
  say(x, "</body>");
}

static mjModel *hand_over(const machine *k) {
  static xml x;
  char path[] = "/tmp/knock_mujoco_XXXXXX", error[500] = "";
  x.used = 0;
  say(&x, "<mujoco><option");
  say_numbers(&x, k->m, "gravity", "", "gravity", 3);
  say(&x, "/><compiler angle='radian'/><worldbody>");
  for (int i = 0; i < k->bodies; i++)
    if (k->body[i].parent < 0) say_body(&x, k, i);
  say(&x, "</worldbody></mujoco>");
  int fd = mkstemp(path);
  TEST_ASSERT_TRUE(fd >= 0 && write(fd, x.text, x.used) == (ssize_t)x.used);
  close(fd);
  mjModel *mj = mj_loadXML(path, NULL, error, sizeof error);
  unlink(path);
  TEST_ASSERT_NOT_NULL_MESSAGE(mj, error);
  return mj;
}

/* ---- comparing ---- */

/* MuJoCo numbers bodies depth first: our body at each of its places */
static int number_bodies(const machine *k, int parent, int next, int *ours) {
  for (int i = parent + 1; i < k->bodies; i++)
    if (k->body[i].parent == parent) {
      ours[next] = i;
      next = number_bodies(k, i, next + 1, ours);
    }
  return next;
}

static int first_speed(const machine *k, int body, int *q) {
  static const int size[] = {0, 1, 1, 4, 7}, speeds[] = {0, 1, 1, 3, 6};
  int u = 0;
  *q = 0;
  for (int i = 0; i < body; i++) *q += size[k->body[i].joint], u += speeds[k->body[i].joint];
  return u;
}

/* our speed for each of MuJoCo's, and its qpos and qvel from our state */
static void hand_state(const machine *k, const int *ours, const double *q, const double *u,
                       mjData *d, int *speed) {
  static const int size[] = {0, 1, 1, 4, 7}, speeds[] = {0, 1, 1, 3, 6};
  int nq = 0, nu = 0;
  for (int b = 0; b < k->bodies; b++) {
    int at, first = first_speed(k, ours[b], &at);
    mechanism_joint joint = k->body[ours[b]].joint;
    for (int i = 0; i < size[joint]; i++) d->qpos[nq++] = q[at + i];
    for (int i = 0; i < speeds[joint]; i++) {
      speed[nu] = first + i;
      d->qvel[nu++] = u[first + i];
    }
  }
}

static double largest(int n, const double *x) {
  double most = 1;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void same_mass(const model *m, const mjModel *mj, const mjData *d, const double *q,
                      const int *speed) {
  static double M[6 * MOST * 6 * MOST], theirs[6 * MOST * 6 * MOST];
  int n = m->shape.nu;
  TEST_ASSERT_EQUAL_INT(CORE_OK, m->type->mass(m, q, M));
  mj_fullM(mj, theirs, d->qM);
  double size = largest(n * n, M);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      near(theirs[i * n + j], M[speed[j] * n + speed[i]], size, 1e-10, "mass matrix");
}

/* bias: what they call qfrc_bias is -f without springs and dampers, which we take off */
static void same_bias(machine *k, const mjData *d, const double *q, const double *u,
                      const int *speed) {
  double f[6 * MOST];
  TEST_ASSERT_EQUAL_INT(CORE_OK, k->m->type->forces(k->m, 0, q, u, f));
  double size = largest(k->m->shape.nu, f);
  for (int i = 0; i < k->m->shape.nu; i++) near(-d->qfrc_bias[i], f[speed[i]], size, 1e-10, "bias");
}

/* points on the floor's contacts: rows of J along x, y, z from the frame (the floor is level) */
static void same_points(const machine *k, const mjModel *mj, const mjData *d, const int *ours,
                        const double *q, const int *speed) {
  static double J[3 * MAX_ROWS * 6 * MOST], jacp[3 * 6 * MOST];
  int n = k->m->shape.nu, rows = 3 * k->m->shape.nc, c = 0;
  TEST_ASSERT_EQUAL_INT(CORE_OK, k->m->type->jacobian(k->m, q, J));
  for (int i = 0; i < k->contacts; i++, c++) {
    const mechanism_part *p = &k->part[k->contact[i].a];
    int b = 0;
    double place[3], world[3];
    while (ours[b] != p->body) b++;
    for (int j = 0; j < 3; j++) place[j] = value(k->m, p->name, "", j);
    mju_rotVecMat(world, place, d->xmat + 9 * (b + 1));
    for (int j = 0; j < 3; j++) world[j] += d->xpos[3 * (b + 1) + j];
    mj_jac(mj, d, jacp, NULL, world, b + 1);
    for (int r = 0; r < 3; r++)
      for (int j = 0; j < n; j++)
        near(jacp[r * n + j], J[speed[j] * rows + 3 * c + r], 10, 1e-10, "point Jacobian");
  }
}

/* only points over a level floor, no springs, no dampers, no drives: what both have */
static void declare_tree(machine *k, int bodies) {
  *k = (machine){.bodies = bodies};
  int floor = add_part(k, -1, MECHANISM_PLANE);
  for (int i = 0; i < bodies; i++) {
    int parent = below(i + 1) - 1;
    snprintf(k->name[i], sizeof k->name[i], "b%d", i);
    k->body[i] = (mechanism_body){k->name[i], parent, any_joint(0, parent), 0, 0};
    int point = add_part(k, i, MECHANISM_POINT);
    if (k->contacts < 8) k->contact[k->contacts++] = (mechanism_link){NULL, point, floor};
  }
}

static void quiet(const core_schema *schema, void *params) {
  static const char *const none[] = {".stiffness", ".damping", ".torque"};
  for (int i = 0; i < schema->n; i++) {
    const core_param *p = &schema->params[i];
    double *x = (double *)((char *)params + p->at);
    for (int j = 0; j < 3; j++)
      if (strstr(p->key, none[j])) *x = 0;
    if (strstr(p->key, ".normal")) x[0] = x[1] = 0, x[2] = 1;
  }
}

static void trees_equal_mujoco(void) {
  int tried = 0;
  for (int round = 0; round < 60; round++) {
    static machine k;
    double q[7 * MOST], u[6 * MOST];
    int ours[MOST], speed[6 * MOST];
    declare_tree(&k, 2 + below(39));
    make_with(&k, quiet);
    if (k.m && k.m->shape.nu > 0) {
      for (int i = 0; i < k.m->shape.nq; i++) q[i] = any();
      for (int i = 0; i < k.m->shape.nu; i++) u[i] = any();
      k.m->type->normalise(k.m, q);
      mjModel *mj = hand_over(&k);
      mjData *d = mj_makeData(mj);
      number_bodies(&k, -1, 0, ours);
      hand_state(&k, ours, q, u, d, speed);
      mj_forward(mj, d);
      same_mass(k.m, mj, d, q, speed);
      same_bias(&k, d, q, u, speed);
      same_points(&k, mj, d, ours, q, speed);
      mj_deleteData(d);
      mj_deleteModel(mj);
      tried++;
    }
    unmake(&k);
  }
  TEST_ASSERT_GREATER_THAN_INT(50, tried);
}

/* ---- the bench: a humanoid of 30 joints, W of four points of its feet ----
 *
 *   test_mujoco bench 2000            time per W, ours and by MuJoCo's own way
 *   valgrind --tool=callgrind --toggle-collect=ours_W test_mujoco bench 100   (or theirs_W) */

static void declare_humanoid(machine *k) {
  static const int limb[] = {6, 6, 7, 7, 3};
  *k = (machine){.bodies = 1};
  int floor = add_part(k, -1, MECHANISM_PLANE);
  snprintf(k->name[0], sizeof k->name[0], "b0");
  k->body[0] = (mechanism_body){k->name[0], -1, MECHANISM_FREE, 0, 0};
  for (int l = 0; l < 5; l++)
    for (int j = 0; j < limb[l]; j++) {
      int i = k->bodies++;
      snprintf(k->name[i], sizeof k->name[i], "b%d", i);
      k->body[i] = (mechanism_body){k->name[i], j ? i - 1 : 0, MECHANISM_HINGE, 0, 0};
      for (int p = 0; l < 2 && j == limb[l] - 1 && p < 2; p++)
        k->contact[k->contacts++] = (mechanism_link){NULL, add_part(k, i, MECHANISM_POINT), floor};
    }
}

__attribute__((noinline)) static void ours_W(const model *m, const double *q, core_scratch *s,
                                             double *W, long calls) {
  static double J[12 * 64], Y[12 * 64];
  static const int all[4] = {0, 1, 2, 3};
  double gap[4];
  for (long i = 0; i < calls; i++) {
    core_mark mark = core_scratch_mark(s);
    m->type->collide(m, q, 4, all, s, J, Y, W, gap);
    core_scratch_release(s, mark);
  }
}

/* places, composite bodies, L^T D L of M, Jacobians of the points, M^-1 J^T, J M^-1 J^T */
__attribute__((noinline)) static void theirs_W(const machine *k, const mjModel *mj, mjData *d,
                                               double *W, long calls) {
  static double J[12 * 64], Y[12 * 64];
  int nv = mj->nv;
  for (long i = 0; i < calls; i++) {
    mj_kinematics(mj, d);
    mj_comPos(mj, d);
    mj_crb(mj, d);
    mj_factorM(mj, d);
    for (int c = 0; c < 4; c++) {
      const mechanism_part *p = &k->part[k->contact[c].a];
      double place[3], world[3];
      for (int j = 0; j < 3; j++) place[j] = c + j;
      mju_rotVecMat(world, place, d->xmat + 9 * (p->body + 1));
      mju_addTo3(world, d->xpos + 3 * (p->body + 1));
      mj_jac(mj, d, J + 3 * c * nv, NULL, world, p->body + 1);
    }
    mj_solveM(mj, d, Y, J, 12);
    mju_mulMatMatT(W, J, Y, 12, nv, 12);
  }
}

static int bench(long calls) {
  static machine k;
  double q[7 * MOST], u[6 * MOST], W[144];
  int ours[MOST], speed[6 * MOST];
  core_scratch s;
  core_scratch_init(&s);
  declare_humanoid(&k);
  make_with(&k, quiet);
  for (int i = 0; i < k.m->shape.nq; i++) q[i] = any();
  for (int i = 0; i < k.m->shape.nu; i++) u[i] = 0;
  k.m->type->normalise(k.m, q);
  mjModel *mj = hand_over(&k);
  mjData *d = mj_makeData(mj);
  number_bodies(&k, -1, 0, ours);
  hand_state(&k, ours, q, u, d, speed);
  ours_W(k.m, q, &s, W, 1);
  clock_t a = clock();
  ours_W(k.m, q, &s, W, calls);
  clock_t b = clock();
  theirs_W(&k, mj, d, W, calls);
  clock_t c = clock();
  double unit = 1e6 / CLOCKS_PER_SEC / (double)calls;
  printf("W of 4 points, %d speeds: %.2f us, by MuJoCo %.2f us\n", k.m->shape.nu,
         (double)(b - a) * unit, (double)(c - b) * unit);
  core_scratch_free(&s);
  mj_deleteData(d);
  mj_deleteModel(mj);
  unmake(&k);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 3 && !strcmp(argv[1], "bench")) return bench(atol(argv[2]));
  UNITY_BEGIN();
  help_armature = 1;
  help_used();
  (void)declare;
  RUN_TEST(trees_equal_mujoco);
  return UNITY_END();
}
