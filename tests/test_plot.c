/* Plots: text of users stays text, gnuplot may fail in any way. */
#define _GNU_SOURCE
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/interrupt.h"
#include "plot/check.h"
#include "plot/folder.h"
#include "plot/quote.h"
#include "plot/session.h"
#include "unity.h"

static char folder[] = "/tmp/knock-test-XXXXXX";
static core_error err;

void setUp(void) {
  err = (core_error){0};
}

void tearDown(void) {
  unsetenv("KNOCK_GNUPLOT");
  core_interrupt_flag = 0;
}

static const char *quoted(const char *text, size_t n) {
  static char out[512];
  size_t len = plot_quote(out, text, n);
  TEST_ASSERT_EQUAL(len, strlen(out));
  return out;
}

static void quotes_are_doubled_and_control_characters_become_spaces(void) {
  TEST_ASSERT_EQUAL_STRING("'it''s'", quoted("it's", 4));
  TEST_ASSERT_EQUAL_STRING("'\xe2\x80\x99x''\xe2\x80\x99'", quoted("'x''", 4));
  TEST_ASSERT_EQUAL_STRING("'a b c'", quoted("a\nb\rc", 5));
  TEST_ASSERT_EQUAL_STRING("'a b'", quoted("a\0b", 3));
  TEST_ASSERT_EQUAL_STRING("'a b'", quoted("a\xc2\x85"
                                           "b",
                                           4));
  TEST_ASSERT_EQUAL_STRING("'\xce\xbc'", quoted("\xce\xbc", 2));
  TEST_ASSERT_EQUAL_STRING("'\xef\xbf\xbd'", quoted("\xff", 1));
  TEST_ASSERT_EQUAL_STRING("'\xef\xbf\xbd\xef\xbf\xbd'", quoted("\xc0\x8a", 2)); /* overlong \n */
  TEST_ASSERT_EQUAL_STRING("'\xef\xbf\xbdz'", quoted("\xe2z", 2));
}

static core_status checked(const char *script) {
  return plot_check(script, strlen(script), &err);
}

static void the_gate_lets_drawing_in(void) {
  static const char *const good[] = {
      "set title 'it''s `date` @x $y | < > ! \" system'",
      "set xlabel '<b>|v| [m/s]' noenhanced\nset output 'out.svg'",
      "plot [0:1] 'data' binary skip=16 record=(3) format='%2double' using 1:($2*2) with lines "
      "title '|x|', 'data-2' using 1:2 title '<y'",
      "knock_width = 8.8; knock_font = 'Helvetica'",
      "# a comment with `ticks` and \"quotes\"\nset border 3",
      "plot 'a' using 1:2, \\\n 'b' using 1:2",
  };
  for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    TEST_ASSERT_EQUAL_MESSAGE(CORE_OK, checked(good[i]), good[i]);
}

static void the_gate_keeps_everything_else_out(void) {
  static const char *const bad[] = {
      "system 'touch pwned'",
      "!touch pwned",
      "set title `touch pwned`",
      "set title \"`touch x`\"",
      "shell",
      "load 'x'",
      "call 'x'",
      "eval 'x'",
      "set print 'x'",
      "set table 'x'",
      "cd '/'",
      "plot '< touch pwned'",
      "plot 'a' using 1:2, '< touch pwned'",
      "set output '|touch pwned'",
      "set output '/etc/passwd'",
      "plot '../data'",
      "set title @macro",
      "$d << EOD",
      "plot $d",
      "set title 'open",
      "a = 'x'",
      "plot system('touch pwned')",
      "set title 'a'; system 'x'",
      "set fontpath '!touch pwned'",
      "set loadpath 'x'",
      "knock_f = '<ls'\nplot knock_f",
      "do for [i=1:2] { shell }",
      "if (1) { shell }",
      "set xtics (\n'a' 1)",
      "'text'",
      "plot 'a' using 1:(system('touch pwned'))",
      "set title 'a\tb'",
      "set ou 'x'",
      "se title 'x'",
      "plot sprintf('<%s', 'ls')",
      "#\\\nshell",
      "set title 'x' #\\\n; shell",
      "print 'x'",
      "pause -1",
      "exit",
      "quit",
      "save 'x'",
      "update 'x'",
      "fit x 'x' via y",
      "stats 'x'",
      "undefine *",
      "import f from 'lib.so'",
      "test",
      "history !ls",
      "set title '''; shell; '",
      "set title 'a''''; shell; '",
      "bind 'a' 'shell'",
      "set palette file '< touch pwned'",
      "set palette fi 'a'.'b'",
      "set palette model RGB file knock_f",
      "plot 'a' eq 'a' ? '< touch pwned' : 'b'",
      "plot 'a'\\\n eq 'a' ? '< touch pwned' : 'b'",
      "plot 'aa'[2:1].'< touch pwned'",
      "plot ('a')",
      "plot 1 ? 'a' : '< touch pwned'",
      "plot for [f in 'a'] f",
      "plot word('a', 1)",
      "plot GPVAL_ERRMSG",
      "plot 'a' using (s = '< touch pwned'):1, s",
      "set output knock_f",
      "set output (knock_f)",
      "set output 'a'[2:1].'|touch pwned'",
      "set terminal postscript fontfile '< touch pwned'",
      "set terminal lua 'x.lua'",
      "set terminal 'lua'",
      "set terminal\\\n lua",
      "set terminal knock_f",
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    TEST_ASSERT_EQUAL_MESSAGE(CORE_BAD_INPUT, checked(bad[i]), bad[i]);
  TEST_ASSERT_EQUAL(CORE_BAD_INPUT, plot_check("set key\0shell", 13, &err));
}

/* every place a text can stand, and every way known to make gnuplot run something */
static void nothing_runs_whatever_a_title_says(void) {
  static const char *const attacks[] = {
      "`touch PWN`",
      "'; system 'touch PWN'; '",
      "\"; system \"touch PWN\"; \"",
      "a\nsystem 'touch PWN'\n",
      "a\rsystem 'touch PWN'\r",
      "a\n!touch PWN\n",
      "< touch PWN",
      "| touch PWN",
      "@PWN",
      "$PWN",
      "a\\",
      "a\\\nsystem 'touch PWN'",
      "%%s%%n%%d",
      "{/Symbol `touch PWN`}",
      "EOD\nsystem 'touch PWN'\n",
      "e\nsystem 'touch PWN'\n",
      "\x1b]0;touch PWN\x07",
      "''`touch PWN`''",
      "'.system('touch PWN').'",
      "\xc0\x8asystem 'touch PWN'",
      "\xe2\x80\xa8!touch PWN",
      "${touch PWN}",
      "$(touch PWN)",
      "&lt;script&gt;",
      "</title><script>alert(1)</script>",
      "#",
      "\\\"",
      "@{PWN}",
  };
  plot_session *s;
  TEST_ASSERT_EQUAL(CORE_OK, plot_session_open(&s, &err));
  double x[] = {0, 1, 2}, y[] = {0, 1, 4};
  const double *columns[] = {x, y};
  for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
    char q[512], script[4096], *svg;
    size_t size;
    plot_quote(q, attacks[i], strlen(attacks[i]));
    int n = snprintf(script, sizeof script,
                     "set terminal svg\nset output 'out.svg'\nset title %s noenhanced\n"
                     "set xlabel %s noenhanced\nset label 1 at 1,1 %s noenhanced\n"
                     "set xtics (%s 1) noenhanced\nset arrow 1 from 0,0 to 1,1\nset key title %s\n"
                     "plot 'data' binary record=(3) format='%%2double' using 1:2 with lines "
                     "title %s noenhanced\n",
                     q, q, q, q, q, q);
    TEST_ASSERT_EQUAL(CORE_OK, plot_session_data(s, "data", 2, columns, 3, &err));
    TEST_ASSERT_EQUAL_MESSAGE(CORE_OK, plot_session_run(s, script, (size_t)n, &err), err.text);
    TEST_ASSERT_EQUAL(CORE_OK, plot_session_take(s, "out.svg", &svg, &size, &err));
    TEST_ASSERT_NULL_MESSAGE(strstr(svg, "<script>"), "text became markup");
    TEST_ASSERT_NOT_NULL(strstr(svg, "gnuplot_plot_1"));
    free(svg);
  }
  TEST_ASSERT_EQUAL(1, plot_session_starts(s));
  plot_session_close(s);
  TEST_ASSERT_EQUAL(-1, access("PWN", F_OK));
}

static void gnuplots_own_words_come_back(void) {
  plot_session *s;
  TEST_ASSERT_EQUAL(CORE_OK, plot_session_open(&s, &err));
  const char *script = "set terminal svg nonsuch";
  TEST_ASSERT_EQUAL(CORE_BAD_INPUT, plot_session_run(s, script, strlen(script), &err));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "unrecognized terminal option"), err.text);
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "set terminal svg nonsuch"), err.text);
  script = "plot 'missing' using 1:2";
  TEST_ASSERT_EQUAL(CORE_BAD_INPUT, plot_session_run(s, script, strlen(script), &err));
  TEST_ASSERT_EQUAL_STRING("gnuplot: No data in plot", err.text);
  script = "set key nosuch\nreset\nset terminal svg";
  TEST_ASSERT_EQUAL(CORE_BAD_INPUT, plot_session_run(s, script, strlen(script), &err));
  script = "set terminal svg\nset output 'out.svg'\nplot sin(x)";
  TEST_ASSERT_EQUAL(CORE_OK, plot_session_run(s, script, strlen(script), &err));
  TEST_ASSERT_EQUAL(1, plot_session_starts(s));
  plot_session_close(s);
}

static const char *program(const char *name, const char *text) {
  static char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  TEST_ASSERT_NOT_NULL(f);
  fputs(text, f);
  fclose(f);
  chmod(path, 0755);
  return path;
}

static core_status run_with(const char *gnuplot, const char *script, size_t n) {
  plot_session *s;
  setenv("KNOCK_GNUPLOT", gnuplot, 1);
  TEST_ASSERT_EQUAL(CORE_OK, plot_session_open(&s, &err));
  core_status status = plot_session_run(s, script, n, &err);
  plot_session_close(s);
  return status;
}

static void a_missing_gnuplot_is_told_with_a_hint(void) {
  TEST_ASSERT_EQUAL(CORE_NO_TOOL, run_with("/nonexistent/gnuplot", "plot x", 6));
  TEST_ASSERT_NOT_NULL_MESSAGE(strstr(err.text, "install"), err.text);
  char *path = strdup(getenv("PATH"));
  plot_session *s;
  setenv("PATH", folder, 1);
  unsetenv("KNOCK_GNUPLOT");
  TEST_ASSERT_EQUAL(CORE_OK, plot_session_open(&s, &err));
  TEST_ASSERT_EQUAL(CORE_NO_TOOL, plot_session_run(s, "plot x", 6, &err));
  setenv("PATH", path, 1);
  free(path);
  TEST_ASSERT_EQUAL_MESSAGE(CORE_OK, plot_session_run(s, "reset", 5, &err), err.text);
  plot_session_close(s);
}

static void a_dying_gnuplot_is_survived(void) {
  char *big = malloc(1 << 20);
  memset(big, ' ', 1 << 20);
  TEST_ASSERT_EQUAL(CORE_IO, run_with(program("dies", "#!/bin/sh\nexit 3\n"), "plot x", 6));
  TEST_ASSERT_EQUAL(CORE_IO, run_with(program("dies", "#!/bin/sh\nexit 3\n"), big, 1 << 20));
  TEST_ASSERT_EQUAL(CORE_IO, run_with(program("kill", "#!/bin/sh\nread a\necho last words >&2\n"
                                                      "kill -9 $$\n"),
                                      "plot x", 6));
  TEST_ASSERT_EQUAL_STRING("gnuplot died: last words", err.text);
  free(big);
}

/* a gnuplot that talks without end while it reads must not block us, nor we it */
static void much_talk_blocks_nobody(void) {
  size_t n = 1 << 19;
  char *script = malloc(n);
  for (size_t i = 0; i < n; i++) script[i] = i % 64 == 63 ? '\n' : ' ';
  const char *chatty =
      program("chatty", "#!/bin/sh\nwhile read -r a; do\n"
                        "  echo \"012345678901234567890123456789012345678901234\" >&2\n"
                        "  case \"$a\" in print*) echo \"${a#print }\" | "
                        "sed \"s/'//;s/ ',.*/ 0 /\";; esac\ndone\n");
  TEST_ASSERT_EQUAL_MESSAGE(CORE_OK, run_with(chatty, script, n), err.text);
  free(script);
}

static void ctrl_c_stops_the_waiting(void) {
  core_interrupt_flag = 1;
  TEST_ASSERT_EQUAL(CORE_INTERRUPTED,
                    run_with(program("hangs", "#!/bin/sh\nexec sleep 60\n"), "plot x", 6));
}

/* a gnuplot that was killed between two figures is started again for the next */
static void a_new_one_is_started_for_the_next_figure(void) {
  plot_session *s;
  char once[800], flag[300];
  snprintf(flag, sizeof flag, "%s/flag", folder);
  snprintf(once, sizeof once,
           "#!/bin/sh\nif test -e %s; then exec gnuplot -d; fi\ntouch %s\nexit 1\n", flag, flag);
  setenv("KNOCK_GNUPLOT", program("once", once), 1);
  TEST_ASSERT_EQUAL(CORE_OK, plot_session_open(&s, &err));
  TEST_ASSERT_EQUAL(CORE_IO, plot_session_run(s, "reset", 5, &err));
  TEST_ASSERT_EQUAL_MESSAGE(CORE_OK, plot_session_run(s, "reset", 5, &err), err.text);
  TEST_ASSERT_EQUAL(2, plot_session_starts(s));
  plot_session_close(s);
}

static void a_forked_copy_leaves_the_original_alone(void) {
  plot_session *s;
  TEST_ASSERT_EQUAL(CORE_OK, plot_session_open(&s, &err));
  TEST_ASSERT_EQUAL(CORE_OK, plot_session_run(s, "reset", 5, &err));
  pid_t pid = fork();
  if (pid == 0) {
    int failed = plot_session_run(s, "reset", 5, &err) != CORE_OK || plot_session_starts(s) != 1;
    plot_session_close(s);
    _exit(failed);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  TEST_ASSERT_EQUAL(0, status);
  TEST_ASSERT_EQUAL(CORE_OK, plot_session_run(s, "reset", 5, &err));
  TEST_ASSERT_EQUAL(1, plot_session_starts(s));
  plot_session_close(s);
}

/* who leaves without closing the session leaves no folder behind */
static void nothing_is_left_behind_at_exit(void) {
  int ends[2], status;
  char script[64] = "";
  TEST_ASSERT_EQUAL(0, pipe(ends));
  pid_t pid = fork();
  if (pid == 0) {
    plot_session *s;
    setenv("TMPDIR", folder, 1);
    if (plot_session_open(&s, &err) || plot_session_run(s, "reset", 5, &err)) _exit(1);
    snprintf(script, sizeof script, "ls -d %s/knock-*", folder);
    int seen = system(script) == 0;
    if (write(ends[1], &seen, sizeof seen) < 0) _exit(1);
    exit(0);
  }
  int seen = 0;
  waitpid(pid, &status, 0);
  TEST_ASSERT_EQUAL(sizeof seen, read(ends[0], &seen, sizeof seen));
  TEST_ASSERT_EQUAL(0, status);
  TEST_ASSERT_TRUE(seen);
  snprintf(script, sizeof script, "ls -d %s/knock-* 2>/dev/null", folder);
  TEST_ASSERT_NOT_EQUAL(0, system(script));
}

static int count_folders(void) {
  char line[80];
  int n = -1;
  snprintf(line, sizeof line, "ls -d %s/knock-plot-* 2>/dev/null | wc -l", folder);
  FILE *f = popen(line, "r");
  TEST_ASSERT_EQUAL(1, fscanf(f, "%d", &n));
  pclose(f);
  return n;
}

static void what_a_killed_process_left_is_swept_up(void) {
  plot_session *s;
  setenv("TMPDIR", folder, 1);
  TEST_ASSERT_EQUAL(CORE_OK, plot_session_open(&s, &err)); /* lives: is left alone */
  pid_t pid = fork();
  if (pid == 0) {
    if (plot_session_data(s, "data", 0, NULL, 0, &err)) _exit(1); /* a folder of its own */
    kill(getpid(), SIGKILL);
  }
  waitpid(pid, NULL, 0);
  TEST_ASSERT_EQUAL(2, count_folders());
  plot_folder_sweep();
  TEST_ASSERT_EQUAL(1, count_folders());
  TEST_ASSERT_EQUAL(CORE_OK, plot_session_data(s, "data", 0, NULL, 0, &err));
  plot_session_close(s);
  TEST_ASSERT_EQUAL(0, count_folders());
}

int main(void) {
  UNITY_BEGIN();
  if (!mkdtemp(folder) || chdir(folder)) return 1;
  RUN_TEST(quotes_are_doubled_and_control_characters_become_spaces);
  RUN_TEST(the_gate_lets_drawing_in);
  RUN_TEST(the_gate_keeps_everything_else_out);
  RUN_TEST(nothing_runs_whatever_a_title_says);
  RUN_TEST(gnuplots_own_words_come_back);
  RUN_TEST(a_missing_gnuplot_is_told_with_a_hint);
  RUN_TEST(a_dying_gnuplot_is_survived);
  RUN_TEST(much_talk_blocks_nobody);
  RUN_TEST(ctrl_c_stops_the_waiting);
  RUN_TEST(a_new_one_is_started_for_the_next_figure);
  RUN_TEST(a_forked_copy_leaves_the_original_alone);
  RUN_TEST(nothing_is_left_behind_at_exit);
  RUN_TEST(what_a_killed_process_left_is_swept_up);
  if (chdir("/")) return 1;
  char command[300];
  snprintf(command, sizeof command, "rm -r %s", folder);
  if (system(command)) return 1;
  return UNITY_END();
}
