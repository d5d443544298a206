#include <math.h>
#include <string.h>

#include "core/param.h"
#include "unity.h"

typedef struct thing {
  double mass, at[3];
  core_list mu;
  int n, flag;
} thing;

static const core_param params[] = {
    {"mass", "kg", CORE_NUMBER, offsetof(thing, mass), 1, "1", 0, INFINITY, CORE_OPEN_MIN, "mass",
     0},
    {"at", "m", CORE_VECTOR, offsetof(thing, at), 3, "{1, 2, -3}", -INFINITY, INFINITY, 0, "place",
     0},
    {"mu", "1", CORE_LIST, offsetof(thing, mu), 1, "0.5", 0, INFINITY, CORE_MAY_BE_INF, "friction",
     0},
    {"n", "1", CORE_INTEGER, offsetof(thing, n), 1, "3", 1, 100, 0, "count", 0},
    {"flag", "1", CORE_FLAG, offsetof(thing, flag), 1, "true", 0, 1, 0, "switch", 0},
};
static const core_schema schema = {"thing", params, 5, sizeof(thing)};
static thing it;
static core_error err;

void setUp(void) {
  err = (core_error){0};
  core_schema_defaults(&schema, &it);
}

void tearDown(void) {
  core_schema_free(&schema, &it);
}

/* math.huge became NaN without a word */
static void defaults_that_cannot_be_read_are_refused(void) {
  static const struct {
    core_kind kind;
    const char *def;
    double read; /* NaN: refused */
  } cases[] = {
      {CORE_NUMBER, "math.huge", INFINITY},
      {CORE_NUMBER, "math.pi", M_PI},
      {CORE_NUMBER, "1e-9", 1e-9},
      {CORE_NUMBER, "huge", NAN},
      {CORE_NUMBER, "inf", NAN},
      {CORE_NUMBER, "1 kg", NAN},
      {CORE_NUMBER, "-1", NAN},
      {CORE_INTEGER, "many", NAN},
      {CORE_FLAG, "yes", NAN},
      {CORE_VECTOR, "{1, 2}", NAN},
      {CORE_CHOICE, "'left'", NAN},
  };
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_schema_check(&schema, &err));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    core_param p = {"x", "1",      cases[i].kind,   0,  3,        cases[i].def,
                    0,   INFINITY, CORE_MAY_BE_INF, "", "up|down"};
    core_schema one = {"thing", &p, 1, sizeof(thing)};
    core_status status = core_schema_check(&one, &err);
    TEST_ASSERT_EQUAL_INT_MESSAGE(isnan(cases[i].read) ? CORE_BAD_INPUT : CORE_OK, status,
                                  cases[i].def);
    double x[sizeof(thing) / sizeof(double)];
    core_schema_defaults(&one, x);
    if (!status) TEST_ASSERT_EQUAL_DOUBLE(cases[i].read, x[0]);
  }
  TEST_ASSERT_EQUAL_STRING("thing: the default of x cannot be ''left''", err.text);
}

static core_status set(const char *key, int n, const double *x) {
  return core_param_set(&schema, core_schema_find(&schema, key), &it, n, x, &err);
}

static void defaults_are_read_from_their_text(void) {
  TEST_ASSERT_EQUAL_DOUBLE(1, it.mass);
  TEST_ASSERT_EQUAL_DOUBLE(-3, it.at[2]);
  TEST_ASSERT_EQUAL_DOUBLE(0.5, core_list_at(&it.mu, 7));
  TEST_ASSERT_EQUAL_INT(3, it.n);
  TEST_ASSERT_EQUAL_INT(1, it.flag);
}

static void negative_mass_is_refused_in_words(void) {
  double x = -1;
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, set("mass", 1, &x));
  TEST_ASSERT_EQUAL_STRING("thing: mass must be a positive number of kg, got -1", err.text);
}

static void nan_and_infinity_are_refused_unless_allowed(void) {
  double bad = NAN, inf = INFINITY;
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, set("mass", 1, &bad));
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, set("mass", 1, &inf));
  TEST_ASSERT_EQUAL_INT(CORE_OK, set("mu", 1, &inf));
}

/* ends of a range belong to it, unless it is open there */
static void the_ends_of_a_range_belong_to_it(void) {
  double zero = 0, one = 1, most = 100, more = 101;
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, set("mass", 1, &zero));
  TEST_ASSERT_EQUAL_INT(CORE_OK, set("mu", 1, &zero));
  TEST_ASSERT_EQUAL_INT(CORE_OK, set("n", 1, &one));
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, set("n", 1, &zero));
  TEST_ASSERT_EQUAL_INT(CORE_OK, set("n", 1, &most));
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, set("n", 1, &more));
}

static void long_lists_are_owned_and_copied(void) {
  double x[6] = {1, 2, 3, 4, 5, 6};
  TEST_ASSERT_EQUAL_INT(CORE_OK, set("mu", 6, x));
  thing copy;
  TEST_ASSERT_EQUAL_INT(CORE_OK, core_schema_copy(&schema, &copy, &it));
  x[0] = 9;
  TEST_ASSERT_EQUAL_INT(CORE_OK, set("mu", 1, x));
  TEST_ASSERT_EQUAL_DOUBLE(6, core_list_at(&copy.mu, 5));
  TEST_ASSERT_EQUAL_DOUBLE(9, core_list_at(&it.mu, 5));
  core_schema_free(&schema, &copy);
}

static void a_wrong_length_is_named(void) {
  double x[2] = {1, 2};
  TEST_ASSERT_EQUAL_INT(CORE_BAD_INPUT, set("at", 2, x));
  TEST_ASSERT_EQUAL_STRING("thing: at must be a list of 3 numbers of m, got 2 numbers", err.text);
}

static void the_nearest_key_is_found(void) {
  TEST_ASSERT_EQUAL_STRING("mass", core_schema_nearest(&schema, "msas"));
  TEST_ASSERT_EQUAL_STRING("flag", core_schema_nearest(&schema, "flags"));
  TEST_ASSERT_NULL(core_schema_nearest(&schema, "velocity"));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(defaults_are_read_from_their_text);
  RUN_TEST(negative_mass_is_refused_in_words);
  RUN_TEST(nan_and_infinity_are_refused_unless_allowed);
  RUN_TEST(the_ends_of_a_range_belong_to_it);
  RUN_TEST(long_lists_are_owned_and_copied);
  RUN_TEST(a_wrong_length_is_named);
  RUN_TEST(the_nearest_key_is_found);
  RUN_TEST(defaults_that_cannot_be_read_are_refused);
  return UNITY_END();
}
