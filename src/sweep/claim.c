#include "sweep/claim.h"
#include "core/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FREE, LEASED, DONE }; /* state of a chunk */

static core_status cannot(core_error *err, const char *folder, const char *what) {
  if (errno == ENOENT)
    return core_fail(err, CORE_IO, "sweep: the folder '%s' has vanished", folder);
  return core_fail(err, CORE_IO, "sweep: cannot %s in '%s': %s", what, folder, strerror(errno));
}

static void path_of(const sweep_claims *c, const char *kind, size_t chunk, char path[PATH_MAX]) {
  snprintf(path, PATH_MAX, "%s/%s-%06zu", c->folder, kind, chunk);
}

/* ---- opening ---- */

static void make_name(char name[SWEEP_NAME]) {
  char host[40] = "";
  uint32_t word = 0;
  gethostname(host, sizeof host - 1);
  for (char *at = host; *at; at++)
    if (*at == '/' || *at == ' ' || *at == '\n') *at = '_';
  if (getrandom(&word, sizeof word, 0) < 0) word = (uint32_t)clock();
  snprintf(name, SWEEP_NAME, "%s-%ld-%08x", host, (long)getpid(), (unsigned)word);
}

core_status sweep_claims_open(sweep_claims *c, const char *folder, size_t chunks, double patience,
                              core_error *err) {
  *c = (sweep_claims){.chunks = chunks, .patience = patience};
  c->folder = strdup(folder);
  c->own = malloc(strlen(folder) + SWEEP_NAME + 16);
  c->held = calloc(chunks + 1, sizeof *c->held);
  c->state = calloc(chunks + 1, 1);
  c->sights = calloc(chunks + 1, sizeof *c->sights);
  make_name(c->name);
  for (const char *at = c->name; *at; at++) c->place = c->place * 31 + (unsigned char)*at;
  if (c->own) sprintf(c->own, "%s/claim.%s", folder, c->name);
  if (c->folder && c->own && c->state && c->sights && c->held) return CORE_OK;
  return core_no_memory(err);
}

void sweep_claims_close(sweep_claims *c) {
  if (c->n_held) sweep_claims_release(c, 0, NULL);
  if (c->own) unlink(c->own);
  free(c->folder);
  free(c->own);
  free(c->held);
  free(c->state);
  free(c->sights);
  *c = (sweep_claims){0};
}

/* ---- looking ---- */

static core_status read_folder(const char *folder, size_t chunks, unsigned char *state,
                               core_error *err) {
  DIR *dir = opendir(folder);
  if (!dir) return cannot(err, folder, "look");
  memset(state, FREE, chunks);
  errno = 0;
  for (struct dirent *entry; (entry = readdir(dir));) {
    size_t chunk = SIZE_MAX;
    int is = sscanf(entry->d_name, "done-%zu", &chunk) == 1    ? DONE
             : sscanf(entry->d_name, "lease-%zu", &chunk) == 1 ? LEASED
                                                               : FREE;
    int whole = strlen(entry->d_name) == strcspn(entry->d_name, ".");
    if (is && whole && chunk < chunks && state[chunk] < is) state[chunk] = (unsigned char)is;
  }
  core_status status = errno ? cannot(err, folder, "look") : CORE_OK;
  closedir(dir);
  return status;
}

core_status sweep_claims_count(const char *folder, size_t chunks, size_t *done, size_t *leased,
                               core_error *err) {
  unsigned char *state = calloc(chunks + 1, 1);
  core_status status = state ? read_folder(folder, chunks, state, err) : core_no_memory(err);
  *done = *leased = 0;
  for (size_t i = 0; i < chunks && !status; i++) {
    *done += state[i] == DONE; /* NOLINT: read, or status is set */
    *leased += state[i] == LEASED;
  }
  free(state);
  return status;
}

/* hash of the text of a lease, never 0; 0 when it is not there */
static unsigned look(const char *path) {
  char text[200];
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
  if (fd >= 0) close(fd);
  if (n < 0) return 0;
  unsigned h = 2166136261u;
  for (ssize_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * 16777619u;
  return h ? h : 1;
}

/* ---- claiming ---- */

/* Writes "name count" to our own file. Always as many bytes, over the ones before: every lease of
 * ours is a link to it, so this renews them all at once, also on a disk that is full. */
static int write_own(const sweep_claims *c) {
  char text[SWEEP_NAME + 32];
  int n = snprintf(text, sizeof text, "%s %020lu\n", c->name, c->count);
  int fd = open(c->own, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  int good = fd >= 0 && write(fd, text, (size_t)n) == n;
  int code = errno;
  if (fd >= 0 && close(fd) && good) good = 0, code = errno;
  errno = code;
  return good;
}

/* is it a link to our own file? */
static int is_ours(const sweep_claims *c, const char *path) {
  struct stat own, other;
  return !stat(path, &other) && !stat(c->own, &own) && own.st_ino == other.st_ino &&
         own.st_dev == other.st_dev;
}

/* 1: the lease is ours; 0: somebody else's; -1: it failed */
static int take(sweep_claims *c, size_t chunk) {
  char lease[PATH_MAX];
  path_of(c, "lease", chunk, lease);
  if (!link(c->own, lease)) return 1;
  int code = errno, ours = is_ours(c, lease); /* the answer was lost */
  errno = code;
  return ours ? 1 : code == EEXIST ? 0 : -1;
}

/* a lease that has not changed for so long goes to a name of ours; what changed meanwhile goes back
 */
static int take_away(sweep_claims *c, size_t chunk) {
  char lease[PATH_MAX], away[PATH_MAX];
  path_of(c, "lease", chunk, lease);
  snprintf(away, sizeof away, "%s/stale.%s", c->folder, c->name);
  if (rename(lease, away)) return 0;
  int same = look(away) == c->sights[chunk].hash;
  if (!same && link(away, lease) && errno != EEXIST) same = 1; /* it is nobody's now */
  unlink(away);
  return same;
}

/* has it been the same for as long as we are patient? */
static int is_stale(sweep_claims *c, size_t chunk) {
  char lease[PATH_MAX];
  sweep_sight *sight = &c->sights[chunk];
  path_of(c, "lease", chunk, lease);
  unsigned hash = look(lease);
  if (hash == sight->hash && hash) return core_seconds() - sight->since > c->patience;
  *sight = (sweep_sight){hash, core_seconds()};
  return 0;
}

/* done by somebody between our look at the folder and the claim: the lease goes again */
static int was_done(const sweep_claims *c, size_t chunk) {
  char path[PATH_MAX];
  path_of(c, "done", chunk, path);
  if (access(path, F_OK)) return 0;
  path_of(c, "lease", chunk, path);
  unlink(path);
  return 1;
}

/* chunks of a state, from our own place on, until we hold `want` */
static core_status try_state(sweep_claims *c, int state, size_t want, core_error *err) {
  size_t start = c->place;
  for (size_t k = 0; k < c->chunks && c->n_held < want; k++) {
    size_t chunk = (start + k) % c->chunks;
    if (c->state[chunk] != state) continue;
    if (state == LEASED && (!is_stale(c, chunk) || !take_away(c, chunk))) continue;
    int ours = take(c, chunk);
    if (ours < 0) return cannot(err, c->folder, "claim");
    if (!ours || was_done(c, chunk)) continue;
    c->held[c->n_held++] = chunk;
    c->taken_over |= state == LEASED || c->sights[chunk].hash;
    c->place = chunk + 1;
  }
  return CORE_OK;
}

/* half of what is free at most, one at least: others come too. The work of one claim is a matter of
 * seconds, so that is how long the last worker can keep the others waiting. */
static size_t modest(size_t have, size_t want) {
  return want < have / 2 ? want : have / 2 ? have / 2 : 1;
}

static core_status next(sweep_claims *c, size_t want, int *all_done, core_error *err) {
  c->looks++;
  c->count++;
  c->taken_over = 0;
  if (!write_own(c)) return cannot(err, c->folder, "claim");
  core_status status = read_folder(c->folder, c->chunks, c->state, err);
  if (status) return status;
  c->free = c->done = 0;
  for (size_t i = 0; i < c->chunks; i++) {
    c->done += c->state[i] == DONE;
    c->free += c->state[i] == FREE;
  }
  *all_done = c->done == c->chunks;
  if (*all_done) return CORE_OK;
  status = try_state(c, FREE, modest(c->free, want), err);
  size_t leased = c->chunks - c->done - c->free;
  if (!status && !c->n_held) status = try_state(c, LEASED, modest(leased, want), err);
  c->renewed = core_seconds();
  return status;
}

core_status sweep_claims_next(sweep_claims *c, size_t want, int *all_done, core_error *err) {
  double start = core_seconds();
  core_status status = next(c, want, all_done, err);
  c->claims++;
  c->spent += core_seconds() - start;
  return status;
}

core_status sweep_claims_renew(sweep_claims *c, core_error *err) {
  if (!c->n_held || core_seconds() - c->renewed < c->patience / 4) return CORE_OK;
  double start = c->renewed = core_seconds();
  c->count++;
  core_status status = write_own(c) ? CORE_OK : cannot(err, c->folder, "renew a lease");
  c->spent += core_seconds() - start;
  return status;
}

/* The lease becomes the mark. When it is gone, somebody has taken the chunk over: it may be done,
 * or its lease may be somebody else's, who finds the same. */
static int mark_done(const sweep_claims *c, size_t chunk) {
  char lease[PATH_MAX], done[PATH_MAX];
  path_of(c, "lease", chunk, lease);
  path_of(c, "done", chunk, done);
  if (!rename(lease, done) || (errno == ENOENT && !access(done, F_OK))) return 1;
  return errno == ENOENT && (!link(c->own, done) || errno == EEXIST);
}

core_status sweep_claims_release(sweep_claims *c, int done, core_error *err) {
  char lease[PATH_MAX];
  core_status status = CORE_OK;
  double start = core_seconds();
  for (size_t i = 0; i < c->n_held; i++) {
    path_of(c, "lease", c->held[i], lease);
    if (done && !status && !mark_done(c, c->held[i]))
      status = cannot(err, c->folder, "mark a chunk done");
    if ((!done || status) && is_ours(c, lease)) unlink(lease);
  }
  c->n_held = 0;
  c->spent += core_seconds() - start;
  return status;
}
