/* The private folder of a plotting session: $TMPDIR/knock-plot-<process>-XXXXXX.
 *
 * It goes with the process: when the session is closed, or at exit when nobody closes it. What a
 * process that was killed (-9) has left is swept up by the next one of the same user that draws,
 * and at the end of a sweep that lost a worker. Left behind is a folder whose process is not there
 * and whose lock (flock) is free: in another container the same number may be somebody else.
 */
#ifndef PLOT_FOLDER_H
#define PLOT_FOLDER_H

#include <limits.h>

#include "core/status.h"

typedef struct plot_folder plot_folder;

/* makes one, and sweeps up once; *path is valid until it is removed */
core_status plot_folder_make(plot_folder **f, const char **path, core_error *err);

int plot_folder_ours(const plot_folder *f); /* 0 in a forked copy: it belongs to another process */
void plot_folder_remove(plot_folder *f);    /* of ours; a forked copy only forgets it */
void plot_folder_sweep(void);               /* removes what dead processes of this user have left */

#endif
