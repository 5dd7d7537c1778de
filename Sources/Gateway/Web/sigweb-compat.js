// SPDX-License-Identifier: Apache-2.0
// The function names of SigWebTablet.js, for pages that take a signature and its picture, over an Inkpanel gateway.
// docs/compatible.md has the whole. Load it as a classic script:
//
//   <script src="sigweb-compat.js" data-pad="https://pad.example:8443/compat/sigweb/SESSION"></script>
//
// SESSION is of POST /v1/sessions, which the back end calls. data-prompt is what the person reads on the pad; without
// it, the page's title. Before it signs, a page may set window.inkpanelPad and window.inkpanelPrompt instead. With
// data-renew="/address", a page that stays open asks its own back end there for a new data-pad, as text, when its
// session has ended.
(() => {
  "use strict"

  const script = document.currentScript
  const pollInterval = 250
  const pad = () => String(window.inkpanelPad ?? script?.dataset.pad ?? "").replace(/\/$/, "")
  // Texts that the page has written for the display: lines of the pad's page.
  let lines = []
  const prompt = () => {
    const text = window.inkpanelPrompt ?? script?.dataset.prompt ?? (lines.length ? null : document.title)
    return [...(text === null ? [] : [String(text)]), ...lines].join("\n")
  }

  const nothing = { signing: false, points: 0, strokes: 0 }
  // The pad's last answer; null before it was asked, such as after a reload.
  let state = null
  // Another number after each start and each clear: an answer that comes late is of an earlier signature.
  let signature = 0
  let target = null
  // The last target, and whether the page has ended a signature there that it does not show yet.
  let canvas = null
  let isEnded = false
  let shownPoints = 0
  let mirror = null

  const address = (name) => {
    if (!pad()) throw new Error("sigweb-compat.js: the script has no data-pad with the gateway's address")
    return `${pad()}/SigWeb/${name}`
  }

  // Pages go on with the next statement, so they wait for these: the request is synchronous, as in SigWebTablet.js.
  const send = (method, url, body, charset) => {
    const request = new XMLHttpRequest()
    request.open(method, url, false)
    if (charset) request.overrideMimeType(`text/plain; charset=${charset}`)
    request.send(body)
    if (request.status === 200) return request.responseText
    let detail = request.statusText || `the answer has status ${request.status}`
    try { detail = JSON.parse(request.responseText).detail ?? detail } catch { /* Not the gateway's answer. */ }
    throw Object.assign(new Error(detail), { status: request.status })
  }

  const call = (method, name, body = null) => {
    try {
      return send(method, address(name), body)
    } catch (error) {
      console.error(`sigweb-compat.js: ${name}: ${error.message}`)
      return null
    }
  }

  // Asks for a signature. A page must notice that nobody can sign.
  const begin = () => {
    const ask = () => send("POST", address("TabletState/1"), prompt())
    try {
      ask()
    } catch (error) {
      const isOver = error.status === 401 || error.status === 403
      if (!isOver || !script?.dataset.renew) throw new Error(`The signature cannot begin: ${error.message}`)
      // The page's own back end knows its cookie. Without one it may answer with a page to log in, and be asked again.
      const renewed = send("GET", script.dataset.renew, null).trim()
      if (!/^https?:\/\/\S+$/.test(renewed)) throw new Error(`${script.dataset.renew} answers with no data-pad`)
      window.inkpanelPad = renewed
      ask()
    }
  }

  const refresh = async () => {
    const asked = signature
    const response = await fetch(address("State"), { cache: "no-store" })
    if (!response.ok) throw new Error(`the gateway answers ${response.status}`)
    const answer = await response.json()
    if (asked !== signature) return false
    state = answer
    return true
  }

  const readState = () => {
    const text = call("GET", "State")
    state = text === null ? nothing : JSON.parse(text)
  }

  // Reads again only what can have changed on the pad.
  let readAt = 0
  const current = () => {
    if (!state || state.signing && performance.now() - readAt > pollInterval) {
      readState()
      readAt = performance.now()
    }
    return state
  }

  // MARK: the picture on the page

  // The ink of the mirror, if the session has the scope mirror:ink and the panel shows as much. Otherwise the canvas
  // shows the signature once it is accepted.
  const followMirror = async (context) => {
    const [, origin, session] = pad().match(/^(.*)\/compat\/sigweb\/([^/]+)$/) ?? []
    // The browser would show the refusal as an error of the page.
    if (!origin || !context || !state.mirrorsInk) return
    const controller = new AbortController()
    mirror = controller
    const response = await fetch(`${origin}/v1/mirror?level=ink`, {
      headers: { Authorization: `Bearer ${decodeURIComponent(session)}` }, signal: controller.signal,
    })
    if (!response.ok) return
    let capture = null
    const draw = (path) => {
      const field = capture?.field
      if (!path || !field) return
      const { canvas } = context
      context.save()
      context.scale(canvas.width / field.width / 16, canvas.height / field.height / 16)
      context.translate(-field.x * 16, -field.y * 16)
      context.fillStyle = "#000"
      context.fill(new Path2D(path))
      context.restore()
    }
    const clear = () => context.clearRect(0, 0, context.canvas.width, context.canvas.height)
    const actions = {
      snapshot(data) {
        if (!data.capture) return
        capture = data.capture
        clear()
        for (const outline of data.outlines ?? []) draw(outline)
      },
      ink(data) { draw(data.final) },
      stroke(data) { draw(data.final) },
    }
    actions.resync = actions.snapshot
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ""
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      text += value
      const events = text.split("\n\n")
      text = events.pop()
      for (const event of events) {
        const [, name] = event.match(/^event: (.*)$/m) ?? []
        const [, data] = event.match(/^data: (.*)$/m) ?? []
        if (data) actions[name]?.(JSON.parse(data))
      }
    }
  }

  const stopMirror = () => {
    mirror?.abort()
    mirror = null
  }

  // Shows what was signed, before the page goes on. Presses Accept on the pad, unless the person has.
  const showSigned = () => {
    if (!canvas) return
    const { width, height } = canvas.canvas
    isEnded = false
    try {
      const bytes = send("GET", `${address("Pixels")}?width=${width}&height=${height}`, null, "x-user-defined")
      const image = canvas.createImageData(width, height)
      for (let index = 0; index < image.data.length; index += 1) image.data[index] = bytes.charCodeAt(index)
      canvas.putImageData(image, 0, 0)
      shownPoints = state.points
    } catch (error) {
      console.error(`sigweb-compat.js: the signature is not shown: ${error.message}`)
    }
  }

  // Gives the pad back at once: browsers refuse the synchronous requests of a page that is left.
  const leave = () => {
    signature += 1
    if (state?.capture && !state.accepted) navigator.sendBeacon(address(`Reset/${state.capture}`))
    state = null
  }

  // Some pages take nothing but the picture of their canvas: it has the signature, as if they had asked for it.
  const watched = new WeakSet()
  const watch = (context) => {
    canvas = context
    if (watched.has(context)) return
    watched.add(context)
    for (const [object, names] of [[context.canvas, ["toDataURL", "toBlob"]], [context, ["getImageData"]]]) {
      for (const name of names) {
        const read = object[name]
        object[name] = (...values) => {
          if (isEnded && canvas === context) showSigned()
          return read.apply(object, values)
        }
      }
    }
  }

  const picture = async (width, height) => {
    const response = await fetch(`${address("SigImage/1")}?width=${width}&height=${height}`, { cache: "no-store" })
    if (!response.ok) throw new Error((await response.json().catch(() => ({}))).detail ?? response.statusText)
    return response.blob()
  }

  const draw = async (context, width, height) => {
    const asked = signature
    const bitmap = await createImageBitmap(await picture(width, height))
    if (asked === signature) context.drawImage(bitmap, 0, 0)
    bitmap.close()
  }

  const report = (promise) => {
    promise.catch((error) => {
      if (error.name !== "AbortError") console.error(`sigweb-compat.js: ${error.message}`)
    })
  }

  // MARK: values of the page, which have no effect but on pictures

  const values = new Map([["ImageXSize", "500"], ["ImageYSize", "100"]])
  const positions = (name) => [name, `${name}PosX`, `${name}PosY`, `${name}Size`]
  const properties = [
    "SigCompressionMode", "EncryptionMode", "SaveSigInfo", "SavePressureData", "SaveTimeData", "AntiAliasSpotSize",
    "AntiAliasLineScale", "AntiAliasEnable", "UseAmbientColors", "DisplayXSize", "DisplayYSize", "DisplayPenWidth",
    ...positions("DisplayTimeStamp"), ...positions("DisplayAnnotate"), "ImageXSize", "ImageYSize", "ImagePenWidth",
    ...positions("ImageTimeStamp"), ...positions("ImageAnnotate"), "JustifyX", "JustifyY", "JustifyMode",
    "LCDCaptureMode", "TabletLogicalXSize", "TabletLogicalYSize", "TabletXStart", "TabletYStart", "TabletXStop",
    "TabletYStop", "TabletFilterPoints", "TabletTimingAdvance", "TabletComPort", "TabletBaudRate",
    "TabletRotation", "TabletType", "ServerTabletType", "TabletComTest", "TabletResolution", "TabletPortPath",
    "TabletLocalIniFilePath", "TabletModel", "SerialPortCloseDelay", "MaxLogFileSize", "SigSockServerPath",
    "SigSockClientName", "SigSockPortNumber", "PortNumber",
  ]
  const texts = ["KeyString", "TimeStamp", "Annotate", "AutoKeyData"]
  for (const name of properties) {
    window[`Set${name}`] = (value) => { values.set(name, String(value)) }
    window[`Get${name}`] = () => values.get(name) ?? "0"
  }
  for (const name of texts) {
    window[`Set${name}`] = (value) => { values.set(name, String(value)) }
    window[`Get${name}`] = () => values.get(name) ?? ""
  }
  for (const name of ["CompressionMode", "ZCompressionMode"]) {
    window[`LCDSet${name}`] = (value) => { values.set(`LCD${name}`, String(value)) }
    window[`LCDGet${name}`] = () => values.get(`LCD${name}`) ?? "0"
  }

  // MARK: without effect

  const ignored = [
    "AutoKeyStart", "AutoKeyFinish", "ClearSigWindow", "EnableTabletEncryption", "KeyPadClearHotSpotList",
    "LCDSetPixelDepth", "LCDSetTabletMap", "LCDSetWindow", "OpenTablet", "ResetParameters",
    "SetSigWindow", "SetTabletEncryptionMode", "SigWebEvent", "setSigWebFontThreshold",
  ]
  for (const name of ignored) window[name] = () => {}

  // MARK: refused

  // A page that wants these shows people something that this pad does not show.
  const refused = {
    "draws on the pad, which shows its own pages": [
      "KeyPadAddHotSpot", "KeyPadMarkHotSpot", "LCDDrawButton", "LCDDrawRectangle", "LCDSendCmdData",
      "LCDSendCmdString", "LCDSendGraphicCanvas", "LCDSendGraphicUrl", "LCDSendWindowedGraphicCanvas",
      "LCDSendWindowedGraphicUrl", "LcdWriteImage", "LcdWriteImageBlob", "LcdWriteImageStream", "LcdWriteLocalImage", "createLcdBitmapFromCanvas",
      "textToTablet",
    ],
    "wants the maker's own format, which this pad does not have": [
      "GetKeyReceiptAscii", "GetNumPointsForStroke", "GetPointXValue", "GetPointYValue", "GetSigReceiptAscii",
      "GetTabletData", "SetTabletData", "testRawData",
    ],
  }
  for (const [reason, names] of Object.entries(refused)) {
    for (const name of names) {
      window[name] = () => {
        throw new Error(`${name} ${reason} (Inkpanel, docs/compatible.md)`)
      }
    }
  }
  // Mode 0 clears the display; the others draw.
  window.LcdRefresh = (mode) => {
    if (Number(mode) !== 0) {
      throw new Error("LcdRefresh draws on the pad, which shows its own pages (Inkpanel, docs/compatible.md)")
    }
    lines = []
  }
  window.LCDClear = () => { lines = [] }
  // The text is the last value, after its place and its font. Whoever signs already has another page before them.
  for (const name of ["LCDWriteString", "LCDWriteStringWindow"]) {
    window[name] = (...values) => {
      if (current().signing) {
        throw new Error(`${name} comes after the start: the pad shows texts of before (Inkpanel, docs/compatible.md)`)
      }
      const text = String(values.at(-1) ?? "").trim()
      if (text) lines.push(text)
    }
  }

  // MARK: the pad

  Object.assign(window, {
    IsSigWebInstalled: () => call("GET", "Version") !== null,
    GetSigWebVersion: () => (call("GET", "SigWebVersion") ?? "\"\"").slice(1, -1),
    GetVersionString: () => (call("GET", "Version") ?? "").slice(1, -2),
    GetDaysUntilCertificateExpires: () => call("GET", "DaysUntilCertificateExpires") ?? "",
    TabletConnectQuery: () => call("GET", "TabletConnectQuery") ?? "0",
    TabletModelNumber: () => "0",
    TabletSerialNumber: () => "0",
    GetFirmwareRevision: () => "0",
    LCDGetLCDSize: () => "0",
    LCDStringWidth: (font, text) => {
      const context = document.createElement("canvas").getContext("2d")
      context.font = font
      return Math.round(context.measureText(text).width)
    },
    LCDStringHeight: () => 16,
    measureText: (text, size) => ({ width: window.LCDStringWidth(`${size}px sans-serif`, text), height: size }),
    KeyPadQueryHotSpot: () => "0",
    IsPenDown: () => 0,
    AutoKeyAddData: () => window.GetKeyString(),
    AutoKeyAddANSIData: () => "1",

    SetTabletState(value, contextOrTimer, interval) {
      if (Number(value) === 1) {
        if (contextOrTimer?.canvas) window.SigWebSetDisplayTarget(contextOrTimer)
        window.SetRealTabletState(1)
        stopMirror()
        if (!contextOrTimer?.canvas || !state.signing) return null
        // The maker's library draws the new signature there, which is empty.
        contextOrTimer.clearRect(0, 0, contextOrTimer.canvas.width, contextOrTimer.canvas.height)
        report(followMirror(contextOrTimer))
        return setInterval(window.SigWebRefresh, Math.max(Number(interval) || 100, pollInterval))
      }
      if (contextOrTimer) clearInterval(contextOrTimer)
      stopMirror()
      // Pages call this before their first signature, too.
      if (current().signing) window.SetRealTabletState(0)
      isEnded = state.points > 0
      if (state.accepted) showSigned()
      window.SigWebSetDisplayTarget(null)
      return null
    },
    SetRealTabletState(value) {
      if (Number(value) === 1) signature += 1
      if (Number(value) === 1) begin()
      else call("POST", "TabletState/0")
      readState()
      isEnded = false
      shownPoints = 0
    },
    GetTabletState: () => (current().signing ? "1" : "0"),
    CloseTablet: () => window.SetTabletState(0, null),
    Reset() {
      stopMirror()
      signature += 1
      lines = []
      isEnded = false
      // Pages call this when they are left, too.
      if (call("POST", "Reset") === null) leave()
      else readState()
    },
    ClearTablet() {
      signature += 1
      isEnded = false
      target?.clearRect(0, 0, target.canvas.width, target.canvas.height)
      const answer = call("GET", "ClearSignature")
      readState()
      shownPoints = 0
      return answer ?? "0"
    },
    NumberOfTabletPoints: () => String(current().points),
    GetNumberOfStrokes: () => String(current().strokes ?? 0),
    // Presses Accept on the pad, unless the person has.
    GetSigString() {
      const text = call("GET", "SigString") ?? "\"\""
      readState()
      if (isEnded && state.accepted) showSigned()
      return text.slice(1, -1)
    },
    // Shows an earlier signature, by the text that GetSigString has answered, also in another session.
    SetSigString(text, context) {
      signature += 1
      isEnded = false
      stopMirror()
      try {
        send("POST", address("SigString"), String(text ?? ""))
      } catch (error) {
        readState()
        throw new Error(`The signature is not shown: ${error.message}`)
      }
      readState()
      if (context?.canvas) {
        context.clearRect(0, 0, context.canvas.width, context.canvas.height)
        watch(context)
        if (state.accepted) showSigned()
      }
      return ""
    },
    // Pages wait for the callback: without a signature it gets an empty picture.
    GetSigImageB64(callback) {
      const read = async () => {
        const blob = await picture(values.get("ImageXSize"), values.get("ImageYSize"))
        const reader = new FileReader()
        reader.onload = () => callback?.(reader.result.split(",")[1])
        reader.readAsDataURL(blob)
      }
      report(read().catch((error) => {
        callback?.("")
        throw error
      }))
    },
    GetSigImage(context) { report(draw(context, context.canvas.width, context.canvas.height)) },
    SigWebSetDisplayTarget(context) {
      target = context
      if (context) watch(context)
    },
    SigWebRefresh() {
      const show = async () => {
        const isPresent = await refresh()
        const context = target
        if (!isPresent || !context || !state.accepted || state.points === shownPoints) return
        shownPoints = state.points
        context.clearRect(0, 0, context.canvas.width, context.canvas.height)
        await draw(context, context.canvas.width, context.canvas.height)
      }
      report(show())
    },
    SigWebWaitForPenDown(callback) {
      const wait = async () => {
        if ((await fetch(address("WaitForPenDown"), { cache: "no-store" })).ok) callback()
      }
      report(wait())
    },
  })

  addEventListener("pagehide", leave)
})()
