/* Where knock's own lua/, plots/ and scenarios/ are. */
#ifndef HOST_HOME_H
#define HOST_HOME_H

#include <stddef.h>

/* KNOCK_HOME when it is set (and `environment`), else relative to the program: <prefix>/share/knock
 * or the checkout; "" when nothing is there */
void host_home(char *home, size_t size, int environment);

#endif
