// SPDX-License-Identifier: Apache-2.0
/**
 * Signatures from an Inkpanel pad, in a web page. No dependencies.
 *
 *     import { Inkpanel } from "https://pad.example:8443/inkpanel.js"
 *     const pad = new Inkpanel({ url: "https://pad.example:8443", token })
 *     const capture = await pad.capture({ prompt: ["Delivery 4711"] }, { onChange: c => console.log(c.state) })
 *     if (capture.outcome.result === "accepted") show(await pad.file(capture.id, "signature.svg"))
 *
 * docs/gateway.md describes the API and what browsers allow.
 */

/**
 * A capture, as GET /v1/captures/{id} answers it.
 * @typedef {{id: string, state: "waiting"|"signing"|"refused"|"saving"|"ended", strokes?: number, refusal?: object,
 *     outcome?: {result: "accepted"|"cancelled"|"timedOut"|"failed", by?: string, limit?: string, reason?: string},
 *     data?: object, seal?: {n: number, digest: string}, createdAt: string, endedAt?: string}} Capture
 */

/** Why a call failed. */
export class InkpanelError extends Error {
  /**
   * @param {string} reason the name of the gateway's problem, such as "busy"; or, if no answer came: "offline",
   *     "permission" (the browser does not allow this page to reach the local network), "mixed" (an https page may not
   *     call an http address) or "unreachable" (pad off, wrong address, unknown certificate, or origin not allowed)
   * @param {string} message for people
   * @param {{status?: number, problem?: object, retryAfter?: number}} [details] of the gateway's answer
   */
  constructor(reason, message, details = {}) {
    super(message)
    this.name = "InkpanelError"
    this.reason = reason
    Object.assign(this, details)
  }
}

export class Inkpanel {
  #url
  #token

  /** @param {{url?: string, token: string}} options `url`: of the gateway; by default the page's own. */
  constructor({ url = location.origin, token }) {
    this.#url = url.replace(/\/+$/, "")
    this.#token = token
  }

  /**
   * Asks for a signature and waits until the capture has ended.
   * @param {object} request such as {prompt: ["Sign here"], signer: "Anna"}; see docs/gateway.md
   * @param {{onChange?: (capture: Capture) => void, signal?: AbortSignal, key?: string}} [options]
   *     `signal` cancels the capture. `key`: the same key again gets the same capture, also after a reload.
   * @returns {Promise<Capture>}
   */
  async capture(request, { onChange, signal, key = crypto.randomUUID() } = {}) {
    const response = await this.#fetch("POST", "/v1/captures", {
      body: JSON.stringify(request), headers: { "content-type": "application/json", "idempotency-key": key }, signal,
    })
    const capture = await response.json()
    const cancel = () => this.cancel(capture.id).catch(() => {})
    signal?.addEventListener("abort", cancel, { once: true })
    try {
      return await this.follow(capture.id, { onChange })
    } finally {
      signal?.removeEventListener("abort", cancel)
    }
  }

  /**
   * Follows a capture until it has ended. Connects anew when the connection is lost.
   * @param {string} id
   * @param {{onChange?: (capture: Capture, event: string) => void, signal?: AbortSignal}} [options]
   *     `signal` ends the following, not the capture.
   * @returns {Promise<Capture>}
   */
  async follow(id, { onChange, signal } = {}) {
    let last = null
    for (let failures = 0; ; failures++) {
      try {
        const headers = last === null ? {} : { "last-event-id": last }
        const response = await this.#fetch("GET", `/v1/captures/${encodeURIComponent(id)}/events`, { headers, signal })
        for await (const event of eventsOf(response.body)) {
          failures = 0
          last = event.id ?? last
          const capture = JSON.parse(event.data)
          onChange?.(capture, event.event)
          if (capture.state === "ended") return capture
        }
      } catch (error) {
        if (signal?.aborted) throw error
        // The gateway has answered: trying again would change nothing.
        if (error instanceof InkpanelError && error.status && error.status < 500) throw error
        if (failures >= 5) throw error
      }
      await new Promise(resolve => setTimeout(resolve, Math.min(500 * 2 ** failures, 8000)))
    }
  }

  /** Cancels a capture; nothing is kept. @returns {Promise<Capture>} */
  cancel(id) { return this.#verb(id, "cancel") }

  /** Removes the ink. @returns {Promise<Capture>} */
  clear(id) { return this.#verb(id, "clear") }

  /** Accepts the ink, like the pad's button. @returns {Promise<Capture>} */
  accept(id) { return this.#verb(id, "accept") }

  /**
   * A file of an accepted capture.
   * @param {string} name such as "signature.png", "signature.svg", "record.jsonl", "record.jsonl.age", "seal" or "seal.sig"
   * @param {object} [parameters] of pictures: dpi, width and height, part, color, transparent, caption
   * @returns {Promise<Blob>}
   */
  async file(id, name, parameters = {}) {
    const query = new URLSearchParams(parameters).toString()
    const path = `/v1/captures/${encodeURIComponent(id)}/${name}` + (query ? "?" + query : "")
    return (await this.#fetch("GET", path)).blob()
  }

  /**
   * Follows the pad's page and its ink, as the token's scope and the panel's configuration allow.
   * @param {{level?: "state"|"presence"|"ink", signal?: AbortSignal}} [options]
   * @returns {AsyncGenerator<{event: string, data: object}>} see docs/gateway.md, Mirror; ends with the connection
   */
  async *mirror({ level, signal } = {}) {
    const response = await this.#fetch("GET", "/v1/mirror" + (level ? "?level=" + level : ""), { signal })
    for await (const { event, data } of eventsOf(response.body)) yield { event, data: JSON.parse(data) }
  }

  /** The panel's status. */
  async status() { return (await this.#fetch("GET", "/v1/panel")).json() }

  async #verb(id, verb) {
    return (await this.#fetch("POST", `/v1/captures/${encodeURIComponent(id)}/${verb}`)).json()
  }

  async #fetch(method, path, { headers = {}, body, signal } = {}) {
    let response
    try {
      response = await fetch(this.#url + path, {
        method, body, signal, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer",
        headers: { authorization: "Bearer " + this.#token, ...headers },
      })
    } catch (error) {
      if (signal?.aborted) throw error
      throw await explain(this.#url, error)
    }
    if (response.ok) return response
    const problem = await response.json().catch(() => ({}))
    const reason = (problem.type ?? "").replace("urn:inkpanel:problem:", "") || "http-" + response.status
    const retryAfter = Number(response.headers.get("retry-after")) || undefined
    throw new InkpanelError(
      reason, problem.detail ?? response.statusText, { status: response.status, problem, retryAfter })
  }
}

/** Finds out why no answer came. Browsers do not say it. */
async function explain(url, error) {
  if (!navigator.onLine && !isLoopback(url)) {
    return new InkpanelError("offline", "This computer has no network.")
  }
  if (location.protocol === "https:" && url.startsWith("http:") && !isLoopback(url)) {
    return new InkpanelError("mixed", `A page with https may not call ${url}: give the pad a certificate.`)
  }
  // Chromium asks the user before a public page reaches the local network (Local Network Access, since 142).
  for (const name of ["local-network", "loopback-network", "local-network-access"]) {
    const permission = await navigator.permissions?.query({ name }).catch(() => null)
    if (permission?.state === "denied" && location.origin !== new URL(url).origin) {
      return new InkpanelError(
        "permission", `This browser does not allow ${location.host} to reach the local network: ` +
          "allow it in the site's settings, or by the policy LocalNetworkAccessAllowedForUrls.")
    }
  }
  return new InkpanelError(
    "unreachable", `No answer from ${url}: the pad is off, the address is wrong, this browser does not know its ` +
      `certificate (open ${url} to see), or its configuration does not have ${location.origin} in origins. ` +
      `(${error.message})`)
}

function isLoopback(url) { return /^https?:\/\/(localhost|127\.|\[::1\])/.test(url) }

/** Server-sent events of a body (HTML Standard, 9.2.6). EventSource cannot send a token. */
async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ""
  let event = {}
  try {
    while (true) {
      const { done, value } = await reader.read()
      if (done) return
      text += value
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
