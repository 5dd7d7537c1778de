// SPDX-License-Identifier: Apache-2.0
/**
 * Signatures from an Inkpanel pad, in a web page. No dependencies.
 *
 *     import { Inkpanel } from "https://pad.example:8443/inkpanel.js"
 *     const pad = new Inkpanel({ url: "https://pad.example:8443", token })
 *     const capture = await pad.capture({ prompt: ["Delivery 4711"] }, { onChange: c => console.log(c.state) })
 *     if (capture.outcome.result === "accepted") show(await pad.file(capture.id, "signature.svg"))
 *
 * Of a PDF file that people read and sign on the pad:
 *
 *     const document = { id: (await pad.upload(pdf)).id, fields: [{ anchor: "Signature:" }] }
 *     const { id, signed } = await pad.capture({ document })
 *     if (signed) save(await pad.file(id, "signed.pdf"))
 *
 * docs/gateway.md describes the API, docs/web.md what browsers allow.
 */

/**
 * A capture, as GET /v1/captures/{id} answers it.
 * @typedef {{id: string, strokes?: number, refusal?: object,
 *     state: "waiting"|"reading"|"answering"|"signing"|"handingOver"|"refused"|"saving"|"ended",
 *     outcome?: {result: "accepted"|"declined"|"cancelled"|"timedOut"|"failed", by?: string, limit?: string,
 *         reason?: string},
 *     data?: object, seal?: {n: number, digest: string}, createdAt: string, endedAt?: string,
 *     missingGlyphs?: {text: string, characters: string[]}[], person?: string, page?: number, field?: string,
 *     answers?: {name: string, checked?: boolean, choice?: string, rating?: number}[], signed?: boolean}} Capture
 */

/** Why a call failed. */
export class InkpanelError extends Error {
  /**
   * @param {string} reason the name of the gateway's problem, such as "busy"; "not-a-gateway"; or, if no answer came: "offline",
   *     "permission" (the browser does not allow this page to reach the local network), "mixed" (an https page may not
   *     call an http address) or "unreachable" (pad off, wrong address, unknown certificate, or origin not allowed);
   *     or, if nothing was sent: "bad-url", "bad-token", "bad-key" (of idempotency) or "bad-argument";
   *     or "http-404" and the like of servers that are no gateway
   * @param {string} message for people
   * @param {{status?: number, problem?: object, retryAfter?: number}} [details] of the gateway's answer
   */
  constructor(reason, message, details = {}) {
    super(message)
    this.name = "InkpanelError"
    this.reason = reason
    Object.assign(this, details)
  }

  /** Whether the same request may succeed later. */
  get isTemporary() {
    if (this.status === undefined) return this.reason === "unreachable" || this.reason === "offline"
    // The gateway is still at the first request with a key.
    return this.reason === "key-in-use" || this.status === 408 || this.status === 429 || this.status >= 500
  }
}

// Milliseconds. Pauses between two tries double up to the longest. A capture is given up when the gateway has not
// answered for so long: it keeps the state of an ended one no longer.
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 8000
const LONGEST_RETRY_AFTER = 60_000
const GIVE_UP_AFTER = 600_000
// Bytes of an answer: of files, and of others and lines of a stream. Who sends more is no gateway.
const LONGEST_FILE = 2 ** 28
const LONGEST_ANSWER = 2 ** 24
// Of a cancel when the program is already on its way out.
const LAST_CANCEL = 5000
// Streams of events have something every 15 s; a connection that is silent for longer has been lost unnoticed.
const LONGEST_SILENCE = 45_000

export class Inkpanel {
  #url
  #token
  /** Whether anything has answered: then the browser lets this page reach the address. */
  #isReached = false

  /** @param {{url?: string, token: string}} options `url`: of the gateway; by default the page's own. */
  constructor({ url = globalThis.location?.origin, token }) {
    const parts = parsed(url)
    const more = ["username", "password", "search", "hash"]
    if (!["http:", "https:"].includes(parts?.protocol) || more.some(name => parts[name])) {
      // Texts of errors get into logs, to which no token and no password belongs.
      const shown = String(url).replace(/\/\/[^/]*@/, "//...").replace(/ipt_[^/]*|[?#].*/gs, "...")
      throw new InkpanelError(
        "bad-url", `"${shown}" is not the address of a gateway: it is like https://pad.local:8443, with the scheme and ` +
          "nothing after the port.")
    }
    this.#url = parts.href.replace(/\/+$/, "")
    this.#token = token
  }

  /**
   * Asks for a signature and waits until the capture has ended. The capture is cancelled if `onChange` throws, and if a
   * program in Node ends meanwhile by Ctrl-C or another signal that it does not handle itself.
   * @param {object|string[]} request such as {prompt: ["Sign here"], signer: "Anna"}; see docs/gateway.md. An array has
   *     the lines of the prompt.
   * @param {{onChange?: (capture: Capture) => void, signal?: AbortSignal, key?: string}} [options]
   *     `signal` cancels the capture. `key`: the same key again gets the same capture, also after a reload.
   * @returns {Promise<Capture>}
   */
  async capture(request, { onChange, signal, key } = {}) {
    signal?.throwIfAborted()
    if (Array.isArray(request)) request = { prompt: request }
    const { id } = key === undefined ? await this.#begun(request) : await this.ask(request, { key })
    // If the gateway cannot be told, nobody follows the capture any more, and the gateway cancels it.
    const following = new AbortController()
    const cancel = () => this.cancel(id).catch(error => following.abort(error))
    signal?.addEventListener("abort", cancel, { once: true })
    if (signal?.aborted) cancel()
    const forget = beforeTheEnd(cancel)
    try {
      return await this.follow(id, { onChange, signal: following.signal })
    } catch (error) {
      this.cancel(id).catch(() => {})
      throw error
    } finally {
      forget()
      signal?.removeEventListener("abort", cancel)
    }
  }

  /** Asks with a key that nobody else knows. If the answer is lost, what has begun all the same is cancelled. */
  async #begun(request) {
    const key = randomKey()
    try {
      return await this.ask(request, { key })
    } catch (error) {
      const isLost = error.status === undefined ? error.reason === "unreachable" : [502, 504].includes(error.status)
      if (isLost) this.#cancelLost(request, key).catch(() => {})
      throw error
    }
  }

  async #cancelLost(request, key) {
    const end = Date.now() + LAST_CANCEL
    for (;;) {
      try {
        const { id } = await this.ask(request, { key })
        return await this.cancel(id)
      } catch (error) {
        // The gateway is still at the first request.
        if (error.reason !== "key-in-use" || Date.now() > end) throw error
      }
      await rest(FIRST_PAUSE / 5)
    }
  }

  /**
   * Asks for a signature and does not wait; `follow` does.
   * @param {object} request as for `capture`
   * @param {{key?: string}} [options]
   * @returns {Promise<Capture>} as it begins
   */
  async ask(request, { key = randomKey() } = {}) {
    // HTTP removes blanks at the ends.
    if (typeof key !== "string" || !/^[!-~]([ -~]{0,253}[!-~])?$/.test(key)) {
      throw new InkpanelError("bad-key", "A key is 1 to 255 characters of ASCII, such as the number of an order.")
    }
    const headers = { "content-type": "application/json", "idempotency-key": key }
    const capture = await this.#json("POST", "/v1/captures", { body: written(request), headers })
    if (typeof capture.id !== "string") throw this.#notAGateway()
    return capture
  }

  /**
   * Follows a capture until it has ended. Goes on when the connection is lost, or when the gateway is overloaded or
   * restarts. Throws the last error when there was no answer for ten minutes, and other refusals at once.
   * @param {string} id
   * @param {{onChange?: (capture: Capture, event: string) => void, signal?: AbortSignal}} [options]
   *     `signal` ends the following, not the capture.
   * @returns {Promise<Capture>}
   */
  async follow(id, { onChange, signal } = {}) {
    let last = null
    let failures = 0
    let answered = Date.now()
    let isOwn = false
    // Heartbeats, too, say that the gateway is there.
    const onPart = () => { answered = Date.now() }
    while (true) {
      let pause = 0
      let failure = this.#lost("it ended before the capture")
      try {
        const options = { headers: last === null ? {} : { "last-event-id": last }, signal, onPart }
        for await (const { id: number, event, data } of this.#events(`${pathOf(id)}/events`, options)) {
          if (typeof data.state !== "string") throw this.#notAGateway()
          failures = 0
          last = number ?? last
          isOwn = true
          onChange?.(data, event)
          isOwn = false
          if (data.state === "ended") return data
        }
      } catch (error) {
        signal?.throwIfAborted()
        if (isOwn || !error.isTemporary) throw error
        pause = Math.min(1000 * (error.retryAfter ?? 0), LONGEST_RETRY_AFTER)
        failure = error
      }
      if (Date.now() - answered > GIVE_UP_AFTER) throw failure
      await rest(pause || Math.min(FIRST_PAUSE * 2 ** Math.min(failures, 10), LONGEST_PAUSE), signal)
      failures += 1
    }
  }

  /**
   * Uploads a document that people read and sign on the pad. It stays for an hour after its last use.
   * @param {Blob|ArrayBuffer|Uint8Array} document a PDF file; or PNG and JPEG files, one after the other, as its pages
   * @param {{signal?: AbortSignal}} [options]
   * @returns {Promise<{id: string, bytes: number, sha256: string}>} `id` is for `document: {id, fields, ...}` of captures
   */
  async upload(document, { signal } = {}) {
    const headers = { "content-type": document.type || "application/pdf" }
    const uploaded = await this.#json("POST", "/v1/documents", { body: document, headers, signal })
    if (typeof uploaded.id !== "string") throw this.#notAGateway()
    return uploaded
  }

  /** Deletes an uploaded document; captures that were asked for with it go on. */
  async forget(document) { await this.#fetch("DELETE", `/v1/documents/${encodeURIComponent(document)}`) }

  /** A capture as it is now. @returns {Promise<Capture>} */
  async get(id) { return this.#json("GET", pathOf(id)) }

  /** Cancels a capture; nothing is kept. @returns {Promise<Capture>} */
  cancel(id) { return this.#verb(id, "cancel") }

  /** Removes the ink. @returns {Promise<Capture>} */
  clear(id) { return this.#verb(id, "clear") }

  /** Accepts the ink, like the pad's button. @returns {Promise<Capture>} */
  accept(id) { return this.#verb(id, "accept") }

  /**
   * Shows a name in place of a signature, if `alternatives` of the policy has "typed". The person accepts it on the
   * pad; what staff typed, `accept` accepts, too.
   * @param {{name: string, by: "person"|"staff", reason?: string}} typed staff must say why
   * @returns {Promise<Capture>}
   */
  typeName(id, typed) { return this.#verb(id, "typed-name", typed) }

  /**
   * A file of an accepted capture.
   * @param {string} name such as "signature.png", "signature.svg", "signed.pdf", "record.jsonl", "record.jsonl.age",
   *     "seal", "seal.sig" or "evidence.zip", which has them all
   * @param {object} [parameters] of pictures: dpi, width and height, part, color, transparent, caption
   * @returns {Promise<Blob>}
   */
  async file(id, name, parameters = {}) {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null)
    const query = new URLSearchParams(given).toString()
    const response = await this.#fetch("GET", `${pathOf(id)}/${encodeURIComponent(name)}` + (query ? "?" + query : ""))
    return this.#read(response, "blob")
  }

  /**
   * Follows the pad's page and its ink, as the token's scope and the panel's configuration allow.
   * @param {{level?: "state"|"presence"|"ink", signal?: AbortSignal}} [options]
   * @returns {AsyncGenerator<{event: string, data: object}>} see docs/gateway.md, Mirror; ends with the connection
   */
  async *mirror({ level, signal } = {}) {
    yield* this.#events("/v1/mirror" + (level ? "?level=" + level : ""), { signal })
  }

  /** The panel's status; `abilities` says what it can do. */
  status() { return this.#json("GET", "/v1/panel") }

  async #verb(id, verb, body) {
    const headers = { "content-type": "application/json" }
    return this.#json("POST", `${pathOf(id)}/${verb}`, body && { body: written(body), headers })
  }

  /** The object that a request is answered with. */
  async #json(method, path, options) {
    const text = await this.#read(await this.#fetch(method, path, options), "text")
    return this.#object(text)
  }

  /** The body of an answer, during which the connection may be lost. */
  async #read(response, kind) {
    const type = response.headers.get("content-type") ?? ""
    const limit = kind === "blob" ? LONGEST_FILE : LONGEST_ANSWER
    const parts = []
    let size = 0
    const reader = response.body?.getReader()
    try {
      while (reader) {
        const { done, value } = await reader.read()
        if (done) break
        parts.push(value)
        size += value.length
        if (size > limit) throw new Error(`the answer has more than ${limit >> 20} MiB`)
      }
    } catch (error) {
      reader.cancel().catch(() => {})
      throw this.#lost(error.message)
    }
    const blob = new Blob(parts, { type })
    return kind === "blob" ? blob : blob.text()
  }

  #object(text) {
    let object
    try {
      object = JSON.parse(text)
    } catch {
      throw this.#notAGateway()
    }
    if (typeof object !== "object" || object === null || Array.isArray(object)) throw this.#notAGateway()
    return object
  }

  /** The events of a stream, with their data parsed. Throws an InkpanelError when the connection is lost. */
  async *#events(path, { onPart, ...options }) {
    const response = await this.#fetch("GET", path, options)
    if (!/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) throw this.#notAGateway()
    const events = eventsOf(response.body, onPart)
    try {
      while (true) {
        const { done, value } = await events.next().catch(error => {
          options.signal?.throwIfAborted()
          throw this.#lost(error.message)
        })
        if (done) return
        yield { ...value, data: this.#object(value.data) }
      }
    } finally {
      await events.return()
    }
  }

  #lost(why) { return new InkpanelError("unreachable", `The connection to ${this.#url} was lost: ${why}. Try again.`) }

  #notAGateway() {
    return new InkpanelError(
      "not-a-gateway", `${this.#url} answers, but not as Inkpanel's gateway: check host and port.`)
  }

  async #fetch(method, path, { headers = {}, body, signal } = {}) {
    if (!/^[!-~]+$/.test(this.#token ?? "")) {
      throw new InkpanelError("bad-token", "This is not a token: copy the whole ipt_…, and nothing else.")
    }
    let response
    try {
      response = await fetch(this.#url + path, {
        method, body, signal, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer",
        // Another place would get the body. Browsers hide its address.
        redirect: "manual",
        headers: { authorization: "Bearer " + this.#token, ...headers },
      })
    } catch (error) {
      if (signal?.aborted) throw error
      throw await explain(this.#url, error, this.#isReached)
    }
    this.#isReached = true
    if (response.ok) return response
    if (response.type === "opaqueredirect") throw this.#notAGateway()
    const isProblem = /^application\/problem\+json\b/i.test(response.headers.get("content-type") ?? "")
    const problem = isProblem ? await this.#read(response, "text").then(
      text => JSON.parse(text) ?? {}).catch(() => ({})) : {}
    const { status, statusText } = response
    const reason = String(problem.type ?? "").replace("urn:inkpanel:problem:", "") || "http-" + status
    const retryAfter = secondsOf(response.headers.get("retry-after"))
    const error = new InkpanelError(reason, String(problem.detail ?? ""), { status, problem, retryAfter })
    if (!error.message) {
      error.message = `${this.#url} answers with the HTTP status ${status} ${statusText}, and not as Inkpanel's gateway: ` +
        (error.isTemporary ? "it may be busy or start anew; try again in a minute."
          : "check scheme, host, port and path of the address.")
    }
    throw error
  }
}

function pathOf(id) {
  if (typeof id === "string" && id !== "") return `/v1/captures/${encodeURIComponent(id)}`
  throw new InkpanelError("bad-argument", `"${id}" is not the id of a capture: it is the text in its member id.`)
}

/** The body of a request. */
function written(request) {
  try {
    return JSON.stringify(request ?? {})
  } catch (error) {
    throw new InkpanelError("bad-argument", `The request cannot be written as JSON: ${error.message}.`)
  }
}

/** The address; null if it is none. URL.parse is too new for many browsers. */
function parsed(url) {
  try {
    return new URL(url)
  } catch {
    return null
  }
}

/** Of random bits; crypto.randomUUID exists in secure contexts only. */
function randomKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, "0")).join("")
}

/** Of the header Retry-After: seconds, or a date (RFC 9110, 10.2.3). */
function secondsOf(text) {
  if (!text) return undefined
  const seconds = /^\s*\d+\s*$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

// What to do before a signal of the system ends the program.
const lastTasks = new Set()
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"]

async function end(name) {
  await Promise.race([Promise.all([...lastTasks].map(task => task())), rest(LAST_CANCEL)])
  for (const other of SIGNALS) process.off(other, end)
  if (process.listenerCount(name) === 0) process.kill(process.pid, name)
}

/** In Node. Returns what forgets the task again. */
function beforeTheEnd(task) {
  if (!globalThis.process?.versions?.node) return () => {}
  if (lastTasks.size === 0) {
    // A program that handles a signal decides itself what to do.
    for (const name of SIGNALS) if (process.listenerCount(name) === 0) process.on(name, end)
  }
  lastTasks.add(task)
  return () => {
    lastTasks.delete(task)
    if (lastTasks.size === 0) for (const name of SIGNALS) process.off(name, end)
  }
}

/** Waits, at most until the signal. */
function rest(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener("abort", stop, { once: true })
  })
}

/** Finds out why no answer came. Browsers do not say it. */
async function explain(url, error, isReached) {
  const { navigator, location } = globalThis
  // Without a browser, the error's cause says it.
  const cause = error.cause?.message || error.message
  if (!location) return new InkpanelError("unreachable", `No answer from ${url}: ${cause}`)
  if (!navigator.onLine && !isLoopback(url)) {
    return new InkpanelError("offline", "This computer has no network.")
  }
  if (location.protocol === "https:" && url.startsWith("http:") && !isLoopback(url)) {
    return new InkpanelError("mixed", `A page with https may not call ${url}: give the pad a certificate.`)
  }
  // Chromium asks the user before a public page reaches the local network (Local Network Access, since 142). Without
  // https it says "denied" of every page, also of those that need no permission.
  const isAsked = !isReached && globalThis.isSecureContext
  for (const name of isAsked ? ["local-network", "loopback-network", "local-network-access"] : []) {
    const permission = await navigator.permissions?.query({ name }).catch(() => null)
    if (permission?.state === "denied" && location.origin !== new URL(url).origin) {
      return new InkpanelError(
        "permission", `This browser does not allow ${location.host} to reach the local network: ` +
          "allow it in the site's settings, or by the policy LocalNetworkAccessAllowedForUrls.")
    }
  }
  return new InkpanelError(
    "unreachable", `No answer from ${url}: the pad is off, the address is wrong, this browser does not know its ` +
      `certificate (open ${url} to see), or its configuration does not have ${location.origin} in origins` +
      `${globalThis.isSecureContext ? "" : ", or this page is from the Internet and without https"}. (${error.message})`)
}

function isLoopback(url) { return /^https?:\/\/(localhost|127\.|\[::1\])/.test(url) }

/** Fails if a part of a stream does not come in time. */
function withinTime(reading) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("nothing came for a while")), LONGEST_SILENCE)
  })
  return Promise.race([reading, late]).finally(() => clearTimeout(timer))
}

/** Server-sent events of a body (HTML Standard, 9.2.6). EventSource cannot send a token. */
async function* eventsOf(body, onPart) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  let event = {}
  try {
    while (true) {
      const { done, value } = await withinTime(reader.read())
      if (done) return
      onPart?.()
      text += value
      if (text.length > LONGEST_ANSWER) throw new Error("a line has no end")
      const lines = text.split("\n")
      text = lines.pop()
      for (const line of lines) {
        const colon = line.indexOf(":")
        if (line === "") {
          if (event.data !== undefined) yield event
          event = {}
        } else if (colon > 0) {
          event[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, "")
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
