// SPDX-License-Identifier: Apache-2.0
// The form's call in the languages of integrators.

const shell = (text) => "'" + text.replaceAll("'", "'\\''") + "'";

/** JSON with the commas and colons of source code. */
function literal(value, indent) {
  return JSON.stringify(value, null, 2).replaceAll("\n", "\n" + indent);
}

/**
 * @param {string} origin  of the gateway
 * @param {string} token
 * @param {object} request
 */
export const snippets = {
  curl: (origin, token, request) => `api=${origin}/v1
auth="Authorization: Bearer ${token}"

id=$(curl -fsS $api/captures -H "$auth" -H "Content-Type: application/json" \\
  -d ${shell(literal(request, "  "))} |
  sed -E 's/.*"id":"([^"]+)".*/\\1/')

# Waits until the person is done.
while answer=$(curl -fsS $api/captures/$id -H "$auth" -H "Prefer: wait=60") &&
  ! echo "$answer" | grep -q '"state":"ended"'; do :; done
echo "$answer"

curl -fsS $api/captures/$id/signature.png -H "$auth" -o signature.png
`,

  javascript: (origin, token, request) => `const api = "${origin}/v1";
const headers = { Authorization: "Bearer ${token}" };

let capture = await (await fetch(api + "/captures", {
  method: "POST",
  headers: { ...headers, "Content-Type": "application/json" },
  body: JSON.stringify(${literal(request, "  ")}),
})).json();

// Waits until the person is done.
while (capture.state !== "ended") {
  capture = await (await fetch(api + "/captures/" + capture.id, {
    headers: { ...headers, Prefer: "wait=60" },
  })).json();
}
if (capture.outcome.result === "accepted") {
  const png = await fetch(\`\${api}/captures/\${capture.id}/signature.png\`, { headers });
  console.log(await png.blob());
}
`,

  python: (origin, token, request) => `import json, urllib.request

API = "${origin}/v1"
HEADERS = {"Authorization": "Bearer ${token}"}


def call(path, body=None, **headers):
    data = json.dumps(body).encode() if body else None
    headers |= HEADERS | {"Content-Type": "application/json"}
    return urllib.request.urlopen(urllib.request.Request(API + path, data, headers)).read()


capture = json.loads(call("/captures", ${literal(request, "")}))

# Waits until the person is done.
while capture["state"] != "ended":
    capture = json.loads(call("/captures/" + capture["id"], Prefer="wait=60"))

if capture["outcome"]["result"] == "accepted":
    with open("signature.png", "wb") as file:
        file.write(call("/captures/" + capture["id"] + "/signature.png"))
`,
};
