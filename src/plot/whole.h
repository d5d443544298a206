/* Is a picture whole? gnuplot does not look whether its writing succeeds: on a full disk it leaves
 * a file that ends somewhere, or has a hole, and says nothing. */
#ifndef PLOT_WHOLE_H
#define PLOT_WHOLE_H

#include <stddef.h>

/* by the ending of its name: .svg, .pdf, .png, .gif, .tex; anything else is whole when it is there
 */
int plot_whole(const char *name, const char *bytes, size_t n);

#endif
