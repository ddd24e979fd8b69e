// Runs a matcher of the C interface as a WebAssembly module: node smoke.mjs MODULE
//
// The module imports nothing. Inputs are written to pages that only this script uses.

import { readFileSync } from "node:fs";

const module = new WebAssembly.Module(readFileSync(process.argv[2]));
const imports = WebAssembly.Module.imports(module);
if (imports.length > 0) throw new Error(`the module imports ${JSON.stringify(imports)}`);
const c = new WebAssembly.Instance(module, {}).exports;

const PAGE_BYTES = 65536;
let free = c.memory.grow(4) * PAGE_BYTES;

/** Writes bytes, and returns their address. */
function put(bytes) {
  const address = free;
  new Uint8Array(c.memory.buffer).set(bytes, address);
  free += bytes.length + 16 - (bytes.length % 8);
  return address;
}

const text = (value) => new TextEncoder().encode(value);
const numbers = (values) => new Uint8Array(new Uint32Array(values).buffer);

/** Throws the last error of the library if a pointer is null. */
function checked(pointer, what) {
  if (pointer !== 0) return pointer;
  const bytes = new Uint8Array(c.memory.buffer, c.grammask_last_error());
  throw new Error(`${what}: ${new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)))}`);
}

function expect(condition, message) {
  if (!condition) throw new Error(message);
}

// All single bytes, some words, and the token that ends an output.
const words = ['{"', '": ', "12", "true", "}", "ab", '"a"'].map(text);
const tokens = [...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)), ...words, text("<end>")];
const end = tokens.length - 1;
const vocabulary = checked(
  c.grammask_vocabulary_new(
    put(tokens.flatMap((token) => [...token])),
    put(numbers(tokens.map((token) => token.length))),
    put(tokens.map((_, id) => Number(id === end))),
    tokens.length,
    put(numbers([end])),
    1,
  ),
  "vocabulary",
);

/** Returns the allowed tokens, and checks each token against the mask. */
function allowed(matcher) {
  const count = c.grammask_vocabulary_words(vocabulary);
  const row = put(new Uint8Array(4 * count));
  expect(c.grammask_matcher_fill(matcher, row, count) === 0, "fill");
  const mask = new Uint32Array(c.memory.buffer, row, count).slice();
  const place = put(numbers([0]));
  const ids = [];
  for (let id = 0; id < tokens.length; id += 1) {
    new Uint32Array(c.memory.buffer, place, 1)[0] = id;
    const isAllowed = ((mask[id >>> 5] >>> (id & 31)) & 1) === 1;
    const isValid = c.grammask_matcher_validate(matcher, place, 1) === 1n;
    expect(isAllowed === isValid, `token ${id} is ${isAllowed ? "" : "not "}in the mask`);
    if (isAllowed) ids.push(id);
  }
  return ids;
}

/** Follows an output of a grammar byte by byte. Returns the numbers of allowed tokens. */
function follow(kind, source, output) {
  const bytes = text(source);
  const kindAddress = put([...text(kind), 0]);
  const grammar = checked(
    c.grammask_grammar_new(vocabulary, kindAddress, put(bytes), bytes.length, 0, 0),
    source,
  );
  const matcher = checked(c.grammask_matcher_new(grammar), "matcher");
  const counts = [];
  for (const byte of text(output)) {
    const ids = allowed(matcher);
    expect(ids.includes(byte), `byte ${byte} of ${output} is not allowed`);
    expect(c.grammask_matcher_accept(matcher, byte) >= 0, `byte ${byte} is not accepted`);
    counts.push(ids.length);
  }
  expect(c.grammask_matcher_is_complete(matcher) === 1, `${output} is not complete`);
  expect(allowed(matcher).includes(end), `${output} may not end`);
  c.grammask_matcher_free(matcher);
  c.grammask_grammar_free(grammar);
  return counts;
}

const schema = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
const counts = [
  follow("kbnf", "start ::= '(' start ')' | #'[a-c]+' & ~'ab';", "((abc))"),
  follow("json_schema", JSON.stringify(schema), '{"a":-12}'),
];
c.grammask_vocabulary_free(vocabulary);
console.log(`allowed tokens: ${counts.map((list) => list.join(" ")).join("; ")}`);
