/* grammask: token masks for language models, from grammars and JSON Schemas.
 *
 * Repeats the signatures of crates/grammask-capi; see its README.
 */

#ifndef GRAMMASK_H
#define GRAMMASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The result of a function that failed. `grammask_last_error` has the reason.
 */
#define GRAMMASK_ERROR -1

/**
 * The tokens of a model, and those that end an output.
 */
typedef struct Vocabulary Vocabulary;

/**
 * A grammar that is compiled for a vocabulary. All its matchers share the masks that any of them computes.
 */
typedef struct Grammar Grammar;

/**
 * Follows one output: which tokens may come next, and where the output is.
 */
typedef struct Matcher Matcher;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the version of the library, as `1.2.3`. Never freed.
 */
const char *grammask_version(void);

/**
 * Returns the text of the last error of this thread: what is wrong, where, and often what helps. It is empty
 * if there was none, and valid until the next error of this thread.
 */
const char *grammask_last_error(void);

/**
 * Makes a vocabulary of `count` tokens. Token `i` has `lengths[i]` bytes, which follow those of token `i -
 * 1` in `bytes`. If `is_special[i]` is not 0, the bytes are the name of a special token, which has no text;
 * a token without bytes is left out. `is_special` may be `NULL`. `ends` are the tokens that end an output.
 *
 * # Safety
 * `lengths` and `is_special` have `count` items, `bytes` as many as the sum of the lengths, `ends` has
 * `end_count`.
 */
Vocabulary *grammask_vocabulary_new(const uint8_t *bytes,
                                    const uint32_t *lengths,
                                    const uint8_t *is_special,
                                    size_t count,
                                    const uint32_t *ends,
                                    size_t end_count);

/**
 * Reads a tokenizer file: `tokenizer.json`, tiktoken, RWKV or plain JSON.
 *
 * # Safety
 * `data` has `length` bytes, `ends` has `end_count` items.
 */
Vocabulary *grammask_vocabulary_load(const uint8_t *data,
                                     size_t length,
                                     const uint32_t *ends,
                                     size_t end_count);

/**
 * Returns the number of 32-bit words in a mask; 0 for `NULL`.
 *
 * # Safety
 * `vocabulary` is an object of this library.
 */
size_t grammask_vocabulary_words(const Vocabulary *vocabulary);

/**
 * Frees a vocabulary. Grammars that were made with it stay valid.
 *
 * # Safety
 * `vocabulary` is `NULL` or an object of this library that was not freed.
 */
void grammask_vocabulary_free(Vocabulary *vocabulary);

/**
 * Compiles a grammar. `kind` is a text that ends with a zero: `"kbnf"` or `"json_schema"`. `ends` are the
 * tokens that end an output; with `NULL`, those of the vocabulary.
 *
 * # Safety
 * `vocabulary` is an object of this library, `kind` ends with a zero, `source` has `length` bytes, and
 * `ends` has `end_count` items or is `NULL`.
 */
Grammar *grammask_grammar_new(const Vocabulary *vocabulary,
                              const char *kind,
                              const uint8_t *source,
                              size_t length,
                              const uint32_t *ends,
                              size_t end_count);

/**
 * Copies the compiled grammar to `buffer`, as many bytes as fit; returns their number. With `is_warm`, known
 * masks are included. Call it with a capacity of 0 first.
 *
 * # Safety
 * `grammar` is an object of this library, `buffer` has `capacity` bytes.
 */
int64_t grammask_grammar_save(const Grammar *grammar,
                              bool is_warm,
                              uint8_t *buffer,
                              size_t capacity);

/**
 * Reads what `grammask_grammar_save` wrote, for an equal vocabulary.
 *
 * # Safety
 * `vocabulary` is an object of this library, `data` has `length` bytes.
 */
Grammar *grammask_grammar_load(const Vocabulary *vocabulary, const uint8_t *data, size_t length);

/**
 * Frees a grammar. Its matchers stay valid.
 *
 * # Safety
 * `grammar` is `NULL` or an object of this library that was not freed.
 */
void grammask_grammar_free(Grammar *grammar);

/**
 * Makes a matcher at the beginning of an output.
 *
 * # Safety
 * `grammar` is an object of this library.
 */
Matcher *grammask_matcher_new(const Grammar *grammar);

/**
 * Makes a matcher in the same place, which goes its own way from here.
 *
 * # Safety
 * `matcher` is an object of this library that no other thread uses.
 */
Matcher *grammask_matcher_clone(const Matcher *matcher);

/**
 * Accepts a token. Returns 1 if it is allowed, 0 if not, and -1 if a limit is exceeded. Nothing changes
 * unless 1 is returned.
 *
 * # Safety
 * `matcher` is an object of this library that no other thread uses.
 */
int32_t grammask_matcher_accept(Matcher *matcher, uint32_t token);

/**
 * Accepts bytes as if they were one token; returns as `grammask_matcher_accept`.
 *
 * # Safety
 * `matcher` is an object of this library that no other thread uses, `bytes` has `length` bytes.
 */
int32_t grammask_matcher_accept_bytes(Matcher *matcher, const uint8_t *bytes, size_t length);

/**
 * Returns how many of the tokens could be accepted, one after the other, or -1. Changes nothing.
 *
 * # Safety
 * `matcher` is an object of this library that no other thread uses, `tokens` has `count` items.
 */
int64_t grammask_matcher_validate(Matcher *matcher, const uint32_t *tokens, size_t count);

/**
 * Takes back the last `count` tokens. Returns 0, or -1 if fewer were accepted.
 *
 * # Safety
 * `matcher` is an object of this library that no other thread uses.
 */
int32_t grammask_matcher_rollback(Matcher *matcher, size_t count);

/**
 * Goes back to the beginning of the output. Returns 0.
 *
 * # Safety
 * `matcher` is an object of this library that no other thread uses.
 */
int32_t grammask_matcher_reset(Matcher *matcher);

/**
 * Copies the bytes that every output has next to `buffer`, as many as fit; returns their number, or -1.
 *
 * # Safety
 * `matcher` is an object of this library that no other thread uses, `buffer` has `capacity` bytes.
 */
int64_t grammask_matcher_forced_bytes(Matcher *matcher, uint8_t *buffer, size_t capacity);

/**
 * Returns 1 if the output so far is in the language, 0 if not.
 *
 * # Safety
 * `matcher` is an object of this library that no other thread uses.
 */
int32_t grammask_matcher_is_complete(const Matcher *matcher);

/**
 * Returns 1 if the output has ended: nothing more is accepted. Returns 0 if not.
 *
 * # Safety
 * `matcher` is an object of this library that no other thread uses.
 */
int32_t grammask_matcher_is_finished(const Matcher *matcher);

/**
 * Frees a matcher.
 *
 * # Safety
 * `matcher` is `NULL` or an object of this library that was not freed.
 */
void grammask_matcher_free(Matcher *matcher);

/**
 * Writes the mask of the tokens that may come next into a row of `words` words, at least
 * `grammask_vocabulary_words`; further words are 0. Returns 0, or -1 and a row of zeros at a limit.
 *
 * # Safety
 * `matcher` is an object of this library that no other thread uses, `row` has `words` words.
 */
int32_t grammask_matcher_fill(Matcher *matcher, uint32_t *row, size_t words);

/**
 * Writes the masks of `count` matchers into rows of `words` words each, with at most `threads` threads. The
 * row of a matcher at a limit is 0. Returns the number of such matchers, or -1 if nothing was written.
 *
 * # Safety
 * `matchers` has `count` different objects of this library that no other thread uses, `rows` has
 * `count * words` words.
 */
int64_t grammask_matcher_fill_batch(Matcher *const *matchers,
                                    size_t count,
                                    uint32_t *rows,
                                    size_t words,
                                    size_t threads);

/**
 * Writes the masks along a tree of `count` draft tokens, without accepting any of them. `draft[n]` is the
 * token of node `n`; node 0 is the last token that was accepted, and its own value is not read.
 * `next_token[n]` is the first child of node `n`, `next_sibling[n]` its next sibling, -1 where there is
 * none. Row `n` gets the mask after node `n`; it is 0 where a token on the way is not allowed. Returns the
 * number of nodes that can be accepted, node 0 included, or -1.
 *
 * # Safety
 * `matcher` is an object of this library that no other thread uses; the arrays have `count` items, and
 * `rows` has `count * words` words.
 */
int64_t grammask_matcher_fill_tree(Matcher *matcher,
                                   const int64_t *next_token,
                                   const int64_t *next_sibling,
                                   const uint32_t *draft,
                                   size_t count,
                                   uint32_t *rows,
                                   size_t words);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* GRAMMASK_H */
