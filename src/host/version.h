/* What this knock is made of. */
#ifndef HOST_VERSION_H
#define HOST_VERSION_H

const char *host_version(void);  /* "0.1.0" */
const char *host_describe(void); /* `git describe` of the source, "" when it was no checkout */
void host_version_banner(void);  /* one line: -v and the interactive mode */
void host_version_report(void);  /* --version */

#endif
