/* The motion of a long arm, four parts of it at a time.
 *
 * The recursion of arm_sweep.c waits for itself: every link needs a division whose result the next
 * one needs. So the arm is cut into four parts of equal length (and up to three links at the
 * support, which go alone), one in each lane, and each is swept as if its end were free but for an
 * unknown force: what follows it takes G there. With R = I - r (U/D)^T, how joint accelerations
 * pass a link, B^T = R_last ... R_first, and tau_e = -r.B_e the torques of unit forces G_e,
 *
 *   b above the part:    b0 + B G          (A above it does not depend on G)
 *   its end moves with   B^T a + c - S G,  S = sum tau tau^T / D,  c = -sum (tau tau_0 / D + B^T z)
 *   what follows takes   G = A' a_end + b'
 *
 * so that seen from above, part and what follows it answer like A + B K B^T and b0 + B g with
 * K = (I + A' S)^-1 A' and g = (I + A' S)^-1 (A' c + b'): four systems of 2 x 2. Then all parts are
 * swept outwards together. About 2.5 times the operations, in a third of the time.
 */
#include <math.h>
#include <string.h>

#include "core/sincos.h"
#include "model/arm.h"
#include "model/tolerance.h"

typedef core_loose_four four;

/* one link of each part */
typedef struct rung {
  four angle;          /* from the upper end of the part, later of the slope [rad] */
  four w;              /* the same of rates [rad/s] */
  four rt, rn;         /* how its end moves with its angle [m] */
  four Ut, Un;         /* U / D */
  four alpha;          /* torque / D without G */
  four unit_t, unit_n; /* the same of unit forces G */
} rung;

/* what is known of each part when it was swept inwards; one number per lane */
typedef struct parts {
  four att, atn, ann;      /* A */
  four bt, bn;             /* b0 */
  four Btt, Bnt, Btn, Bnn; /* B: force component first, then which G */
  four Stt, Stn, Snn;      /* S */
  four ct, cn;             /* c */
} parts;

/* G = P a + g of one part */
typedef struct passing {
  double tt, tn, nt, nn, gt, gn;
} passing;

struct arm_parts {
  parts p;
  passing to[4];
  rung x[];
};

CORE_PART void gather(const double *x, int stride, four *out) {
  *out = (four){x[0], x[stride], x[2 * stride], x[3 * stride]};
}

CORE_PART void scatter(const four *x, int stride, double *out) {
  for (int k = 0; k < 4; k++) out[k * stride] = (*x)[k];
}

/* ---- angles ---- */

/* from sums along each part to sums from `start` along the arm */
static void offsets(const four *sums, double start, four *out) {
  for (int k = 0; k < 4; k++) {
    (*out)[k] = start;
    start += (*sums)[k];
  }
}

/* 0 when an angle is too far for core_sincos4, or not finite */
CORE_PART int turn(const arm_wide *a, const double *q, const double *u, double angle, double w,
                   rung *x) {
  four angles = {0}, rates = {0}, qi, ui, angle0, w0;
  for (int i = 0; i < a->length; i++) {
    gather(q + i, a->length, &qi);
    gather(u + i, a->length, &ui);
    x[i].angle = angles += qi;
    x[i].w = rates += ui;
  }
  offsets(&angles, angle, &angle0);
  offsets(&rates, w, &w0);
  core_four_bits far = {0};
  const four most = {CORE_SINCOS_FAR, CORE_SINCOS_FAR, CORE_SINCOS_FAR, CORE_SINCOS_FAR};
  for (int i = 0; i < a->length; i++) {
    core_four at = x[i].angle + angle0, s, c;
    far |= ~((at < most) & (at > -most));
    core_sincos4(&at, &s, &c);
    x[i].w += w0;
    x[i].rt = -a->l[i] * s;
    x[i].rn = a->l[i] * c;
  }
  return !(far[0] | far[1] | far[2] | far[3]);
}

/* ---- inwards ---- */

/* 0 when a link does not turn by itself: see arm_sweep.c */
CORE_PART int inwards(const arm_wide *a, const double *torque, rung *x, parts *p) {
  const four tiny = {MODEL_LINK_MASSLESS, MODEL_LINK_MASSLESS, MODEL_LINK_MASSLESS,
                     MODEL_LINK_MASSLESS};
  four att = {0}, atn = att, ann = att, bt = att, bn = att, ct = att, cn = att;
  four Stt = att, Stn = att, Snn = att, Bnt = att, Btn = att;
  four Btt = att + 1, Bnn = Btt, here, beyond;
  core_four_bits turns = ~(core_four_bits){0};
  gather(torque + a->length, a->length, &beyond);
  for (int i = a->length - 1; i >= 0; i--) {
    four rt = x[i].rt, rn = x[i].rn, l = a->l[i], m = a->m[i], beta = a->beta[i], I = a->I[i];
    four wt = att * rt + atn * rn, wn = atn * rt + ann * rn, D = I + (rt * wt + rn * wn);
    turns &= D > tiny * (I + l * l * (att + ann));
    four inverse = 1 / D, Ut = wt + beta * rt, Un = wn + beta * rn;
    four w2 = x[i].w * x[i].w, zt = w2 * rn, zn = -w2 * rt;
    four ft = bt - att * zt - atn * zn, fn = bn - atn * zt - ann * zn;
    gather(torque + i, a->length, &here);
    four tau = here - beyond - rt * ft - rn * fn;
    four et = -(rt * Btt + rn * Bnt), en = -(rt * Btn + rn * Bnn);
    att += m - Ut * Ut * inverse;
    atn -= Ut * Un * inverse;
    ann += m - Un * Un * inverse;
    ct -= Btt * zt + Bnt * zn + et * tau * inverse;
    cn -= Btn * zt + Bnn * zn + en * tau * inverse;
    Stt += et * et * inverse;
    Stn += et * en * inverse;
    Snn += en * en * inverse;
    x[i].Ut = Ut *= inverse, x[i].Un = Un *= inverse;
    bt = ft - beta * zt + Ut * tau;
    bn = fn - beta * zn + Un * tau;
    Btt += Ut * et, Bnt += Un * et;
    Btn += Ut * en, Bnn += Un * en;
    x[i].alpha = tau * inverse, x[i].unit_t = et * inverse, x[i].unit_n = en * inverse;
    beyond = here;
  }
  *p = (parts){att, atn, ann, bt, bn, Btt, Bnt, Btn, Bnn, Stt, Stn, Snn, ct, cn};
  return turns[0] & turns[1] & turns[2] & turns[3] & 1;
}

/* part k and what follows it, seen from its upper end; *to gets G */
static arm_answer join(const parts *p, int k, const arm_answer *next, passing *to) {
  double Btt = p->Btt[k], Bnt = p->Bnt[k], Btn = p->Btn[k], Bnn = p->Bnn[k];
  /* I + A' S and its inverse */
  double ktt = 1 + next->tt * p->Stt[k] + next->tn * p->Stn[k];
  double ktn = next->tt * p->Stn[k] + next->tn * p->Snn[k];
  double knt = next->tn * p->Stt[k] + next->nn * p->Stn[k];
  double knn = 1 + next->tn * p->Stn[k] + next->nn * p->Snn[k];
  double by = 1 / (ktt * knn - ktn * knt);
  double ft = next->tt * p->ct[k] + next->tn * p->cn[k] + next->bt;
  double fn = next->tn * p->ct[k] + next->nn * p->cn[k] + next->bn;
  to->gt = (knn * ft - ktn * fn) * by;
  to->gn = (ktt * fn - knt * ft) * by;
  /* K = (I + A' S)^-1 A' is symmetric; P = K B^T */
  double Ktt = (knn * next->tt - ktn * next->tn) * by, Ktn = (knn * next->tn - ktn * next->nn) * by,
         Knn = (ktt * next->nn - knt * next->tn) * by;
  to->tt = Ktt * Btt + Ktn * Btn, to->tn = Ktt * Bnt + Ktn * Bnn;
  to->nt = Ktn * Btt + Knn * Btn, to->nn = Ktn * Bnt + Knn * Bnn;
  return (arm_answer){
      p->att[k] + Btt * to->tt + Btn * to->nt, p->atn[k] + Btt * to->tn + Btn * to->nn,
      p->ann[k] + Bnt * to->tn + Bnn * to->nn, p->bt[k] + Btt * to->gt + Btn * to->gn,
      p->bn[k] + Bnt * to->gt + Bnn * to->gn};
}

/* ---- outwards ---- */

/* accelerations of the upper ends of all parts, and G at their lower ends, from that of the first
 */
static void spread(const parts *p, const passing *to, double at, double an, four *t, four *n,
                   four *Gt, four *Gn) {
  for (int k = 0; k < 4; k++) {
    double gt = to[k].tt * at + to[k].tn * an + to[k].gt;
    double gn = to[k].nt * at + to[k].nn * an + to[k].gn;
    (*t)[k] = at, (*n)[k] = an, (*Gt)[k] = gt, (*Gn)[k] = gn;
    double end = p->Btt[k] * at + p->Bnt[k] * an + p->ct[k] - p->Stt[k] * gt - p->Stn[k] * gn;
    an = p->Btn[k] * at + p->Bnn[k] * an + p->cn[k] - p->Stn[k] * gt - p->Snn[k] * gn;
    at = end;
  }
}

/* `before` is the acceleration of the link above the first part */
CORE_PART void outwards(const arm_wide *a, const rung *x, const parts *p, const passing *to,
                        double at0, double an0, double before, double *udot) {
  four at, an, Gt, Gn, last = {0}, difference;
  int n = a->length;
  spread(p, to, at0, an0, &at, &an, &Gt, &Gn);
  for (int i = 0; i < n; i++) {
    four w2 = x[i].w * x[i].w, rt = x[i].rt, rn = x[i].rn;
    four alpha = (x[i].alpha + x[i].unit_t * Gt + x[i].unit_n * Gn) - (x[i].Ut * at + x[i].Un * an);
    at += rt * alpha - w2 * rn;
    an += rn * alpha + w2 * rt;
    difference = alpha - last;
    scatter(&difference, n, udot + i);
    last = alpha;
  }
  for (int k = 0; k < 4; k++) {
    udot[k * n] -= before;
    before = last[k];
  }
}

/* ---- for arm_sweep.c ---- */

CORE_WIDE static int inwards_all(const arm_wide *a, const double *q, const double *u, double angle,
                                 double w, const double *torque, struct arm_parts *s) {
  return turn(a, q, u, angle, w, s->x) && inwards(a, torque, s->x, &s->p);
}

CORE_WIDE static void outwards_all(const arm_wide *a, const struct arm_parts *s, double at,
                                   double an, double before, double *udot) {
  outwards(a, s->x, &s->p, s->to, at, an, before, udot);
}

struct arm_parts *model_arm_wide_in(const arm *a, const double *q, const double *u, double angle,
                                    double w, const double *torque, core_scratch *scratch,
                                    arm_answer *seen) {
  size_t bytes = sizeof(struct arm_parts) + (size_t)a->wide.length * sizeof(rung);
  struct arm_parts *s = core_scratch_bytes(scratch, bytes);
  if (!s || !inwards_all(&a->wide, q, u, angle, w, torque, s)) return NULL;
  arm_answer next = {0, 0, 0, 0, 0};
  for (int k = 3; k >= 0; k--) next = join(&s->p, k, &next, &s->to[k]);
  *seen = next;
  return s;
}

void model_arm_wide_out(const arm *a, const struct arm_parts *s, double at, double an,
                        double before, double *udot) {
  outwards_all(&a->wide, s, at, an, before, udot);
}

void model_arm_wide_fill(arm *a) {
  arm_wide *w = &a->wide;
  for (int i = 0; i < w->length; i++)
    for (int k = 0; k < 4; k++) {
      const arm_link *link = &a->link[a->n - (4 - k) * w->length + i];
      w->l[i][k] = link->l, w->m[i][k] = link->m;
      w->beta[i][k] = link->beta, w->I[i][k] = link->I;
    }
}
