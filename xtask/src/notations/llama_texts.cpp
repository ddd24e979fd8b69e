// The verdicts of llama.cpp on texts: `llama_texts GRAMMAR TEXTS`, texts in hexadecimal, one per line. Prints A
// (in the language), L (live prefix) or R (rejected) for each, or GERR if the grammar is refused. Built from
// this file and llama-grammar.cpp, unicode.cpp and unicode-data.cpp of llama.cpp.
#include "llama-grammar.h"
#include "llama-impl.h"
#include "llama-vocab.h"
#include "unicode.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

extern "C" void ggml_abort(const char *, int, const char *, ...) { abort(); }
void llama_log_internal(ggml_log_level, const char *, ...) {}
bool llama_vocab::is_eog(llama_token) const { return false; }
const std::string & llama_vocab::token_to_piece(llama_token) const { static std::string none; return none; }
int32_t llama_vocab::tokenize(const char *, int32_t, llama_token *, int32_t, bool, bool) const { return 0; }

int main(int, char ** arguments) {
    std::ifstream file(arguments[1]);
    std::stringstream source;
    source << file.rdbuf();
    auto * grammar =
        llama_grammar_init_impl(nullptr, source.str().c_str(), "root", false, nullptr, 0, nullptr, 0);
    if (!grammar) {
        puts("GERR");
        return 0;
    }
    std::ifstream texts(arguments[2]);
    for (std::string line; std::getline(texts, line);) {
        std::string text;
        for (size_t at = 0; at + 1 < line.size(); at += 2) {
            text.push_back((char) strtol(line.substr(at, 2).c_str(), nullptr, 16));
        }
        auto * copy = llama_grammar_clone_impl(*grammar);
        bool live = true;
        for (auto point : unicode_cpts_from_utf8(text)) {
            llama_grammar_accept(copy, point);
            live = !llama_grammar_get_stacks(copy).empty();
            if (!live) break;
        }
        bool complete = false;
        for (auto & stack : llama_grammar_get_stacks(copy)) complete |= stack.empty();
        puts(!live ? "R" : complete ? "A" : "L");
        llama_grammar_free_impl(copy);
    }
}
