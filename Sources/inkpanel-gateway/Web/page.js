// SPDX-License-Identifier: Apache-2.0
// The page of a virtual panel: the pad, a form that asks it for a signature, and what an integrator wants to see of it.
import { Inkpanel } from "./inkpanel.js"
import { Pad } from "./pad.js"
import { language, text, translate } from "./texts.js"

const at = id => document.getElementById(id)
// The token is in the fragment, which browsers send to no server. A reload keeps it.
const token = location.hash.slice(1)
const inkpanel = new Inkpanel({ token })
const storedCapture = "inkpanel.capture"
let capture = null

translate(document)
at("language").value = language
at("origin").textContent = location.host
say(token ? text("connecting") : text("noToken"))
if (token) start()

function start() {
  const pad = new Pad(at("pad"), token)
  pad.addEventListener("ready", event => {
    say(text(capture ? "signing" : "idle"))
    at("size").textContent = text("size", event.detail)
    at("device").classList.add("on")
  })
  pad.addEventListener("lost", () => {
    say(text("lost"))
    at("device").classList.remove("on")
  })
  at("form").addEventListener("submit", event => {
    event.preventDefault()
    ask()
  })
  at("form").addEventListener("input", showCode)
  for (const verb of ["accept", "clear", "cancel"]) {
    at(verb).addEventListener("click", () => inkpanel[verb](capture.id).catch(report))
  }
  for (const tab of document.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => select(tab))
  document.querySelector("[role=tablist]").addEventListener("keydown", moveTab)
  at("copy").addEventListener("click", copy)
  showCode()
  // A capture goes on when its page is loaded again.
  const id = sessionStorage.getItem(storedCapture)
  if (id) follow(inkpanel.follow(id, { onChange }))
}

/** The parameters of the capture that the form describes. */
function request() {
  const value = id => at(id).value.trim()
  const rows = value("rows").split("\n").filter(line => line.includes("=")).map(line => {
    const [label, ...rest] = line.split("=")
    return { label: label.trim(), value: rest.join("=").trim() }
  })
  const parameters = { prompt: value("prompt").split("\n").filter(line => line) }
  if (rows.length) parameters.rows = rows
  if (value("signer")) parameters.signer = value("signer")
  if (value("reason")) parameters.reason = value("reason")
  parameters.language = value("language")
  return parameters
}

function ask() {
  at("events").replaceChildren()
  at("result").hidden = true
  at("noResult").hidden = false
  at("request").disabled = true
  follow(inkpanel.capture(request(), { onChange }))
}

async function follow(ending) {
  try {
    const last = await ending
    const { result, reason = "" } = last.outcome
    say(text(result, { reason }))
    if (result === "accepted") await showResult(last.id)
  } catch (error) {
    report(error)
  } finally {
    capture = null
    sessionStorage.removeItem(storedCapture)
    at("request").disabled = false
    setButtons()
  }
}

function onChange(changed, event) {
  capture = changed
  sessionStorage.setItem(storedCapture, capture.id)
  addEvent(event, changed)
  if (changed.state !== "ended") say(text(changed.state, { reason: changed.refusal?.reason ?? "" }))
  setButtons()
}

function setButtons() {
  const isSigning = capture !== null && ["signing", "refused"].includes(capture.state)
  for (const id of ["accept", "clear"]) at(id).disabled = !isSigning
  at("cancel").disabled = capture === null || !["waiting", "signing", "refused"].includes(capture.state)
  at("request").disabled = capture !== null
}

function addEvent(name, changed) {
  const { id, createdAt, endedAt, ...rest } = changed
  const item = document.createElement("li")
  const [time, event, data] = ["time", "b", "code"].map(tag => item.appendChild(document.createElement(tag)))
  time.textContent = new Date().toLocaleTimeString(language, { hour12: false })
  event.textContent = name
  data.textContent = JSON.stringify(rest)
  at("events").prepend(item)
  at("noEvents").hidden = true
  while (at("events").children.length > 100) at("events").lastChild.remove()
}

async function showResult(id) {
  for (const [name, parameters] of [["svg", {}], ["png", { dpi: 300 }]]) {
    const file = await inkpanel.file(id, "signature." + name, parameters)
    const link = at(name)
    if (link.href) URL.revokeObjectURL(link.href)
    link.href = URL.createObjectURL(file)
    link.download = `${id}.${name}`
    link.textContent = `${text("download")} ${name.toUpperCase()} (${(file.size / 1024).toFixed(1)} kB)`
  }
  at("picture").src = at("svg").href
  at("picture").alt = text("result")
  at("captureId").textContent = id
  at("noResult").hidden = true
  at("result").hidden = false
}

// The same call in three languages

function showCode() {
  const body = JSON.stringify(request(), null, 2)
  const url = location.origin
  const quoted = body.replaceAll("'", "'\\''")
  at("curl").textContent =
    `curl ${url}/v1/captures \\\n  -H 'Authorization: Bearer ${token}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${quoted}'`
  at("javascript").textContent =
    `import { Inkpanel } from "${url}/inkpanel.js"\n\nconst pad = new Inkpanel({ url: "${url}", token: "${token}" })\n` +
    `const capture = await pad.capture(${body})\nif (capture.outcome.result === "accepted") {\n` +
    `  const svg = await pad.file(capture.id, "signature.svg")\n}`
  at("python").textContent =
    `from inkpanel import Inkpanel  # clients/inkpanel.py\n\npad = Inkpanel("${url}", "${token}")\n` +
    `capture = pad.capture(**${body.replaceAll(": true", ": True").replaceAll(": false", ": False")})\n` +
    `if capture["outcome"]["result"] == "accepted":\n    open("signature.png", "wb").write(pad.file(capture["id"], "signature.png"))`
}

function select(tab) {
  for (const other of document.querySelectorAll("[role=tab]")) {
    const isThis = other === tab
    other.setAttribute("aria-selected", isThis)
    other.tabIndex = isThis ? 0 : -1
    at(other.getAttribute("aria-controls")).hidden = !isThis
  }
}

function moveTab(event) {
  const tabs = [...document.querySelectorAll("[role=tab]")]
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (!step) return
  const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length]
  select(next)
  next.focus()
}

async function copy() {
  const code = document.querySelector(".code:not([hidden])")
  await navigator.clipboard.writeText(code.textContent)
  at("copy").textContent = text("copied")
  setTimeout(() => { at("copy").textContent = text("copy") }, 2000)
}

function say(message) { at("state").textContent = message }

function report(error) { say(error.message) }
