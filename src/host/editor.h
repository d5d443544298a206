/* Line editing with history and completion, by readline (or editline) when it is there.
 *
 * The library is loaded when a session on a terminal starts: a program that only runs scripts does
 * not pay for it. Without it, and on a dumb terminal, lines come from host/plain.h and there is no
 * history.
 */
#ifndef HOST_EDITOR_H
#define HOST_EDITOR_H

/* completions of the word text[start..]: a NULL-ended list of malloc'ed strings, or NULL.
 * *after becomes the character to put behind a single match (0: none). */
typedef char **(*host_complete)(void *self, const char *text, int start, char *after);

const char *host_editor_name(void); /* the one we were built for: readline, editline or none */

/* 1 on a terminal, 0: there is none */
int host_editor_open(host_complete complete, void *self);

enum { HOST_LINE_READ, HOST_LINE_END, HOST_LINE_CANCELLED };

/* one line, or several pasted at once, malloc'ed in *line; HOST_LINE_CANCELLED after Ctrl-C */
int host_editor_read(const char *prompt, char **line);

/* history in a file, one entry a line (a newline inside an entry is written as \n) */
void host_editor_load_history(const char *path);
void host_editor_remember(const char *entry, const char *path); /* path may be NULL */

#endif
