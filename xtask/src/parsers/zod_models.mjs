// Schemas of zod, of the kinds that people use.
//
//     node zod_models.mjs FOLDER schemas    prints the JSON Schema of each model as a line of JSON
//     node zod_models.mjs FOLDER check      reads lines `{"model": NAME, "text": TEXT}`, and prints for each
//                                           what JSON.parse and zod say
//
// FOLDER has the folder node_modules with zod.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { resolve } from "node:path";

const { z } = createRequire(resolve(process.argv[2]) + "/")("zod");

const Tree = z.object({
  value: z.int(),
  get left() { return Tree.optional(); },
  get children() { return z.array(Tree).max(2); },
});
const Street = z.strictObject({ name: z.string(), number: z.int() });

const MODELS = {
  Strings: z.object({ any: z.string(), short: z.string().max(8), long: z.string().min(3).max(40) }),
  Patterns: z.object({
    slug: z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
    code: z.string().regex(/^[A-Z]{2}\d{3,6}$/),
    start: z.string().startsWith("ab"),
    end: z.string().endsWith("0"),
    part: z.string().includes("/"),
  }),
  Integers: z.object({
    any: z.int(), small: z.int32(), positive: z.int().positive(), percent: z.int().min(0).max(100),
    even: z.int().multipleOf(2),
  }),
  Numbers: z.object({
    any: z.number(), ratio: z.number().min(0).max(1), open: z.number().gt(-1.5).lt(2.25),
    single: z.float32(),
  }),
  Steps: z.object({ half: z.number().multipleOf(0.5), cents: z.number().multipleOf(0.01).min(0).max(1000) }),
  Optionals: z.object({
    flag: z.boolean(), nothing: z.null(), maybe: z.string().nullable(), absent: z.int().optional(),
    either: z.union([z.int(), z.string()]),
  }),
  Choices: z.object({
    mode: z.enum(["fast", "slow"]),
    one: z.literal("a \"b\" \\ c/d é"), mixed: z.literal([1, "1", true, null]),
  }),
  DateTime: z.object({ at: z.iso.datetime() }),
  Offset: z.object({ at: z.iso.datetime({ offset: true }) }),
  Local: z.object({ at: z.iso.datetime({ local: true }) }),
  Days: z.object({ day: z.iso.date(), clock: z.iso.time() }),
  Duration: z.object({ delta: z.iso.duration() }),
  Ids: z.object({ any: z.uuid(), four: z.uuidv4(), seven: z.uuidv7() }),
  OtherIds: z.object({ nano: z.nanoid(), cuid: z.cuid2(), ulid: z.ulid() }),
  Addresses: z.object({ four: z.ipv4(), six: z.ipv6() }),
  Networks: z.object({ four: z.cidrv4(), six: z.cidrv6() }),
  Mail: z.object({ to: z.email() }),
  Url: z.object({ link: z.url() }),
  Base64: z.object({ data: z.base64(), url: z.base64url() }),
  Others: z.object({ phone: z.e164(), emoji: z.emoji() }),
  Token: z.object({ token: z.jwt() }),
  Lists: z.object({
    numbers: z.array(z.number()), some: z.array(z.int()).min(1).max(4), pair: z.tuple([z.int(), z.string()]),
    rest: z.tuple([z.string()], z.boolean()),
  }),
  Records: z.object({
    counts: z.record(z.string(), z.int()),
    byPattern: z.record(z.string().regex(/^[a-z]{1,8}$/), z.number()),
    byChoice: z.partialRecord(z.enum(["a", "b"]), z.int()),
    all: z.record(z.enum(["c", "d"]), z.int()),
  }),
  Strict: z.strictObject({ name: z.string(), home: Street, work: Street.optional() }),
  Loose: z.looseObject({ name: z.string() }),
  Catchall: z.object({ name: z.string() }).catchall(z.int()),
  Tree,
  Tagged: z.object({
    pet: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("cat"), lives: z.int() }),
      z.object({ kind: z.literal("dog"), name: z.string() }),
    ]),
  }),
  Union: z.union([z.strictObject({ radius: z.number() }), z.strictObject({ side: z.number() })]),
  Intersection: z.intersection(z.object({ a: z.int() }), z.object({ b: z.string() })),
  Defaults: z.object({
    host: z.string().default("localhost"), port: z.int().min(1).max(65535).default(8080),
  }),
  Free: z.object({ any: z.any(), unknown: z.unknown(), json: z.json() }),
};

/** The value that a path names. */
function at(value, path) {
  return path.reduce((part, key) => (part === null || part === undefined ? undefined : part[key]), value);
}

/** The issues of an error of zod; those of a union are the ones of its branches. */
function flat(issues, path, value) {
  return issues.flatMap((issue) => {
    const whole = [...path, ...issue.path];
    if (issue.code === "invalid_union" && issue.errors?.length) {
      return issue.errors.flatMap((branch) => flat(branch, whole, value));
    }
    const kind = [issue.code, issue.format].filter(Boolean).join(" ");
    return [[`${kind}: ${issue.message}`, at(value, whole) ?? null]];
  });
}

if (process.argv[3] === "schemas") {
  for (const [model, type] of Object.entries(MODELS)) {
    const line = { model };
    try {
      line.schema = z.toJSONSchema(type, { io: "input" });
    } catch (error) {
      line.error = String(error);
    }
    console.log(JSON.stringify(line));
  }
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const { model, text } = JSON.parse(line);
    const answer = { complaints: [] };
    try {
      answer.value = JSON.parse(text);
    } catch (error) {
      answer.error = String(error);
    }
    if (!answer.error) {
      const result = MODELS[model].safeParse(answer.value);
      answer.complaints = result.success ? [] : flat(result.error.issues, [], answer.value);
    }
    console.log(JSON.stringify(answer));
  }
}
