/* The name of a file while it is being written: "x.csv.part-<process>", locked (flock).
 *
 * Who is stopped by Ctrl-C or SIGTERM takes it away; what a process that was killed (-9) has left
 * is swept up by the next one that writes x.csv. Left behind is a part whose process is not there
 * and whose lock is free: in another container the same number may be somebody else.
 */
#ifndef RECORD_PART_H
#define RECORD_PART_H

/* the name of this process's part, in new memory; NULL when that is out */
char *record_part_name(const char *path);

void record_part_sweep(const char *path); /* removes what dead processes have left */

/* sweeps, makes the part and locks it; -1 and errno */
int record_part_open(const char *part, const char *path);

#endif
