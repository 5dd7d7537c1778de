// SPDX-License-Identifier: Apache-2.0
// The form's call in the languages of integrators.

const shell = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

/** JSON with the commas and colons of source code. */
function literal(value, indent = "") {
  return JSON.stringify(value, null, 2).replaceAll("\n", "\n" + indent);
}

/** Keyword arguments of Python, whose strings, arrays and objects are those of JSON. */
function keywords(request) {
  return Object.entries(request).map(([name, value]) => `\n    ${name}=${literal(value, "    ")},`).join("") + "\n";
}

/**
 * @param {string} origin  of the gateway
 * @param {string} token
 * @param {object} request
 */
export const snippets = {
  // A function, because it is pasted into shells that go on after a failure.
  curl: (origin, token, request) => `api=${origin}/v1/captures
call() { curl -sS --fail-with-body -H "Authorization: Bearer ${token}" "$@"; }

# In a shell of its own, which the trap ends with. A refusal has its reason in "detail".
sign() (
  fail() { printf "%s\\n" "$answer"; exit 1; }
  answer=$(call $api -H "Content-Type: application/json" -d ${shell(literal(request, "    "))}) || fail
  id=$(printf "%s" "$answer" | sed -E 's/.*"id":"([^"]+)".*/\\1/')
  trap 'call -X POST $api/$id/cancel -o /dev/null; exit 130' INT TERM HUP

  # Waits until the person is done.
  until printf "%s" "$answer" | grep -q '"state":"ended"'; do
    answer=$(call -H "Prefer: wait=60" $api/$id) || fail
  done
  printf "%s" "$answer" | grep -q '"result":"accepted"' || fail
  call $api/$id/signature.png -o signature.png && echo "signature.png"
)
sign
`,

  javascript: (origin, token, request) => `// curl -O ${origin}/inkpanel.js
import { Inkpanel } from "./inkpanel.js";

const pad = new Inkpanel({ url: "${origin}", token: "${token}" });
const capture = await pad.capture(${literal(request)});
console.log(capture.outcome);
if (capture.outcome.result === "accepted") {
  console.log(await pad.file(capture.id, "signature.png"));
}
`,

  python: (origin, token, request) => `# curl -O ${origin}/inkpanel.py
from inkpanel import Inkpanel

pad = Inkpanel("${origin}", "${token}")
capture = pad.capture(${keywords(request)})
print(capture["outcome"])
if capture["outcome"]["result"] == "accepted":
    open("signature.png", "wb").write(pad.file(capture["id"], "signature.png"))
`,
};
