// SPDX-License-Identifier: Apache-2.0
// Replaces the browser extensions SigPlusExtLite (Topaz) and SigCaptureWeb (ePad) for the page that loads it: a classic
// script, before those of the page. docs/compatible.md has the functions.
//
//   <script src="inkpanel-extension.js" data-pad="https://pad.example:8443" data-session="SESSION"></script>
//
// SESSION is of POST /v1/sessions, which the back end calls. data-prompt is what the person reads on the pad; without
// it, the page's title. Before it signs, a page may set window.inkpanelSession and window.inkpanelPrompt instead; the
// session may also be a function that promises one, or an object of pad and session (clients/extension).
(() => {
  "use strict"

  // A page of version 3 loads the script a second time, by the address that it finds below.
  if (window.Topaz?.isInkpanel) return
  // null in an extension.
  const script = document.currentScript
  // The gateway and the session of the signature that runs.
  let pad = ""
  let session = ""
  const renewSession = async () => {
    let given = window.inkpanelSession ?? script?.dataset.session ?? ""
    if (typeof given === "function") given = await given()
    pad = String(given.pad ?? script?.dataset.pad ?? "").replace(/\/$/, "")
    session = String(given.session ?? given)
    if (!pad || !session) throw new Error("inkpanel-extension.js has no data-pad or no data-session")
  }
  const prompt = () => String(window.inkpanelPrompt ?? script?.dataset.prompt ?? document.title) || "Signature"
  const usualSize = { width: 500, height: 100 }

  const call = async (method, path, { body, headers, ...options } = {}) => {
    const answer = await fetch(pad + path, {
      method, body: body && JSON.stringify(body), cache: "no-store", redirect: "error", ...options,
      headers: {
        Authorization: `Bearer ${session}`, ...(body && { "Content-Type": "application/json" }), ...headers,
      },
    })
    if (answer.ok) return answer
    const problem = await answer.json().catch(() => ({}))
    throw new Error(problem.detail ?? `the gateway answers ${answer.status}`)
  }

  const ask = async ({ firstName, lastName, location } = {}) => {
    const name = [firstName, lastName].map((part) => String(part ?? "").trim()).filter(Boolean).join(" ")
    const place = String(location ?? "").trim()
    await renewSession()
    const answer = await call("POST", "/v1/captures", {
      body: {
        prompt: prompt().split("\n").filter((line) => line.trim()), ...(name && { signer: name }),
        ...(place && { rows: [{ label: "Location", value: place }] }),
        // The page knows signatures only.
        policy: { alternatives: [] },
      },
    })
    return answer.json()
  }

  const state = async (capture, headers) => (await call("GET", `/v1/captures/${capture.id}`, { headers })).json()

  const ended = async (capture) => {
    let last = capture
    while (!last.outcome) last = await state(capture, { Prefer: "wait=30" })
    return last
  }

  // A reference takes the place of makers' biometric data, as in the other protocols.
  const reference = (capture) => btoa(JSON.stringify({ capture: capture.id, seal: capture.seal }))

  const picture = async (capture, { width, height }, isTransparent = false) => {
    const query = new URLSearchParams({ width, height, ...(isTransparent && { transparent: true }) })
    const blob = await (await call("GET", `/v1/captures/${capture.id}/signature.png?${query}`)).blob()
    const reader = new FileReader()
    await new Promise((done, failed) => {
      reader.onload = done
      reader.onerror = failed
      reader.readAsDataURL(blob)
    })
    return reader.result
  }

  // MARK: versions 1 and 2, and SigCaptureWeb: an element with JSON in an attribute, and an event

  // An extension is there before the document has an element.
  const mark = (name, value) => {
    if (document.documentElement) return document.documentElement.setAttribute(name, value)
    new MutationObserver((_, observer) => {
      if (!document.documentElement) return
      observer.disconnect()
      mark(name, value)
    }).observe(document, { childList: true })
  }

  const makers = [
    {
      mark: "SigPlusExtLiteExtension-installed", start: "SignStartEvent", request: "messageAttribute",
      element: "MyExtensionDataElementResponse", response: "SignResponse", answer: "msgAttribute",
    },
    {
      mark: "SigCaptureWebExtension-installed", start: "SigCaptureWeb_SignStartEvent",
      request: "SigCaptureWeb_MsgAttribute", element: "SigCaptureWeb_MyExtDataElem",
      response: "SigCaptureWeb_SignResponse", answer: "SigCaptureWeb_msgAttri",
    },
  ]

  const sign = async (text) => {
    const request = JSON.parse(text)
    const side = (value, usual) => (Number.isInteger(value) && value > 0 ? value : usual)
    const capture = await ended(await ask(request))
    // Pages take an empty message without a signature as: the person has cancelled.
    if (capture.outcome.result !== "accepted") return { isSigned: false, errorMsg: "" }
    const size = { width: side(request.imageX, usualSize.width), height: side(request.imageY, usualSize.height) }
    const data = await picture(capture, size, request.imageTransparency === true)
    return {
      isSigned: true, errorMsg: null, imageData: data.split(",")[1], imageFormat: 1, sigString: reference(capture),
      rawData: reference(capture),
    }
  }

  for (const maker of makers) {
    mark(maker.mark, "true")
    document.addEventListener(maker.start, async (event) => {
      // Some pages remove their element at once.
      const text = event.target.getAttribute(maker.request)
      const answer = await sign(text).catch((error) => ({ isSigned: false, errorMsg: error.message }))
      const element = document.createElement(maker.element)
      element.setAttribute(maker.answer, JSON.stringify(answer))
      document.documentElement.append(element)
      element.dispatchEvent(new Event(maker.response, { bubbles: true }))
      element.remove()
    })
  }

  // MARK: version 3: objects with functions

  let running = null
  let canvas = null

  const cancel = async () => {
    const capture = running
    running = null
    if (capture && !capture.outcome) await call("POST", `/v1/captures/${capture.id}/cancel`).catch(() => {})
  }

  // The signature, for which this presses Accept, unless the person has; null without one.
  const accepted = async () => {
    if (!running) return null
    let last = await state(running)
    if (!last.outcome) {
      if (!last.strokes) return null
      await call("POST", `/v1/captures/${last.id}/accept`)
      last = await ended(last)
    }
    running = last
    return last.outcome.result === "accepted" ? last : null
  }

  const clearCanvas = () => canvas?.getContext("2d").clearRect(0, 0, canvas.width, canvas.height)

  // A page must notice what the pad does not do.
  const object = (name, functions) => new Proxy(functions, {
    get(target, member) {
      if (typeof member === "symbol" || member === "then" || member in target) return target[member]
      return () => Promise.reject(new Error(`Topaz.${name}.${member} is not supported (Inkpanel, docs/compatible.md)`))
    },
  })

  const sheet = {
    async StartSign(target) {
      await cancel()
      canvas = target instanceof HTMLCanvasElement ? target : null
      clearCanvas()
      running = await ask()
    },
    StopSign: cancel,
    async SetTabletState(value) { if (Number(value) === 0) await cancel() },
    async GetTabletState() {
      return running && !(await state(running)).outcome ? 1 : 0
    },
    async ClearSign() {
      clearCanvas()
      if (running && !running.outcome) await call("POST", `/v1/captures/${running.id}/clear`)
    },
    async GetSigString() {
      const capture = await accepted()
      return capture && reference(capture)
    },
    async GetSignatureImage() {
      const capture = await accepted()
      if (!capture) return null
      const data = await picture(capture, canvas ?? usualSize)
      if (canvas) {
        const image = new Image()
        image.src = data
        await image.decode()
        clearCanvas()
        canvas.getContext("2d").drawImage(image, 0, 0)
      }
      return data
    },
    async GetTotalPoints() {
      return running ? (await state(running)).strokes ?? 0 : 0
    },
    async SignComplete() {},
  }
  window.Topaz = {
    isInkpanel: true,
    Global: object("Global", {
      async Connect() { return 1 },
      async Disconnect() { await cancel() },
      // Whether there is a gateway, once one is known: a session may not ask for the panel.
      GetDeviceStatus: async () => (pad ? call("GET", "/icon.svg").then(() => 1, () => 0) : 1),
      GetSigPlusExtLiteVersion: async () => "3.0.0.0",
      GetSigPlusExtLiteNMHVersion: async () => "3.0.0.0",
    }),
    Canvas: {
      Sign: object("Canvas.Sign", sheet),
      LCDTablet: object("Canvas.LCDTablet", { async ClearTablet() {}, async ClearSigWindow() {} }),
    },
    SignatureCaptureWindow: { Sign: object("SignatureCaptureWindow.Sign", { async SignComplete() {} }) },
  }
  // The extension sets it in another part, which knows the address.
  if (script) mark("SigPlusExtLiteWrapperURL", script.src)

  // Whoever leaves the page gives the pad back.
  addEventListener("pagehide", () => {
    if (!running || running.outcome) return
    fetch(`${pad}/v1/captures/${running.id}/cancel`, {
      method: "POST", keepalive: true, headers: { Authorization: `Bearer ${session}` },
    }).catch(() => {})
  })
})()
