#!/bin/sh
# The format `base64url` of a JSON Schema means two disjoint sets of texts, by the generator that wrote it. A text
# with one or two bytes beyond a group of three is taken by pydantic only with padding, and by zod only without.
#
# Expected: both libraries read the texts of each other's schema, as both name the format of RFC 4648.
# Seen:     pydantic's `Base64UrlBytes` takes "aWQ=" and refuses "aWQ". The schema of `z.base64url()` has the
#           same format, and zod takes "aWQ" and refuses "aWQ=". Both take "aWQh", which needs no padding.
#
# Runs without grammask. Needs Python 3.11, Node.js 20 with npm, and a network.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pydantic==2.14.4
npm install --silent --no-audit --no-fund --prefix "$folder" zod@4.6.7
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import pydantic

adapter = pydantic.TypeAdapter(pydantic.Base64UrlBytes)


def takes(text):
    try:
        adapter.validate_python(text)
    except pydantic.ValidationError:
        return False
    return True


seen = [adapter.json_schema()["format"], *map(takes, ["aWQ=", "aWQ", "aWQh"])]
print("pydantic", pydantic.VERSION, seen)
sys.exit(0 if seen == ["base64url", True, False, True] else 1)
PYTHON
cat > "$folder/check.mjs" <<'NODE'
import { readFileSync } from "node:fs";
import { z } from "zod";

const version = JSON.parse(readFileSync(new URL("node_modules/zod/package.json", import.meta.url))).version;
const schema = z.base64url();
const takes = (text) => schema.safeParse(text).success;
const seen = [z.toJSONSchema(schema).format, ...["aWQ=", "aWQ", "aWQh"].map(takes)];
console.log("zod", version, JSON.stringify(seen));
process.exit(JSON.stringify(seen) === JSON.stringify(["base64url", false, true, true]) ? 0 : 1);
NODE
node "$folder/check.mjs"
echo "as stated above"
