// SPDX-License-Identifier: Apache-2.0
// The token stays here: a page gets sessions for its origin, one for each signature.
const api = globalThis.browser ?? chrome

// What an administrator sets by policy (settings.json), else what a person has set on the page of options.
const settings = async () => {
  const managed = await api.storage.managed.get(null).catch(() => ({}))
  return managed.pad ? managed : api.storage.local.get(null)
}

// The pages of the listed origins only get our scripts. The page's own world has what pages call; `bridge.js` is the
// extension's part of the page.
const register = async () => {
  const { origins = [] } = await settings()
  await api.scripting.unregisterContentScripts()
  // A pattern has no port: it stands for all of them.
  const matches = [...new Set(origins.map((origin) => {
    const { protocol, hostname } = new URL(origin)
    return `${protocol}//${hostname}/*`
  }))]
  if (matches.length === 0) return
  const common = { matches, allFrames: true, runAt: "document_start" }
  await api.scripting.registerContentScripts([
    { ...common, id: "bridge", js: ["bridge.js"] },
    { ...common, id: "page", js: ["page.js", "inkpanel-extension.js"], world: "MAIN" },
  ])
}

const session = async (origin) => {
  const { pad, token, origins = [] } = await settings()
  if (!origins.includes(origin)) throw new Error(`${origin} is not in the origins of the extension's settings`)
  const answer = await fetch(`${pad.replace(/\/$/, "")}/v1/sessions`, {
    method: "POST", redirect: "error", body: JSON.stringify({ origin }),
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
  })
  const body = await answer.json().catch(() => ({}))
  if (!answer.ok) throw new Error(body.detail ?? `the gateway answers ${answer.status}`)
  return { pad, session: body.token }
}

api.runtime.onMessage.addListener((message, sender, reply) => {
  // The browser says where the message comes from.
  session(sender.origin ?? new URL(sender.url).origin).then(reply, (error) => reply({ error: error.message }))
  return true
})
// One after the other: the settings may change while the scripts are being registered.
let registering = Promise.resolve()
const update = () => { registering = registering.then(register).catch((error) => console.error(error)) }
api.runtime.onInstalled.addListener(update)
api.runtime.onStartup.addListener(update)
api.storage.onChanged.addListener(update)
