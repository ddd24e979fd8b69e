/* Uses every function of grammask.h once. Exits with the line of the first wrong result. */
#include "grammask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "line %d: %s: %s\n", __LINE__, #condition, grammask_last_error()); \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

int main(void) {
  CHECK(strlen(grammask_version()) >= 5);
  CHECK(strlen(grammask_last_error()) == 0);

  const char *bytes = "yesno,yes<|end|>";
  const uint32_t lengths[] = {3, 2, 1, 2, 1, 7};
  const uint8_t is_special[] = {0, 0, 0, 0, 0, 1};
  const uint32_t end = 5;
  Vocabulary *vocabulary = grammask_vocabulary_new((const uint8_t *)bytes, lengths, is_special, 6, &end, 1);
  CHECK(vocabulary != NULL);
  CHECK(grammask_vocabulary_words(vocabulary) == 1);

  const char *text = "start ::= answer (',' answer)*; answer ::= 'yes' | 'no';";
  Grammar *grammar =
      grammask_grammar_new(vocabulary, "kbnf", (const uint8_t *)text, strlen(text), NULL, 0);
  CHECK(grammar != NULL);
  Matcher *matcher = grammask_matcher_new(grammar);
  CHECK(matcher != NULL);

  uint32_t row[2] = {~0u, ~0u};
  CHECK(grammask_matcher_fill(matcher, row, 2) == 0);
  CHECK(row[0] == 0xb && row[1] == 0);
  CHECK(grammask_matcher_fill(matcher, row, 0) == -1);
  CHECK(strstr(grammask_last_error(), "1") != NULL);

  CHECK(grammask_matcher_accept(matcher, 2) == 0);
  CHECK(grammask_matcher_accept(matcher, 0) == 1);
  CHECK(grammask_matcher_is_complete(matcher) == 1);
  const uint32_t next[] = {2, 1, 5, 0};
  CHECK(grammask_matcher_validate(matcher, next, 4) == 3);
  CHECK(grammask_matcher_accept_bytes(matcher, (const uint8_t *)",n", 2) == 1);
  uint8_t forced[8];
  CHECK(grammask_matcher_forced_bytes(matcher, forced, sizeof forced) == 1 && forced[0] == 'o');
  Matcher *twin = grammask_matcher_clone(matcher);
  CHECK(twin != NULL);
  CHECK(grammask_matcher_rollback(matcher, 1) == 0);
  CHECK(grammask_matcher_rollback(matcher, 9) == -1);
  CHECK(grammask_matcher_accept(matcher, 5) == 1 && grammask_matcher_is_finished(matcher) == 1);
  CHECK(grammask_matcher_is_finished(twin) == 0 && grammask_matcher_is_complete(twin) == 0);
  CHECK(grammask_matcher_reset(matcher) == 0 && grammask_matcher_is_finished(matcher) == 0);

  Matcher *batch[] = {matcher, twin};
  uint32_t rows[5];
  CHECK(grammask_matcher_fill_batch(batch, 2, rows, 1, 2) == 0);
  CHECK(rows[0] == 0xb && rows[1] == 0);
  Matcher *wrong[] = {matcher, matcher};
  CHECK(grammask_matcher_fill_batch(wrong, 2, rows, 1, 1) == -1);

  const int64_t next_token[] = {1, 2, -1, -1, -1}, next_sibling[] = {-1, 4, 3, -1, -1};
  const uint32_t draft[] = {0, 0, 2, 1, 3};
  CHECK(grammask_matcher_fill_tree(matcher, next_token, next_sibling, draft, 5, rows, 1) == 4);
  CHECK(rows[0] == 0xb && rows[1] == 0x24 && rows[2] == 0xb && rows[3] == 0 && rows[4] == 0x10);
  const int64_t circle[] = {0};
  CHECK(grammask_matcher_fill_tree(matcher, circle, circle, draft, 1, rows, 1) == -1);

  int64_t size = grammask_grammar_save(grammar, true, NULL, 0);
  CHECK(size > 0);
  uint8_t *saved = malloc((size_t)size);
  CHECK(grammask_grammar_save(grammar, true, saved, (size_t)size) == size);
  Grammar *again = grammask_grammar_load(vocabulary, saved, (size_t)size);
  CHECK(again != NULL);
  CHECK(grammask_grammar_load(vocabulary, saved, (size_t)size - 1) == NULL);
  free(saved);

  /* Errors have texts, and NULL is an error. */
  CHECK(grammask_grammar_new(vocabulary, "kbnf", (const uint8_t *)"start ::= ;", 11, NULL, 0) == NULL);
  CHECK(strlen(grammask_last_error()) > 10);
  const char *schema = "{\"enum\": [1]}";
  CHECK(grammask_grammar_new(vocabulary, "sql", (const uint8_t *)schema, strlen(schema), NULL, 0) == NULL);
  CHECK(strstr(grammask_last_error(), "sql") != NULL);
  CHECK(grammask_grammar_new(NULL, "kbnf", (const uint8_t *)text, strlen(text), NULL, 0) == NULL);
  CHECK(grammask_matcher_new(NULL) == NULL);
  CHECK(grammask_matcher_accept(NULL, 0) == -1);
  CHECK(grammask_vocabulary_words(NULL) == 0);

  /* A grammar outlives its vocabulary, and a matcher its grammar. */
  const char *tokenizer = "YQ== 0\nYg== 1\n";
  Vocabulary *loaded =
      grammask_vocabulary_load((const uint8_t *)tokenizer, strlen(tokenizer), NULL, 0);
  CHECK(loaded != NULL);
  CHECK(grammask_vocabulary_load((const uint8_t *)"{", 1, NULL, 0) == NULL);
  grammask_vocabulary_free(vocabulary);
  grammask_grammar_free(grammar);
  CHECK(grammask_matcher_accept(matcher, 0) == 1);
  grammask_matcher_free(matcher);
  grammask_matcher_free(twin);
  grammask_grammar_free(again);
  grammask_vocabulary_free(loaded);
  grammask_vocabulary_free(NULL);
  grammask_grammar_free(NULL);
  grammask_matcher_free(NULL);
  puts("ok");
  return 0;
}
