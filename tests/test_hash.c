#include <stdio.h>
#include <string.h>

#include "core/hash.h"
#include "unity.h"

void setUp(void) {
}

void tearDown(void) {
}

static void digest_is(const char *text, const char *expected) {
  char hex[65];
  core_sha256(text, strlen(text), hex);
  TEST_ASSERT_EQUAL_STRING(expected, hex);
}

/* the examples of FIPS 180-4 */
static void the_standards_examples_come_out(void) {
  digest_is("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  digest_is("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  digest_is("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

/* another program's opinion, at the lengths where the padding changes */
static void sha256sum_agrees_at_every_length(void) {
  for (size_t n = 0; n < 200; n += 1 + n / 9) {
    char text[256], line[80] = "", hex[65];
    memset(text, 'x', n);
    core_sha256(text, n, hex);
    char command[400];
    snprintf(command, sizeof command, "printf '%.*s' | sha256sum", (int)n, text);
    FILE *f = popen(command, "r");
    TEST_ASSERT_NOT_NULL(fgets(line, sizeof line, f));
    pclose(f);
    TEST_ASSERT_EQUAL_STRING_LEN(line, hex, 64);
  }
}

static void crc_has_its_check_value(void) {
  TEST_ASSERT_EQUAL_HEX32(0xcbf43926, core_crc32(0, "123456789", 9));
  TEST_ASSERT_EQUAL_HEX32(0xcbf43926, core_crc32(core_crc32(0, "1234", 4), "56789", 5));
}

int main(void) {
  UNITY_BEGIN();
  RUN_TEST(the_standards_examples_come_out);
  RUN_TEST(sha256sum_agrees_at_every_length);
  RUN_TEST(crc_has_its_check_value);
  return UNITY_END();
}
