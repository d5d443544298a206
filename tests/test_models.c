/* What holds for every model of the table, with its defaults. */
#include "model_help.h"

#include "impact/assemble.h"
#include "model/check.h"

void setUp(void) {
}

void tearDown(void) {
}

static model *plain(int i) {
  return make_model(model_table[i]->schema.owner, 0, NULL);
}

static void every_parameter_is_documented(void) {
  for (int i = 0; model_table[i]; i++) {
    const core_schema *s = &model_table[i]->schema;
    TEST_ASSERT_TRUE(model_table[i]->doc && model_table[i]->paper && model_table[i]->example);
    for (int k = 0; k < s->n; k++) {
      TEST_ASSERT_TRUE_MESSAGE(s->params[k].doc && strlen(s->params[k].doc) > 5, s->params[k].key);
      TEST_ASSERT_TRUE_MESSAGE(s->params[k].unit && s->params[k].def, s->params[k].key);
      TEST_ASSERT_TRUE(s->params[k].doc[strlen(s->params[k].doc) - 1] != '.');
    }
  }
}

static void groups_cover_the_state_exactly_once(void) {
  for (int i = 0; model_table[i]; i++) {
    model *m = plain(i);
    int next[2] = {0, 0}, all[2] = {m->shape.nq, m->shape.nu};
    for (const model_group *g = m->type->groups; g->name; g++) {
      int which = g->of == 'u';
      TEST_ASSERT_EQUAL_INT_MESSAGE(next[which], g->first, g->name);
      next[which] = g->n < 0 ? all[which] : g->first + g->n;
    }
    TEST_ASSERT_EQUAL_INT(all[0], next[0]);
    TEST_ASSERT_EQUAL_INT(all[1], next[1]);
    model_free(m);
  }
}

/* the check that k.model runs finds nothing in ours */
static void every_model_agrees_with_itself(void) {
  core_scratch s;
  core_scratch_init(&s);
  for (int i = 0; model_table[i]; i++) {
    model *m = plain(i);
    core_error err = {0};
    model_check_how how = {NULL, 1};
    TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, model_check(m, &how, &s, &err), err.text);
    model_free(m);
  }
  core_scratch_free(&s);
}

/* a copy lives on when its original is gone, and answers the same */
static void copies_stand_alone(void) {
  for (int i = 0; model_table[i]; i++) {
    model *m = plain(i), *copy;
    double M[2][144], J[2][144], gap[2][16], f[2][12];
    TEST_ASSERT_EQUAL_INT(CORE_OK, model_copy(m, &copy));
    for (int k = 0; k < 2; k++) {
      memset(M[k], 0, sizeof M[k]);
      memset(J[k], 0, sizeof J[k]);
      memset(gap[k], 0, sizeof gap[k]);
      memset(f[k], 0, sizeof f[k]);
      model *one = k ? copy : m;
      one->type->mass(one, one->q, M[k]);
      one->type->jacobian(one, one->q, J[k]);
      one->type->gap(one, one->q, gap[k]);
      one->type->forces(one, 0, one->q, one->u, f[k]);
      if (!k) model_free(m);
    }
    TEST_ASSERT_EQUAL_MEMORY(M[0], M[1], sizeof M[0]);
    TEST_ASSERT_EQUAL_MEMORY(J[0], J[1], sizeof J[0]);
    TEST_ASSERT_EQUAL_MEMORY(gap[0], gap[1], sizeof gap[0]);
    TEST_ASSERT_EQUAL_MEMORY(f[0], f[1], sizeof f[0]);
    model_free(copy);
  }
}

/* the waist by the hook equals the waist by mass and jacobian, through impact_assemble */
static void the_hook_and_the_general_way_give_one_waist(void) {
  core_scratch s;
  core_error err = {0};
  core_scratch_init(&s);
  for (int i = 0; model_table[i]; i++) {
    if (!model_table[i]->collide) continue;
    model *m = plain(i);
    model_type bare = *m->type;
    model without = *m;
    bare.collide = NULL;
    without.type = &bare;
    int all[MAX_ROWS], n = m->shape.nc;
    for (int c = 0; c < n; c++) all[c] = c;
    impact_setup a, b;
    TEST_ASSERT_EQUAL_INT(CORE_OK, impact_assemble(m, m->q, m->u, n, all, &s, &a, &err));
    TEST_ASSERT_EQUAL_INT(CORE_OK, impact_assemble(&without, m->q, m->u, n, all, &s, &b, &err));
    int rows = a.problem.rows;
    for (int k = 0; k < rows * rows; k++) near(b.problem.W[k], a.problem.W[k], 10, 1e-13, "W");
    for (int k = 0; k < rows; k++) near(b.problem.v[k], a.problem.v[k], 10, 1e-14, "v");
    for (int k = 0; k < n; k++) near(b.problem.gap[k], a.problem.gap[k], 1, 1e-14, "gap");
    model_free(m);
  }
  core_scratch_free(&s);
}

/* a NaN in the state comes out as NaN or as a status, never as a number that looks right */
static void nan_in_the_state_stays_visible(void) {
  core_scratch s;
  core_scratch_init(&s);
  for (int i = 0; model_table[i]; i++) {
    model *m = plain(i);
    int all[MAX_ROWS], n = m->shape.nc;
    for (int c = 0; c < n; c++) all[c] = c;
    m->u[m->shape.nu - 1] = NAN;
    impact_setup a;
    core_error err = {0};
    core_status status = impact_assemble(m, m->q, m->u, n, all, &s, &a, &err);
    int finite = !status;
    for (int k = 0; !status && k < a.problem.rows; k++) finite = finite && isfinite(a.problem.v[k]);
    TEST_ASSERT_FALSE_MESSAGE(finite, m->type->schema.owner);
    model_free(m);
  }
  core_scratch_free(&s);
}

static void every_outline_draws_something_finite(void) {
  for (int i = 0; model_table[i]; i++) {
    model *m = plain(i);
    drawn d = draw(m);
    TEST_ASSERT_TRUE_MESSAGE(d.lines + d.circles > 0, m->type->schema.owner);
    TEST_ASSERT_TRUE(d.high[0] > d.low[0]);
    model_free(m);
  }
}

/* the model with that number changed, built anew */
static model *changed(const model *m, const core_param *p, const double *x) {
  void *params = malloc(m->type->schema.size);
  core_error err = {0};
  model *made = NULL;
  core_schema_copy(&m->type->schema, params, m->params);
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_param_set(&m->type->schema, p, params, p->n, x, &err));
  TEST_ASSERT_EQUAL_INT(CORE_OK, model_create(m->type, params, &made, &err));
  core_schema_free(&m->type->schema, params);
  free(params);
  return made;
}

static void same_answers(const model *a, const model *b) {
  double A[4096], B[4096];
  size_t nu = (size_t)a->shape.nu, rows = (size_t)model_all_rows(&a->shape);
  TEST_ASSERT_EQUAL_MEMORY(&a->shape, &b->shape, sizeof a->shape);
  TEST_ASSERT_EQUAL_MEMORY(a->params, b->params, a->type->schema.size);
  TEST_ASSERT_EQUAL_MEMORY(a->q, b->q, (size_t)(a->shape.nq + a->shape.nu) * sizeof *a->q);
  TEST_ASSERT_EQUAL_INT(a->type->mass(a, a->q, A), b->type->mass(b, b->q, B));
  TEST_ASSERT_EQUAL_MEMORY(A, B, nu * nu * sizeof *A);
  TEST_ASSERT_EQUAL_INT(a->type->jacobian(a, a->q, A), b->type->jacobian(b, b->q, B));
  TEST_ASSERT_EQUAL_MEMORY(A, B, rows * nu * sizeof *A);
  TEST_ASSERT_EQUAL_INT(a->type->forces(a, 0, a->q, a->u, A), b->type->forces(b, 0, b->q, b->u, B));
  TEST_ASSERT_EQUAL_MEMORY(A, B, nu * sizeof *A);
}

/* CORE_SPEED says that nothing is derived from a parameter: a copy in one piece that is only
 * started again is, to the last bit, the model built anew; and so is one that is built again */
static void other_speeds_need_no_building(void) {
  static const double x[6] = {-0.5, 0.25, -3, 1.5, -0.75, 2};
  int tried = 0;
  for (int i = 0; model_table[i]; i++) {
    model *m = plain(i);
    size_t size = model_piece(m);
    for (int k = 0; k < m->type->schema.n; k++) {
      const core_param *p = &m->type->schema.params[k];
      if (!(p->flags & CORE_SPEED)) continue;
      TEST_ASSERT_TRUE(size > 0 && p->n <= 6);
      core_error err = {0};
      model *anew = changed(m, p, x);
      for (int built = 0; built < 2; built++, tried++) {
        model *made = model_place(m, calloc(1, size));
        core_param_set(&m->type->schema, p, made->params, p->n, x, &err);
        core_status status = built ? model_settle(made, m, &err) : model_restart(made, m, &err);
        TEST_ASSERT_EQUAL_INT_MESSAGE(CORE_OK, status, p->key);
        same_answers(anew, made);
        free(made);
      }
      model_free(anew);
    }
    model_free(m);
  }
  TEST_ASSERT_TRUE(tried >= 2 * 9);
}

int main(void) {
  help_used();
  UNITY_BEGIN();
  RUN_TEST(every_parameter_is_documented);
  RUN_TEST(groups_cover_the_state_exactly_once);
  RUN_TEST(every_model_agrees_with_itself);
  RUN_TEST(copies_stand_alone);
  RUN_TEST(other_speeds_need_no_building);
  RUN_TEST(the_hook_and_the_general_way_give_one_waist);
  RUN_TEST(nan_in_the_state_stays_visible);
  RUN_TEST(every_outline_draws_something_finite);
  return UNITY_END();
}
