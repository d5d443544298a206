/* Lines from a terminal without a line editor: a dumb one, or no library for it on this machine. */
#ifndef HOST_PLAIN_H
#define HOST_PLAIN_H

/* as host_editor_read: the terminal's own editing, no history, no completion */
int host_plain_read(const char *prompt, char **line);

#endif
