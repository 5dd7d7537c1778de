// SPDX-License-Identifier: Apache-2.0
// The objects of Wacom's wgssSigCaptX.js, for pages that capture a signature and its picture, over an Inkpanel
// gateway. docs/compatible.md has the whole. Load it in place of that file, as a classic script:
//
//   <script src="sigcaptx-compat.js" data-pad="https://pad.example:8443" data-session="SESSION"></script>
//
// SESSION is of POST /v1/sessions, which the back end calls. data-prompt is what the person reads on the pad, above who
// signs and why; without it, the page's title. Before it signs, a page may set window.inkpanelSession and
// window.inkpanelPrompt instead; the session may also be a function that promises one, or an object of pad and session.
(() => {
  "use strict"

  // null in a bundle.
  const script = document.currentScript
  const version = "1.25.4"

  // MARK: numbers of the maker

  const ResponseStatus = { OK: 0, FAILED: 1, INVALID_SESSION: 3 }
  const DynamicCaptureResult = {
    DynCaptOK: 0, DynCaptCancel: 1, DynCaptPadError: 100, DynCaptError: 101, DynCaptIntegrityKeyInvalid: 102,
    DynCaptNotLicensed: 103, DynCaptAbort: 200,
  }
  const RBFlags = {
    RenderOutputBase64: 0x2000, RenderBackgroundTransparent: 0x10000, RenderColor1BPP: 0x20000,
    RenderColor24BPP: 0x40000, RenderColor32BPP: 0x80000, RenderColorAntiAlias: 0x100000, RenderOutputPicture: 0x200000,
    RenderEncodeData: 0x400000, RenderWatermark: 0x800000, RenderClipped: 0x1000000, RenderRelative: 0x2000000,
  }
  const SignedData = {
    DataGood: 0, DataNoHash: 1, DataBadType: 2, DataBadHash: 3, DataError: 4, DataUncertain: 5, DataSigMoved: 6,
  }
  const IntegrityStatus = {
    IntegrityOK: 0, IntegrityFail: 1, IntegrityMissing: 2, IntegrityWrongType: 3, IntegrityInsufficientData: 4,
    IntegrityUncertain: 5, IntegrityUnsupported: 6,
  }
  const HashType = {
    HashNone: 0, HashMD5: 1, HashSHA1: 2, HashSHA224: 3, HashSHA256: 4, HashSHA384: 5, HashSHA512: 6,
  }
  const CaptData = { CaptDigitizer: 26, CaptDigitizerDriver: 27, CaptMachineOS: 28, CaptNetworkCard: 29 }
  const TimeZone = { TimeLocal: 0, TimeGMT: 1, TimeUTC: 1 }
  const VariantType = {
    VARIANT_EMPTY: 0, VARIANT_TEXT: 1, VARIANT_NUM: 2, VARIANT_SIGOBJ: 4, VARIANT_SIGCTL: 5, VARIANT_HASH: 7,
    VARIANT_BASE64: 9, VARIANT_DYNCAP: 10,
  }

  // MARK: the gateway

  // Tries to hear of a capture after a failure, and milliseconds between two.
  const pollLimit = 10
  const pollPause = 2000
  const failure = (text, result) => Object.assign(new Error(text), { result })
  const trimmed = (address) => String(address ?? "").replace(/\/$/, "")
  const connect = async () => {
    let given = window.inkpanelSession ?? script?.dataset.session ?? ""
    if (typeof given === "function") given = await given()
    const link = { pad: trimmed(given.pad ?? script?.dataset.pad), session: String(given.session ?? (typeof given === "string" ? given : "")) }
    if (!link.pad || !link.session) throw new Error("the script has no data-pad or no data-session")
    return link
  }

  const call = async (link, method, path, { body, headers } = {}) => {
    const answer = await fetch(link.pad + path, {
      method, body: body && JSON.stringify(body), cache: "no-store", redirect: "error",
      headers: {
        Authorization: `Bearer ${link.session}`, ...(body && { "Content-Type": "application/json" }), ...headers,
      },
    }).catch((error) => {
      throw failure(`the gateway does not answer: ${error.message}`, DynamicCaptureResult.DynCaptPadError)
    })
    if (answer.ok) return answer
    const problem = await answer.json().catch(() => ({}))
    // 429 and 503: others sign, or there is no panel.
    const isBusy = answer.status === 429 || answer.status >= 500
    throw failure(problem.detail ?? `the gateway answers ${answer.status}`,
      isBusy ? DynamicCaptureResult.DynCaptPadError : DynamicCaptureResult.DynCaptError)
  }
  const read = async (link, path, headers) => (await call(link, "GET", path, { headers })).json()

  // MARK: a signature

  // Of this page, by the ID of their capture.
  const signatures = new Map()
  // The capture that runs, and its link, once the gateway has made it.
  let running = null
  let lastLink = null

  const cancel = async () => {
    const { link, id } = running ?? {}
    if (running) running.isOver = true
    if (id) await call(link, "POST", `/v1/captures/${id}/cancel`).catch(() => {})
  }

  const line = (text) => String(text ?? "").replace(/\s+/g, " ").trim()
  const prompt = () => String(window.inkpanelPrompt ?? script?.dataset.prompt ?? document.title) || "Signature"

  const base64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
  // What the page binds to the signature. Where browsers do not compute a digest, over HTTP, the panel does.
  const bound = async (values) => {
    const bytes = new TextEncoder().encode(JSON.stringify(values))
    if (!crypto.subtle) return { base64: base64(bytes) }
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
    return { sha256: Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("") }
  }

  const ended = async (turn) => {
    const { link, id } = turn
    // A network that is gone for a moment must not cancel what a person writes.
    for (let failures = 0; ;) {
      try {
        const last = await read(link, `/v1/captures/${id}`, { Prefer: "wait=30" })
        if (last.outcome) return last
        failures = 0
      } catch (error) {
        failures += 1
        if (error.result !== DynamicCaptureResult.DynCaptPadError || failures > pollLimit) throw error
        await new Promise((resolve) => setTimeout(resolve, pollPause))
      }
    }
  }

  const sign = async (who, why, values) => {
    if (running) throw failure("somebody signs already", DynamicCaptureResult.DynCaptPadError)
    const turn = {}
    running = turn
    const [signer, reason] = [who, why].map(line)
    let last
    try {
      turn.link = await connect()
      const lines = prompt().split("\n").filter((text) => text.trim())
      const body = {
        prompt: lines, ...(signer && { signer }), ...(reason && { reason }),
        ...(values && { document: await bound(values) }),
        // The page knows signatures only.
        policy: { alternatives: [] },
      }
      turn.id = (await (await call(turn.link, "POST", "/v1/captures", { body })).json()).id
      if (turn.isOver) await cancel()
      last = await ended(turn)
    } catch (error) {
      // What the page does not follow any more leaves the pad; the gateway ends a capture whose answer was lost.
      await cancel()
      throw error
    } finally {
      running = null
    }
    const { result } = last.outcome
    if (result === "failed" || result === "interrupted") throw new Error(last.outcome.reason ?? "nothing is stored")
    if (result !== "accepted") return null
    lastLink = turn.link
    const signature = { link: turn.link, capture: last, who: signer, why: reason, values }
    signatures.set(last.id, signature)
    return signature
  }

  // A reference takes the place of the maker's data of the signature, as in the other protocols. It also has what the
  // page has added to it since.
  const reference = ({ capture: { id, seal } }, extra) => {
    const more = extra.size ? { extra: Object.fromEntries(extra) } : {}
    return base64(new TextEncoder().encode(JSON.stringify({ capture: id, seal, ...more })))
  }
  const partsOf = (text) =>
    JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))))

  const summaryOf = async (link, id) =>
    (await read(link, `/v1/captures/${encodeURIComponent(id)}/metadata.json`)).summary

  // Also after a reload, as long as the page has a session that may read it.
  const referred = async (id) => {
    if (signatures.has(id)) return signatures.get(id)
    const link = lastLink ?? await connect()
    const summary = await summaryOf(link, id)
    if (summary.outcome.result !== "accepted") throw new Error("there is no such signature")
    const { signer = "", reason = "", document: { sha256 } = {} } = summary
    return { link, capture: summary, who: signer, why: reason, sha256 }
  }

  // MARK: pictures

  // An OLE_COLOR, whose lowest byte is red; or parts of one, such as "0R 0G 0.8B".
  const color = (value) => {
    const parts = typeof value === "string" && value.match(/^\s*([\d.]+)R\s+([\d.]+)G\s+([\d.]+)B\s*$/)
    const isNumber = Number.isInteger(value) && value >= 0 && value <= 0xffffff
    if (!parts && !isNumber) throw new Error(`${value} is no colour`)
    const bytes = parts
      ? parts.slice(1).map((part) => Math.round(Math.min(Number(part), 1) * 255))
      : [value & 0xff, value >> 8 & 0xff, value >> 16]
    return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")
  }

  const types = { png: "image/png", bmp: "image/bmp", jpg: "image/jpeg", jpeg: "image/jpeg", webp: "image/webp" }
  const white = "ffffff"

  // A file of 24 bits a pixel, from the lowest row: browsers write none.
  const windowsBitmap = ({ width, height, data }) => {
    const row = Math.ceil(width * 3 / 4) * 4
    const file = new DataView(new ArrayBuffer(54 + row * height))
    file.setUint16(0, 0x424d)
    const head = { 2: file.byteLength, 10: 54, 14: 40, 18: width, 22: height, 34: row * height }
    for (const [place, value] of Object.entries(head)) file.setUint32(Number(place), value, true)
    file.setUint16(26, 1, true)
    file.setUint16(28, 24, true)
    for (let y = 0; y < height; y += 1) {
      for (let x = 0; x < width; x += 1) {
        const from = (y * width + x) * 4
        const to = 54 + (height - 1 - y) * row + x * 3
        for (let part = 0; part < 3; part += 1) file.setUint8(to + part, data[from + 2 - part])
      }
    }
    return new Blob([file.buffer], { type: types.bmp })
  }

  // The gateway has PNG on white paper or none; the browser makes the rest of it. Below is its colour, or null.
  const picture = async ({ link, capture }, { type, width, height, ink, below }) => {
    const isOpaque = type === types.bmp || type === types.jpg
    const paper = below ?? (isOpaque ? white : null)
    const query = new URLSearchParams({ width, height, color: ink, transparent: paper !== white })
    const file = await (await call(link, "GET", `/v1/captures/${capture.id}/signature.png?${query}`)).blob()
    if (type === types.png && (!paper || paper === white)) return file
    const bitmap = await createImageBitmap(file)
    const canvas = Object.assign(document.createElement("canvas"), { width, height })
    const context = canvas.getContext("2d")
    if (paper) {
      context.fillStyle = `#${paper}`
      context.fillRect(0, 0, width, height)
    }
    context.drawImage(bitmap, 0, 0)
    bitmap.close()
    if (type === types.bmp) return windowsBitmap(context.getImageData(0, 0, width, height))
    const made = await new Promise((done) => { canvas.toBlob(done, type) })
    if (made?.type !== type) throw new Error(`this browser does not write ${type}`)
    return made
  }

  const dataAddress = async (blob) => {
    const reader = new FileReader()
    await new Promise((done, failed) => {
      reader.onload = done
      reader.onerror = failed
      reader.readAsDataURL(blob)
    })
    return reader.result
  }

  // MARK: the maker's form of objects

  // Pages read what is assigned after the constructor, so callbacks come later.
  const answer = (callback, ...values) => {
    if (typeof callback === "function") queueMicrotask(() => callback(...values))
  }
  // Those have an answer between the object and the status.
  const isQuestion = (member) => /^(Get|Render|Capture$|PadConnect$)/.test(member)

  // The last value of all members is a callback. A page must notice what the pad does not do: it gets an error.
  let count = 0
  const object = (name, type, actions) => {
    count += 1
    const target = { handle: `inkpanel-${count}`, type }
    const member = (key, action) => (...given) => {
      const callback = typeof given.at(-1) === "function" ? given.pop() : undefined
      action(...given).catch((error) => {
        console.error(`sigcaptx-compat.js: ${name}.${key}: ${error.message}`)
        return [...(isQuestion(key) ? [null] : []), ResponseStatus.FAILED]
      }).then((values) => answer(callback, self, ...values))
    }
    const refuse = async () => { throw new Error("is not supported (Inkpanel, docs/compatible.md)") }
    for (const [key, action] of Object.entries(actions)) target[key] = member(key, action)
    const isUnknown = (key) => !(key in target) && typeof key === "string" && /^[A-Z]/.test(key)
    const self = new Proxy(target, {
      get: (_, key) => (isUnknown(key) ? member(key, refuse) : target[key]),
    })
    return self
  }

  const done = [ResponseStatus.OK]
  // Values of the page, which have no effect.
  const kept = () => {
    const values = new Map()
    let licence = ""
    return {
      PutLicence: async (value) => { licence = value; return done },
      GetLicence: async () => [licence, ...done],
      SetProperty: async (key, value) => { values.set(key, value); return done },
      GetProperty: async (key) => {
        const value = new Variant()
        value.Set(values.get(key) ?? (key === "Component_FileVersion" ? version : ""))
        return [value, ...done]
      },
    }
  }

  // MARK: the objects

  // By handle: pages wrap the objects, such as in those of Vue.
  const hashes = new Map()
  const controls = new Map()

  const Variant = function () {
    this.type = VariantType.VARIANT_EMPTY
    this.Set = (input) => {
      const { type, text, num, base64: bytes, handle } =
        typeof input === "string" ? { type: VariantType.VARIANT_TEXT, text: input }
          : typeof input === "number" ? { type: VariantType.VARIANT_NUM, num: input }
            : input ?? {}
      Object.assign(this, { type: type ?? VariantType.VARIANT_EMPTY, text, num, base64: bytes, handle })
    }
  }

  const Bitmap = function () {
    Object.assign(this, { handle: null, isBase64: false, mime_type: null, image: new Image() })
  }

  const Hash = function (callback) {
    let values = []
    let type = HashType.HashNone
    const self = object("Hash", VariantType.VARIANT_HASH, {
      Clear: async () => { values = []; return done },
      Add: async (variant) => {
        const names = {
          [VariantType.VARIANT_TEXT]: "text", [VariantType.VARIANT_NUM]: "num", [VariantType.VARIANT_BASE64]: "base64",
        }
        const value = variant?.[names[variant.type]]
        if (value === undefined) throw new Error("the value is neither text nor a number")
        values.push(value)
        return done
      },
      PutType: async (value) => { type = value; return done },
      GetType: async () => [type, ...done],
    })
    hashes.set(self.handle, () => values.slice())
    answer(callback, self, ResponseStatus.OK)
    return self
  }

  // What a page binds to a signature: a hash, or a value.
  const valuesOf = (what) => {
    if (what === null || what === undefined || what === "") return null
    if (typeof what === "string" || typeof what === "number") return [what]
    const values = hashes.get(what.handle)
    if (!values) throw new Error("what is signed is no Hash")
    return values()
  }

  const makeSignature = (signature) => {
    let signed = signature
    let extra = new Map()
    const clear = () => {
      signed = null
      extra = new Map()
    }
    const restore = async (text) => {
      clear()
      const { capture, extra: more = {} } = partsOf(text)
      signed = await referred(capture)
      extra = new Map(Object.entries(more))
      return done
    }
    const present = () => {
      if (!signed) throw new Error("nobody has signed")
      return signed
    }
    return object("SigObj", VariantType.VARIANT_SIGOBJ, {
      GetIsCaptured: async () => [signed !== null, ...done],
      GetWho: async () => [present().who, ...done],
      GetWhy: async () => [present().why, ...done],
      GetWhen: async (zone) => {
        const { link, capture } = present()
        // The time in the record, as long as there is one: the gateway hears of the end when it is stored.
        const { endedAt } = await summaryOf(link, capture.id).catch(() => capture)
        const when = new Date(endedAt)
        // The maker's dates have the numbers of the zone that was asked for.
        if (zone === TimeZone.TimeGMT) when.setMinutes(when.getMinutes() + when.getTimezoneOffset())
        return [Object.assign(when, { dayOfWeek: when.getDay() }), ...done]
      },
      GetAdditionalData: async (kind) => {
        present()
        return [kind === CaptData.CaptNetworkCard ? "" : "Inkpanel", ...done]
      },
      GetProperty: kept().GetProperty,
      PutExtraData: async (key, value) => {
        present()
        extra.set(String(key), value)
        return done
      },
      GetExtraData: async (key) => [present() && (extra.get(String(key)) ?? ""), ...done],
      GetSigText: async () => [reference(present(), extra), ...done],
      PutSigText: restore,
      // The same, in a Variant.
      GetSigData: async () => {
        const type = VariantType.VARIANT_BASE64
        return [Object.assign(new Variant(), { type, base64: reference(present(), extra) }), ...done]
      },
      PutSigData: (variant) => restore(variant?.base64),
      // The record stays.
      Clear: async () => { clear(); return done },
      // Only the record is proof: its seal has no key of the page.
      CheckIntegrity: async () => [IntegrityStatus.IntegrityUnsupported],
      CheckSignedData: async (hash) => {
        if (!signed) return [SignedData.DataError]
        if (!signed.values && !signed.sha256) return [SignedData.DataNoHash]
        const values = hashes.get(hash?.handle)?.()
        if (!values) return [SignedData.DataBadType]
        // The page's own values need no digest, which browsers do not compute over HTTP.
        if (!signed.values && !crypto.subtle) return [SignedData.DataUncertain]
        const isSame = signed.values
          ? JSON.stringify(signed.values) === JSON.stringify(values)
          : signed.sha256 === (await bound(values)).sha256
        return [isSame ? SignedData.DataGood : SignedData.DataBadHash]
      },
      RenderBitmap: async (name, width, height, inkWidth, ink, paper, flags) => {
        const type = types[String(name).toLowerCase().replace(/^image\//, "")]
        if (!type) throw new Error(`there is no picture of type ${name}`)
        const file = await picture(present(), {
          type, width: Math.round(width), height: Math.round(height), ink: color(ink ?? 0),
          below: flags & RBFlags.RenderBackgroundTransparent ? null : color(paper ?? 0xffffff),
        })
        const data = await dataAddress(file)
        if (flags & RBFlags.RenderOutputPicture) {
          const bitmap = Object.assign(new Bitmap(), { isBase64: true, mime_type: type })
          bitmap.image.src = data
          await bitmap.image.decode()
          return [bitmap, ...done]
        }
        if (!(flags & RBFlags.RenderOutputBase64)) throw new Error("the picture is wanted in no form that there is")
        return [data.split(",")[1], ...done]
      },
    })
  }

  const SigObj = function () {
    return makeSignature(null)
  }

  const SigCtl = function (callback) {
    const empty = makeSignature(null)
    const self = object("SigCtl", VariantType.VARIANT_SIGCTL, {
      ...kept(), GetSignature: async () => [controls.get(self.handle), ...done],
    })
    controls.set(self.handle, empty)
    answer(callback, self, ResponseStatus.OK)
    return self
  }

  const DynamicCapture = function (callback) {
    const capture = async (control, who, why, what, key) => {
      if (!controls.has(control?.handle)) throw new Error("the first value is no SigCtl")
      // A page would check the signature with it.
      if (key) throw new Error("keys of the page are not supported")
      return sign(who, why, valuesOf(what))
    }
    const self = object("DynamicCapture", VariantType.VARIANT_DYNCAP, {
      ...kept(),
      Capture: async (control, ...values) => {
        try {
          const signature = await capture(control, ...values)
          const signed = makeSignature(signature)
          if (!signature) return [signed, DynamicCaptureResult.DynCaptCancel]
          controls.set(control.handle, signed)
          return [signed, DynamicCaptureResult.DynCaptOK]
        } catch (error) {
          console.error(`sigcaptx-compat.js: DynamicCapture.Capture: ${error.message}`)
          return [makeSignature(null), error.result ?? DynamicCaptureResult.DynCaptError]
        }
      },
    })
    answer(callback, self, ResponseStatus.OK)
    return self
  }

  // These show what the page draws on the pad, or check with a key of the page.
  const refused = (name) => function (callback) {
    console.error(`sigcaptx-compat.js: ${name} is not supported (Inkpanel, docs/compatible.md)`)
    const self = object(name, VariantType.VARIANT_EMPTY, {})
    answer(callback, self, ResponseStatus.FAILED)
    return self
  }

  window.WacomGSS_SignatureSDK = function (onDetectRunning) {
    Object.assign(this, {
      version, running: false, service_detected: false, service_fileVersion: null, session: null,
      ResponseStatus, DynamicCaptureResult, RBFlags, SignedData, IntegrityStatus, HashType, CaptData, TimeZone,
      VariantType, Variant, Bitmap, Hash, SigObj, SigCtl, DynamicCapture, Key: refused("Key"),
      WizCtl: refused("WizCtl"), InputObj: refused("InputObj"),
      getVersion: (callback) => answer(callback, version, ResponseStatus.OK),
      destroySession: (callback) => { cancel().then(() => answer(callback)) },
    })
    const detect = async () => {
      const pad = trimmed(window.inkpanelSession?.pad ?? script?.dataset.pad)
      // A function knows it only when somebody signs.
      if (pad && !(await fetch(`${pad}/icon.svg`, { cache: "no-store" })).ok) throw new Error("it refuses this page")
      Object.assign(this, {
        running: true, service_detected: true, service_fileVersion: version, session: "inkpanel",
      })
    }
    // As with the maker's, pages hear of no service by their own limit: many take any call for a success.
    detect().then(() => answer(onDetectRunning), (error) => {
      console.error(`sigcaptx-compat.js: there is no gateway: ${error.message}`)
    })
  }

  // Whoever leaves the page gives the pad back.
  addEventListener("pagehide", () => {
    if (!running?.id) return
    const { link, id } = running
    fetch(`${link.pad}/v1/captures/${id}/cancel`, {
      method: "POST", keepalive: true, headers: { Authorization: `Bearer ${link.session}` },
    }).catch(() => {})
  })
})()
