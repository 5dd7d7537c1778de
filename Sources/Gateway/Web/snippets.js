// SPDX-License-Identifier: Apache-2.0
// The form's call in the languages of integrators.

import { DOCUMENT } from "./form.js";

const shell = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

/** JSON with the commas and colons of source code. */
function literal(value, indent = "") {
  return JSON.stringify(value, null, 2).replaceAll("\n", "\n" + indent);
}

/** Keyword arguments of Python, whose strings, arrays, objects and numbers are those of JSON. */
function keywords(request) {
  // No text of the form has a zero byte.
  const marked = JSON.parse(JSON.stringify(request, (_, value) => value === true ? "\0True" : value));
  return Object.entries(marked).map(([name, value]) => `\n    ${name}=${literal(value, "    ")},`).join("")
    .replaceAll('"\\u0000True"', "True") + "\n";
}

/** What is got at the end. */
const resultOf = (request) => request.document ? "signed.pdf" : "signature.png";
/** The name of the document's file; undefined without one. */
const fileOf = (request) => request.document?.reference;
/** The request with an expression in place of the document's id. */
const withDocument = (text, expression) => text.replace(`"id": "${DOCUMENT}"`, `"id": ${expression}`);

/**
 * @param {string} origin  of the gateway
 * @param {string} token
 * @param {object} request
 */
export const snippets = {
  // A function, because it is pasted into shells that go on after a failure.
  curl: (origin, token, request) => `api=${origin}/v1/captures
call() { curl -sS --fail-with-body -H "Authorization: Bearer ${token}" "$@"; }

${fileOf(request) ? `document=$(call ${origin}/v1/documents -H "Content-Type: application/pdf" \\
  --data-binary @${shell(fileOf(request))} | sed -E 's/.*"id":"([^"]+)".*/\\1/')

` : ""}# In a shell of its own, which the trap ends with. A refusal has its reason in "detail".
sign() (
  fail() { printf "%s\\n" "$answer"; exit 1; }
  answer=$(call $api -H "Content-Type: application/json" -d ${
    withDocument(shell(literal(request, "    ")), `"'$document'"`)}) || fail
  id=$(printf "%s" "$answer" | sed -E 's/.*"id":"([^"]+)".*/\\1/')
  trap 'call -X POST $api/$id/cancel -o /dev/null; exit 130' INT TERM HUP

  # Waits until the person is done.
  until printf "%s" "$answer" | grep -q '"state":"ended"'; do
    answer=$(call -H "Prefer: wait=60" $api/$id) || fail
  done
  printf "%s" "$answer" | grep -q '"result":"accepted"' || fail
  call $api/$id/${resultOf(request)} -o ${resultOf(request)} && echo "${resultOf(request)}"
)
sign
`,

  javascript: (origin, token, request) => `// curl -O ${origin}/inkpanel.js
import { Inkpanel } from "./inkpanel.js";
${fileOf(request) ? 'import { readFile } from "node:fs/promises";\n' : ""}
const pad = new Inkpanel({ url: "${origin}", token: "${token}" });
${fileOf(request) ? `const document = await pad.upload(await readFile(${literal(fileOf(request))}));\n` : ""}const capture = await pad.capture(${
    withDocument(literal(request), "document.id")});
console.log(capture.outcome);
if (capture.outcome.result === "accepted") {
  console.log(await pad.file(capture.id, "${resultOf(request)}"));
}
`,

  python: (origin, token, request) => `# curl -O ${origin}/inkpanel.py
from inkpanel import Inkpanel

pad = Inkpanel("${origin}", "${token}")
${fileOf(request) ? `document = pad.upload(open(${literal(fileOf(request))}, "rb").read())\n` : ""}capture = pad.capture(${
    withDocument(keywords(request), 'document["id"]')})
print(capture["outcome"])
if capture["outcome"]["result"] == "accepted":
    open("${resultOf(request)}", "wb").write(pad.file(capture["id"], "${resultOf(request)}"))
`,
};
