#include "core/sincos.h"

#define BOTH(x)                                                                                    \
  { x, x }

const core_sincos_table core_sincos_constants = {
    .per_half_pi = BOTH(0x1.45f306dc9c883p-1),
    .round = BOTH(0x1.8p52),
    .high = BOTH(0x1.921fb54440000p+0),
    .middle = BOTH(0x1.68c234c400000p-39),
    .low = BOTH(0x1.8cc51701b839ap-72),
    .half = BOTH(0.5),
    .one = BOTH(1.0),
    .S = {BOTH(0x1.5e09858a97437p-33), BOTH(-0x1.ae60069ee3ecfp-26), BOTH(0x1.71de3792528abp-19),
          BOTH(-0x1.a01a019e8069ap-13), BOTH(0x1.1111111110ba5p-7), BOTH(-0x1.5555555555555p-3)},
    .C = {BOTH(-0x1.907c0e977e8bdp-37), BOTH(0x1.1eeb66b6cb12cp-29), BOTH(-0x1.27e4fa15bdc69p-22),
          BOTH(0x1.a01a019f4d0f0p-16), BOTH(-0x1.6c16c16c16960p-10), BOTH(0x1.5555555555555p-5)},
    .first = BOTH(1),
    .second = BOTH(2),
};

void core_sincos2_far(const double x[2], core_pair *s, core_pair *c) {
  *s = (core_pair){sin(x[0]), sin(x[1])};
  *c = (core_pair){cos(x[0]), cos(x[1])};
}
