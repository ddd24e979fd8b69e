/* A sampler of llama.cpp that keeps an output in a grammar.
 *
 *   Vocabulary *vocabulary = grammask_llama_vocabulary(llama_model_get_vocab(model));
 *   Grammar *grammar = grammask_grammar_new(vocabulary, "json_schema", schema, length, NULL, 0);
 *   llama_sampler_chain_add(chain, grammask_llama_sampler(grammar, grammask_vocabulary_words(vocabulary)));
 *
 * It comes before the samplers that pick a token. The chain frees it.
 */
#include "llama.h"

#include "grammask.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of a token that are read at once; a longer token is read again. */
#define PIECE_BYTES 256

struct grammask_sampler {
  Matcher *matcher;
  uint32_t *row;
  size_t words;
};

static const char *sampler_name(const struct llama_sampler *sampler) {
  (void)sampler;
  return "grammask";
}

static void sampler_accept(struct llama_sampler *sampler, llama_token token) {
  struct grammask_sampler *own = sampler->ctx;
  if (grammask_matcher_is_finished(own->matcher) == 0 &&
      grammask_matcher_accept(own->matcher, (uint32_t)token) != 1) {
    fprintf(stderr, "grammask: token %d is not allowed: %s\n", token, grammask_last_error());
  }
}

static void sampler_apply(struct llama_sampler *sampler, llama_token_data_array *candidates) {
  struct grammask_sampler *own = sampler->ctx;
  /* After the end, everything may follow: the caller stops there. */
  if (grammask_matcher_is_finished(own->matcher) != 0) return;
  if (grammask_matcher_fill(own->matcher, own->row, own->words) != 0) {
    fprintf(stderr, "grammask: %s\n", grammask_last_error());
    return;
  }
  for (size_t index = 0; index < candidates->size; index++) {
    const uint32_t token = (uint32_t)candidates->data[index].id;
    const int is_allowed = token / 32 < own->words && (own->row[token / 32] >> (token % 32) & 1);
    if (!is_allowed) candidates->data[index].logit = -INFINITY;
  }
}

static void sampler_reset(struct llama_sampler *sampler) {
  struct grammask_sampler *own = sampler->ctx;
  grammask_matcher_reset(own->matcher);
}

static struct llama_sampler *make(Matcher *matcher, size_t words);

static struct llama_sampler *sampler_clone(const struct llama_sampler *sampler) {
  const struct grammask_sampler *own = sampler->ctx;
  return make(grammask_matcher_clone(own->matcher), own->words);
}

static void sampler_free(struct llama_sampler *sampler) {
  struct grammask_sampler *own = sampler->ctx;
  grammask_matcher_free(own->matcher);
  free(own->row);
  free(own);
}

/* Functions that are not named stay NULL, as those that run on a device. */
static struct llama_sampler_i interface = {
    .name = sampler_name,
    .accept = sampler_accept,
    .apply = sampler_apply,
    .reset = sampler_reset,
    .clone = sampler_clone,
    .free = sampler_free,
};

static struct llama_sampler *make(Matcher *matcher, size_t words) {
  struct grammask_sampler *own = malloc(sizeof *own);
  uint32_t *row = calloc(words, sizeof *row);
  if (matcher == NULL || own == NULL || row == NULL) {
    grammask_matcher_free(matcher);
    free(own);
    free(row);
    return NULL;
  }
  *own = (struct grammask_sampler){.matcher = matcher, .row = row, .words = words};
  return llama_sampler_init(&interface, own);
}

/* Makes a sampler at the beginning of an output; NULL on errors. */
struct llama_sampler *grammask_llama_sampler(const Grammar *grammar, size_t words) {
  return make(grammask_matcher_new(grammar), words);
}

/* Makes a vocabulary of a model's tokens. All tokens that end a generation end an output. */
Vocabulary *grammask_llama_vocabulary(const struct llama_vocab *vocab) {
  const int32_t count = llama_vocab_n_tokens(vocab);
  uint32_t *lengths = calloc((size_t)count, sizeof *lengths);
  uint32_t *ends = calloc((size_t)count, sizeof *ends);
  uint8_t *is_special = calloc((size_t)count, 1);
  size_t used = 0, capacity = 1 << 20, end_count = 0;
  uint8_t *bytes = malloc(capacity);
  Vocabulary *vocabulary = NULL;
  if (lengths == NULL || ends == NULL || is_special == NULL || bytes == NULL) goto done;
  for (int32_t token = 0; token < count; token++) {
    is_special[token] = llama_vocab_is_control(vocab, token);
    if (llama_vocab_is_eog(vocab, token)) ends[end_count++] = (uint32_t)token;
    int32_t room = PIECE_BYTES;
    for (;;) {
      if (capacity - used < (size_t)room) {
        uint8_t *larger = realloc(bytes, capacity = 2 * capacity + (size_t)room);
        if (larger == NULL) goto done;
        bytes = larger;
      }
      /* A negative result is the length that is needed. */
      const int32_t length = llama_token_to_piece(vocab, token, (char *)bytes + used, room, 0, is_special[token]);
      if (length >= 0) {
        lengths[token] = (uint32_t)length;
        used += (size_t)length;
        break;
      }
      room = -length;
    }
  }
  vocabulary = grammask_vocabulary_new(bytes, lengths, is_special, (size_t)count, ends, end_count);
done:
  free(lengths);
  free(ends);
  free(is_special);
  free(bytes);
  return vocabulary;
}
