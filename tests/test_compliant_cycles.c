/* law.compliant where the same events repeat (laws/compliant/cycles.c): many cycles at once give
 * what every one of them gives, event by event; where these are too many to be walked the ledger,
 * other lengths of the stretches and a sink must agree.
 */
#include "compliant_rods.h"
#include "compliant_ways.h"
#include "impact/laws/compliant/cycle.h"

void setUp(void) {
}
void tearDown(void) {
}

/* ---- stored impacts, from bench_tail ---- */

/* e = {1, 1e-4}: contact 2 sticks and slips on k/e^2, some hundred times */
static const scene sticks_and_slips = {
    .nc = 2,
    .dim = 2,
    .rows = 4,
    .W = {1.7295878645851281, -0.40849649781502279, -0.24978991040088658, -1.3182877446877916,
          -0.40849649781502279, 0.17732970646266003, -0.046450955648364579, 0.1215602311907218,
          -0.24978991040088658, -0.046450955648364579, 0.64244086033816317, 0.71665207399779318,
          -1.3182877446877916, 0.1215602311907218, 0.71665207399779318, 1.9608114460931028},
    .v = {-0.78652683637849952, -0.81632824076534793, -0.61670393238353749, 1.4505194975865658},
    .q = {.mu = {0.94893629268621371, 0.075803739717665602},
          .e = {1, 0.0001},
          .eta = {0.89186595199161467, 1.4501299192066719},
          .k = {100000000, 100000000},
          .n = 2,
          .max_events = 100000}};

/* contact 1 opens, closes and is compressed 3,163 times while contact 2, soft, lets go */
static const scene bounces = {
    .nc = 2,
    .dim = 2,
    .rows = 4,
    .W = {0.23564329263252684, -0.12892237081822275, 0.050808632478504943, -0.054501787081619402,
          -0.12892237081822275, 1.5529801535504382, -0.41884961194853587, -0.79973705963963748,
          0.050808632478504943, -0.41884961194853587, 0.82325458291672871, -0.074946103870947509,
          -0.054501787081619402, -0.79973705963963748, -0.074946103870947509, 1.0699730320391161},
    .v = {0.58434108731875434, -1.4287530252634213, 1.5073162554346291, -0.15688799742109069},
    .q = {.mu = {0.82164829439401132, 0.26859601282281742},
          .e = {0.00016726825153609933, 0.37400913563559868},
          .eta = {0.88774215612970619, 1.0755717891158294},
          .k = {100000000, 0.098471000830988642},
          .n = 2,
          .max_events = 100000}};

/* e = 1.6e-6: 3,849 cycles if walked; held after a few, as nobody could tell */
static const scene slides_at_last = {
    .nc = 2,
    .dim = 2,
    .rows = 4,
    .W = {1.0816559702997142, 0.12141489439549456, 0.080291232724085296, 0.83944125349192966,
          0.12141489439549456, 0.22692542220855497, 0.058064267780669192, -0.23221298127175663,
          0.080291232724085296, 0.058064267780669192, 1.0648507975044801, 0.60477742060977846,
          0.83944125349192966, -0.23221298127175663, 0.60477742060977846, 2.4703322961092398},
    .v = {-0.63283690265492099, -1.6468286396693865, 0.65572728629331845, 0.37417753035243256},
    .q = {.mu = {0.19747709205443642, 0.19948146538994516},
          .e = {1.5970657753757847e-06, 0.29131618306766033},
          .eta = {0.62396354855830127, 1.3635740518522266},
          .k = {100000000, 6966.3655473340505},
          .n = 2,
          .max_events = 100000}};

/* e = 1.5e-6, k apart by 3e4: 2e7 cycles */
static const scene never_walked = {
    .nc = 2,
    .dim = 2,
    .rows = 4,
    .W = {0.40944976869107014, 0.11879889841151343, -0.056475427948120493, -0.25029539699187614,
          0.11879889841151343, 0.43789871214472403, 0.10791231655458777, -0.16311180596811747,
          -0.056475427948120493, 0.10791231655458777, 0.78873383343133929, -0.079241487117594267,
          -0.25029539699187614, -0.16311180596811747, -0.079241487117594267, 0.36244422117508773},
    .v = {0.68114473972366674, -1.8263598456893986, -1.8571805714296625, -0.67245138825080852},
    .q = {.mu = {0.12235307225339101, 0.12942684432671481},
          .e = {1.5488940662836374e-06, 1.8305248850939449e-06},
          .eta = {0.77320024239652585, 1.9545967527463886},
          .k = {100000000, 2984.5304133494069},
          .n = 2,
          .max_events = 100000}};

/* e = 1e-7, k apart by 5e6: the vibration fades to less than rounding of the velocities */
static const scene hardly_moves = {
    .nc = 2,
    .dim = 2,
    .rows = 4,
    .W = {1.3153398105437606, -1.3201351909042427, -0.43360798536019768, -0.15041629120578157,
          -1.3201351909042427, 1.8123261416180609, 0.5259838930360855, -0.38832939618495083,
          -0.43360798536019768, 0.5259838930360855, 1.7603699397278458, 0.4524679453906722,
          -0.15041629120578157, -0.38832939618495083, 0.4524679453906722, 1.2894962124285108},
    .v = {1.406767328685081, -1.1267528911586151, -0.080308129533627995, -1.5878981519815576},
    .q = {.mu = {0.46939640732677168, 0.34275427694567029},
          .e = {1.0305007307944409e-07, 0.0809704744459607},
          .eta = {1.9796014209021153, 0.70380444643164042},
          .k = {100000000, 18.550023201238432},
          .n = 2,
          .max_events = 100000}};

/* e = 1.5e-6: 5e7 cycles, 8e5 phases and no answer before stretches followed the slow motion */
static const scene ever_slower = {
    .nc = 2,
    .dim = 2,
    .rows = 4,
    .W = {0.22428594959188197, 0.1502423363795273, 0.23707852172370136, -0.072767056172399938,
          0.1502423363795273, 1.6329409100618018, 1.0051584019505577, -1.3721185734392558,
          0.23707852172370136, 1.0051584019505577, 1.7777265568519756, -0.64040678654736494,
          -0.072767056172399938, -1.3721185734392558, -0.64040678654736494, 1.7558153175165094},
    .v = {0.52483216199680049, -0.17304935020734638, 0.57827692531460273, -0.3138979214137414},
    .q = {.mu = {0.5449701584417207, 0.45984453175492529},
          .e = {1.5101771411219543e-06, 0.15514682582991454},
          .eta = {1.700419983999039, 1.1038326837476222},
          .k = {100000000, 20593.755695712531},
          .n = 2,
          .max_events = 100000}};

/* a contact at rest that is pressed by more than faintly */
static const scene yields = {
    .nc = 2,
    .dim = 2,
    .rows = 4,
    .W = {2.1484157058130244, 0.34858253627133751, -0.29379293100259596, -0.78339831837234064,
          0.34858253627133751, 1.0168450376718705, 0.31870831750624423, -0.97426884711218176,
          -0.29379293100259596, 0.31870831750624423, 1.4330330153005528, -0.037134385854416994,
          -0.78339831837234064, -0.97426884711218176, -0.037134385854416994, 2.4112381805899283},
    .v = {0.21226426306311988, -1.4653492513416526, -1.4399042492788654, 1.0119529132561274},
    .q = {.mu = {0.064149355069687983, 0.35453737505259486},
          .e = {1.1778615537684956e-06, 0.0027107712685272528},
          .eta = {0.92953899792872496, 1.3661945731030722},
          .k = {100000000, 7.0333811949329208},
          .n = 2,
          .max_events = 100000}};

/* contact 1 sticks and slips on k/e^2, and its force falls almost to nothing in every period */
static const scene hardly_pressed = {
    .nc = 2,
    .dim = 2,
    .rows = 4,
    .W = {1.6431771353095213, 1.0866885182888664, -0.51542965794811646, 0.13518290218668019,
          1.0866885182888664, 1.5794419284323611, -0.7850718558798474, 0.11887250599199357,
          -0.51542965794811646, -0.7850718558798474, 0.91986410005292318, -0.086410923743273818,
          0.13518290218668019, 0.11887250599199357, -0.086410923743273818, 0.26184448199892069},
    .v = {-0.89842120535090331, -0.26801240565887735, -0.49350157168228326, -0.99869338181636724},
    .q = {.mu = {0.50716589605938078, 0.80354387447037812},
          .e = {3.1183432552439349e-08, 0.00011362446401360407},
          .eta = {1.2626801352644772, 1.2728156117852649},
          .k = {100000000, 60687594.47908818},
          .n = 2,
          .max_events = 100000}};

/* ---- between events: modes of slip that do not swing (fast/modes.c) ---- */

/* number 32 of seed 1 with a larger e: contact 1 slides, and the slow motion of the other has a
 * pair of complex modes */
static const scene flutters = {
    .nc = 2,
    .dim = 2,
    .rows = 4,
    .W = {0.61596052330258744, -0.23320581555831257, -0.14570598219693534, -0.42629015133633019,
          -0.23320581555831257, 0.85760947317272496, -0.48052216859289193, -0.024009279302635283,
          -0.14570598219693534, -0.48052216859289193, 0.96164225084986088, 0.081110490199687635,
          -0.42629015133633019, -0.024009279302635283, 0.081110490199687635, 0.71524737071481004},
    .v = {-1.0273042740299321, -1.3570042368955995, 0.65114082538133811, -0.70701725569187135},
    .q = {.mu = {0.47059221697774911, 0.35844806626711456},
          .e = {1e-3, 5.2704249253596265e-06},
          .eta = {0.64012036136270933, 0.96373375457891253},
          .k = {100000000, 609655.45320699317},
          .n = 2,
          .max_events = 100000}};

/* number 236 with a larger e and k: contact 1 slides, and what it drags presses the other in: a
 * mode that grows */
static const scene presses_in = {
    .nc = 2,
    .dim = 2,
    .rows = 4,
    .W = {1.1424520391925628, 0.10516981093035294, 0.56186775801126743, 0.18300031424006435,
          0.10516981093035294, 0.71160472427930499, 0.36888551354302557, -0.44199691724818918,
          0.56186775801126743, 0.36888551354302557, 1.3182989587616329, 0.032395093847672994,
          0.18300031424006435, -0.44199691724818918, 0.032395093847672994, 0.37600311414292897},
    .v = {1.1983659842238503, -0.97677805960765252, 2.9903176686748525, -1.9495715193985934},
    .q = {.mu = {0.08369160895874847, 0.33698034739153554},
          .e = {3e-3, 2.9695020560842354e-08},
          .eta = {0.6190608059005247, 0.8417568861999617},
          .k = {100000000, 1e6},
          .n = 2,
          .max_events = 100000}};

static void modes_and_steps(const scene *s) {
  const course *modes = answer(s, -1, compliant_solve_each),
               *steps = answer(s, -1, compliant_solve_plain);
  double size = 0;
  for (int i = 0; i < s->rows; i++) size = fmax(size, fmax(fabs(s->v[i]), fabs(steps->v[i])));
  for (int i = 0; i < s->rows; i++)
    TEST_ASSERT_DOUBLE_WITHIN(TOL_PROMISED * size, steps->v[i], modes->v[i]);
}

static void test_modes_in_pairs(void) {
  modes_and_steps(&flutters);
}

static void test_mode_that_grows(void) {
  modes_and_steps(&presses_in);
}

/* v of the same rod without the limit of a phase, by steps without modes (46 s) */
static void test_modes_as_rounded_as_the_steps_before(void) {
  static const double v[] = {-1.06743238008393, 0.04910496858165, 0.42714310015497,
                             0.00000000179167};
  const course *c = answer(&far_apart, -1, NULL);
  for (int i = 0; i < 4; i++)
    TEST_ASSERT_DOUBLE_WITHIN(TOL_PROMISED * speed_of(&far_apart), v[i], c->v[i]);
}

/* ---- against every event ---- */

static void against_each(const scene *s) {
  const course *many = answer(s, -1, NULL), *each = answer(s, -1, compliant_solve_each);
  TEST_ASSERT_TRUE(many->r.flags & IMPACT_SKIPPED);
  TEST_ASSERT_FALSE(each->r.flags & IMPACT_SKIPPED);
  TEST_ASSERT_FALSE(many->r.flags & IMPACT_OPEN_LEDGER);
  same_answer(s, many, each, TOL_PROMISED);
}

static void test_stick_and_slip(void) {
  against_each(&sticks_and_slips);
}

static void test_bounces(void) {
  against_each(&bounces);
}

static void test_vibration_that_counts_later(void) {
  against_each(&noticed_later);
}

static void test_stretch_of_what_sets_in(void) {
  against_each(&sets_in);
}

static void test_vibration_that_follows(void) {
  against_each(&follows);
}

static void test_vibration_that_grows(void) {
  against_each(&grows);
  against_each(&remembers);
}

static void test_phase_without_length(void) {
  const course *each = answer(&without_length, -1, compliant_solve_each);
  same_answer(&without_length, answer(&without_length, -1, NULL), each, TOL_PROMISED);
}

static void test_slip_of_a_held_contact_that_hardly_slips(void) {
  const course *each = answer(&hardly_slips, -1, compliant_solve_each);
  same_answer(&hardly_slips, answer(&hardly_slips, -1, NULL), each, TOL_PROMISED);
}

static void test_held_when_nobody_could_tell(void) {
  against_each(&slides_at_last);
}

/* Coulomb's law for forces, at all that a sink is told: slip that begins just before a contact
 * would open begins nevertheless where it does not open but is pressed again. (It stuck for a
 * hundred periods with almost three times that, and the answer was 1e-7 of the speeds off.) */
static void test_friction_of_a_contact_hardly_pressed(void) {
  const scene *s = &hardly_pressed;
  const course *c = answer(s, 0, NULL);
  double rounding = 1e-6; /* of the margin, where both are 1e-4 of their largest and less */
  int slips = 0;
  for (int m = 0; m < c->n; m++)
    for (int k = 0; k < s->nc; k++) {
      const double *force = c->at[m].force + 2 * k;
      slips += c->at[m].is_event && c->at[m].kind == IMPACT_SLIP && c->at[m].contact == k;
      TEST_ASSERT_TRUE(fabs(force[0]) <= s->q.mu[k] * force[1] * (1 + rounding));
    }
  TEST_ASSERT_GREATER_THAN(4, slips);
}

/* ---- where nobody can walk ---- */

static void short_and_long(const scene *s) {
  TEST_ASSERT_EQUAL_INT(CORE_LIMIT, answer_or_limit(s, -1, compliant_solve_each)->r.status);
  const course *c = answer(s, -1, NULL);
  TEST_ASSERT_FALSE(c->r.flags & IMPACT_OPEN_LEDGER);
  same_answer(s, c, answer(s, -1, compliant_solve_short), TOL_PROMISED);
}

static void test_too_many_to_walk(void) {
  short_and_long(&never_walked);
  short_and_long(&ever_slower);
  short_and_long(&sticks_longer);
  short_and_long(&follows_closely);
}

/* 4e8 cycles, whose short stretches are more than max_events as well */
static void test_vibration_that_hardly_fades(void) {
  TEST_ASSERT_FALSE(answer(&hardly_fades, -1, NULL)->r.flags & IMPACT_OPEN_LEDGER);
}

static void test_vibration_below_rounding(void) {
  short_and_long(&hardly_moves);
}

/* a contact at rest that is pressed in earnest takes its spring's energy from somewhere */
static void test_ledger_of_a_contact_that_yields(void) {
  TEST_ASSERT_FALSE(answer(&yields, -1, NULL)->r.flags & IMPACT_OPEN_LEDGER);
}

/* ---- what a sink hears ---- */

static void test_sink(void) {
  const scene *all[] = {&sticks_and_slips, &bounces, &slides_at_last, &never_walked};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    const course *quiet = answer(all[i], -1, NULL), *told = answer(all[i], 0, NULL);
    same_answer(all[i], quiet, told, TOL_PROMISED);
    TEST_ASSERT_TRUE(told->r.flags & IMPACT_SKIPPED);
    int stretches = 0;
    for (int j = 0; j < told->n; j++) {
      stretches += told->at[j].kind == IMPACT_CYCLES;
      TEST_ASSERT_TRUE(j == 0 || told->at[j].t >= told->at[j - 1].t);
    }
    TEST_ASSERT_TRUE(stretches > 0);
    TEST_ASSERT_EQUAL_INT(IMPACT_END, told->at[told->n - 1].kind);
  }
}

/* work that a contact took in less what it gave back is what it lost, or its spring still holds */
static void test_work_of_contacts(void) {
  const course *c = answer(&sticks_and_slips, 0, NULL);
  const moment *end = &c->at[c->n - 1];
  double kept = 0, size = 0;
  for (int i = 0; i < 2; i++) kept += end->absorbed[i] - end->returned[i], size += end->absorbed[i];
  TEST_ASSERT_DOUBLE_WITHIN(1e-9 * size, c->r.lost_restitution, kept);
}

/* ---- sums and differences ---- */

static double power(double x, int n) {
  double y = 1;
  for (int i = 0; i < n; i++) y *= x;
  return y;
}

static void test_rule_is_exact_for_polynomials(void) {
  core_scratch s;
  core_scratch_init(&s);
  for (int count = 8; count <= 2048; count *= 4) {
    cycle_rule rule;
    TEST_ASSERT_EQUAL_INT(CORE_OK, cycle_make_rule(count, &s, &rule));
    TEST_ASSERT_EQUAL_DOUBLE(count - 1, rule.at[CYCLE_NODES]);
    for (int degree = 0; degree <= 2 * CYCLE_NODES - 2; degree++) {
      double all = 0, few = 0;
      for (int k = 0; k < count; k++) all += power((double)k / count, degree);
      for (int i = 0; i < CYCLE_NODES; i++)
        few += rule.weight[i] * power(rule.at[i + 1] / count, degree);
      TEST_ASSERT_DOUBLE_WITHIN(1e-12 * all, all, few);
    }
    for (int degree = 1; degree <= CYCLE_NODES; degree++)
      for (int i = 0; i < CYCLE_NODES; i++) {
        double x = rule.at[i + 1], sum = 0;
        for (int j = 0; j < CYCLE_NODES; j++)
          sum += rule.D[j * CYCLE_NODES + i] * power(rule.at[j + 1] / count, degree);
        TEST_ASSERT_DOUBLE_WITHIN(1e-12, power((x + 1) / count, degree) - power(x / count, degree),
                                  sum);
      }
  }
  core_scratch_free(&s);
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(test_rule_is_exact_for_polynomials);
  RUN_TEST(test_modes_in_pairs);
  RUN_TEST(test_mode_that_grows);
  RUN_TEST(test_modes_as_rounded_as_the_steps_before);
  RUN_TEST(test_stick_and_slip);
  RUN_TEST(test_bounces);
  RUN_TEST(test_vibration_that_counts_later);
  RUN_TEST(test_stretch_of_what_sets_in);
  RUN_TEST(test_vibration_that_follows);
  RUN_TEST(test_vibration_that_grows);
  RUN_TEST(test_phase_without_length);
  RUN_TEST(test_slip_of_a_held_contact_that_hardly_slips);
  RUN_TEST(test_held_when_nobody_could_tell);
  RUN_TEST(test_friction_of_a_contact_hardly_pressed);
  RUN_TEST(test_too_many_to_walk);
  RUN_TEST(test_vibration_that_hardly_fades);
  RUN_TEST(test_vibration_below_rounding);
  RUN_TEST(test_ledger_of_a_contact_that_yields);
  RUN_TEST(test_sink);
  RUN_TEST(test_work_of_contacts);
  return UNITY_END();
}
