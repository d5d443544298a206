/* Bernstein coefficients of degree 24: with x in [0, 1] and f = sum x_j t^j,
 *
 *   f = sum_i b_i C(24, i) t^i (1 - t)^(24 - i),   b_i = sum_j x_j C(i, j) / C(24, j)
 *
 * f lies between the smallest and the largest b_i, and has as many roots in (0, 1) as the b_i
 * change sign, or fewer by an even number. Only poly.c includes this.
 */
#ifndef CORE_BERNSTEIN_H
#define CORE_BERNSTEIN_H

enum { CORE_BERNSTEIN = 24, CORE_BERNSTEIN_PADDED = 28 };

/* C(i, j) from C(i, j - 1): whole numbers, exact */
#define B0(i) 1.0
#define B1(i) B0(i) * (i)
#define B2(i) B1(i) * ((i)-1) / 2
#define B3(i) B2(i) * ((i)-2) / 3
#define B4(i) B3(i) * ((i)-3) / 4
#define B5(i) B4(i) * ((i)-4) / 5
#define B6(i) B5(i) * ((i)-5) / 6
#define B7(i) B6(i) * ((i)-6) / 7
#define B8(i) B7(i) * ((i)-7) / 8
#define B9(i) B8(i) * ((i)-8) / 9
#define B10(i) B9(i) * ((i)-9) / 10
#define B11(i) B10(i) * ((i)-10) / 11
#define B12(i) B11(i) * ((i)-11) / 12
#define B13(i) B12(i) * ((i)-12) / 13
#define B14(i) B13(i) * ((i)-13) / 14
#define B15(i) B14(i) * ((i)-14) / 15
#define B16(i) B15(i) * ((i)-15) / 16
#define B17(i) B16(i) * ((i)-16) / 17
#define B18(i) B17(i) * ((i)-17) / 18
#define B19(i) B18(i) * ((i)-18) / 19
#define B20(i) B19(i) * ((i)-19) / 20
#define B21(i) B20(i) * ((i)-20) / 21
#define B22(i) B21(i) * ((i)-21) / 22
#define B23(i) B22(i) * ((i)-22) / 23
#define B24(i) B23(i) * ((i)-23) / 24
#define X(b, i) (b(i)) / (b(24))
/* the last one again, so that rows are blocks of four */
#define ROW(b)                                                                                     \
  {                                                                                                \
    X(b, 0), X(b, 1), X(b, 2), X(b, 3), X(b, 4), X(b, 5), X(b, 6), X(b, 7), X(b, 8), X(b, 9),      \
        X(b, 10), X(b, 11), X(b, 12), X(b, 13), X(b, 14), X(b, 15), X(b, 16), X(b, 17), X(b, 18),  \
        X(b, 19), X(b, 20), X(b, 21), X(b, 22), X(b, 23), 1, 1, 1, 1                               \
  }

/* row j: what x_j adds to each b_i */
static const double core_bernstein[CORE_BERNSTEIN + 1][CORE_BERNSTEIN_PADDED] = {
    ROW(B0),  ROW(B1),  ROW(B2),  ROW(B3),  ROW(B4),  ROW(B5),  ROW(B6),  ROW(B7),  ROW(B8),
    ROW(B9),  ROW(B10), ROW(B11), ROW(B12), ROW(B13), ROW(B14), ROW(B15), ROW(B16), ROW(B17),
    ROW(B18), ROW(B19), ROW(B20), ROW(B21), ROW(B22), ROW(B23), ROW(B24)};

#endif
