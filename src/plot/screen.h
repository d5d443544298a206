/* The terminal we write to: how large it is, and whether it can show pictures. */
#ifndef PLOT_SCREEN_H
#define PLOT_SCREEN_H

/* 1 when standard output is a terminal; its size in characters (80 x 24 when it does not say) */
int plot_screen(int *columns, int *rows);

/* 1 when the terminal says that it draws sixels; asks it once and waits 0.2 s at most */
int plot_screen_sixel(void);

#endif
