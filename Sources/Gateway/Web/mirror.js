// SPDX-License-Identifier: Apache-2.0
// The clerk's page: the pad's page and the ink on it, with the buttons that the token may press.
import { explain } from "./failures.js"
import { Inkpanel } from "./inkpanel.js"

const UNITS = 16 // of outlines, a pixel of the panel
const english = {
  waiting: "Nobody is signing.", signing: "The person is signing.",
  strokes: { one: "{count} stroke", other: "{count} strokes" },
  reading: "The person is reading.", readingPage: "The person is reading page {page} of {pages}.",
  question: "The person is answering a question.", handOver: "The pad waits for the next person.",
  declining: "The person does not agree.", declined: "Declined.",
  refused: "Not accepted yet: signing goes on.",
  refusals: {
    noInk: "Not accepted yet: nobody has signed on the line.", fewStrokes: "Not accepted yet: the signature is not complete.",
    small: "Not accepted yet: the ink is very small.", straight: "Not accepted yet: the ink looks like a line.",
    quick: "Not accepted yet: that was very quick.",
  },
  saving: "The signature is being stored.", thanks: "Done.",
  busy: "The pad is in use.", gone: "The pad does not answer. Trying again …",
  noToken: "This page needs #token= and a token at the end of its address.",
  accept: "Accept", clear: "Clear", cancel: "Cancel", ink: "The ink on the pad",
  page: "The pad’s page, as a picture", title: "Inkpanel: mirror",
}
const german = {
  waiting: "Gerade unterschreibt niemand.", signing: "Die Person unterschreibt.",
  strokes: { one: "{count} Strich", other: "{count} Striche" },
  reading: "Die Person liest.", readingPage: "Die Person liest Seite {page} von {pages}.",
  question: "Die Person beantwortet eine Frage.", handOver: "Das Pad wartet auf die nächste Person.",
  declining: "Die Person ist nicht einverstanden.", declined: "Abgelehnt.",
  refused: "Noch nicht angenommen: Es geht weiter.",
  refusals: {
    noInk: "Noch nicht angenommen: Auf der Linie steht noch nichts.",
    fewStrokes: "Noch nicht angenommen: Die Unterschrift ist nicht vollständig.",
    small: "Noch nicht angenommen: Die Tinte ist sehr klein.",
    straight: "Noch nicht angenommen: Die Tinte sieht wie ein Strich aus.",
    quick: "Noch nicht angenommen: Das war sehr schnell.",
  },
  saving: "Die Unterschrift wird gespeichert.", thanks: "Fertig.",
  busy: "Das Pad ist belegt.", gone: "Das Pad antwortet nicht. Neuer Versuch …",
  noToken: "Diese Seite braucht #token= und ein Token am Ende der Adresse.",
  accept: "Annehmen", clear: "Löschen", cancel: "Abbrechen", ink: "Die Tinte auf dem Pad", page: "Die Seite des Pads als Bild",
  title: "Inkpanel: Spiegel",
}
const language = navigator.language.startsWith("de") ? "de" : "en"
const texts = language === "de" ? german : english
const at = id => document.getElementById(id)
const [page, backdrop, canvas] = [at("page"), at("backdrop"), at("ink")]
const [narrow, forced] = ["(max-width: 640px)", "(forced-colors: active)"].map(query => matchMedia(query))
const context = canvas.getContext("2d")
const dry = document.createElement("canvas")

document.documentElement.lang = language
document.title = at("title").textContent = texts.title
backdrop.alt = texts.page
canvas.setAttribute("aria-label", texts.ink)

const REFUSALS = { fewSamples: "quick", short: "small" } // that the pad says in the same words
let capture = null, hasPlaces = false, said = null, wet = "", tail = "", finished = [], cells = []
// In the fragment, which browsers send to no server.
const token = new URLSearchParams(location.hash.slice(1)).get("token")
if (token) run(new Inkpanel({ token }))
else at("state").textContent = texts.noToken
new ResizeObserver(redraw).observe(canvas)
for (const query of [narrow, forced]) query.addEventListener("change", placeRow)

async function run(inkpanel) {
  const level = new URLSearchParams(location.search).get("level") ?? undefined
  while (true) {
    let pause = 1000
    try {
      for await (const { event, data } of inkpanel.mirror({ level })) receive(event, data, inkpanel)
      restart({ page: "gone" }, inkpanel)
    } catch (error) {
      restart({ page: "gone" }, inkpanel)
      if (error.reason !== "panel-not-running") at("state").textContent = explain(error, language)
      if (!error.isTemporary) return
      // Timers of a longer time than 24 days would end at once.
      pause = Math.max(pause, 1000 * Math.min(60, error.retryAfter ?? 0))
    }
    await new Promise(resolve => setTimeout(resolve, pause))
  }
}

function receive(event, data, inkpanel) {
  switch (event) {
    case "snapshot": case "resync": restart(data, inkpanel); break
    case "backdrop":
      hasPlaces = true
      placeRow()
      showBackdrop(data.png)
      break
    case "ink":
      wet += data.final
      tail = data.tail
      draw()
      break
    case "stroke":
      finished.push(wet + data.final)
      addDry(finished.at(-1))
      wet = tail = ""
      draw()
      break
    case "cancel":
      wet = tail = ""
      draw()
      break
    case "cells":
      cells.push(...data.cells)
      redraw()
      break
    case "state": say(data, inkpanel); break
  }
}

/** Shows everything anew. Nothing of a capture stays when it has ended. */
function restart(data, inkpanel) {
  capture = data.capture ?? null
  finished = data.outlines ?? []
  cells = data.cells ?? []
  wet = tail = ""
  backdrop.hidden = true
  backdrop.removeAttribute("src")
  page.style.setProperty("--ratio", capture ? capture.size.width / capture.size.height : "")
  // Of pages without ink, only the place of Cancel is known.
  hasPlaces = Boolean(data.png) || (data.level !== "state" && capture?.field.width !== 0)
  placeRow()
  if (data.png) showBackdrop(data.png)
  showWords()
  placeButtons(inkpanel)
  say(data, inkpanel)
  redraw()
}

/** @param {string} [refusal] why the ink was not accepted, as the pad's banner says it */
function say(data, inkpanel, refusal) {
  said = data
  if (data.page === "refused" && capture && !refusal) learnRefusal(data, inkpanel, capture.id)
  const { signing, question, handOver, declining, declined, saving, thanks, gone } = texts
  const reading = data.document
    ? texts.readingPage.replace("{page}", data.document.page).replace("{pages}", data.document.pages) : texts.reading
  const refused = texts.refusals[REFUSALS[refusal] ?? refusal] ?? texts.refused
  const taken = { signing, reading, question, handOver, declining, refused, saving }
  const word = { ...taken, thanks, declined, gone }[data.page]
  const isBusy = data.page in taken && capture === null
  const form = new Intl.PluralRules(language).select(data.strokes ?? 0)
  const count = data.strokes ? " " + texts.strokes[form].replace("{count}", data.strokes) : ""
  at("state").textContent = (isBusy ? texts.busy : word ?? texts.waiting) + (isBusy ? "" : count)
}

/** The mirror's events do not have it, and a token may watch a capture that it may not ask for. */
async function learnRefusal(data, inkpanel, id) {
  // The pad has told the mirror first.
  for (const pause of [0, 300, 1000]) {
    await new Promise(resolve => setTimeout(resolve, pause))
    const { refusal } = said === data ? await inkpanel.get(id).catch(() => ({})) : {}
    if (said !== data) return
    if (refusal) return say(data, inkpanel, refusal.reason)
  }
}

/** Puts the buttons in a row below the page where nobody could see or hit them on it. */
function placeRow() { page.classList.toggle("plain", !hasPlaces || narrow.matches || forced.matches) }

async function showBackdrop(png) {
  const blob = new Blob([Uint8Array.from(atob(png), letter => letter.charCodeAt(0))], { type: "image/png" })
  const url = URL.createObjectURL(blob)
  backdrop.onload = () => URL.revokeObjectURL(url)
  backdrop.src = url
  backdrop.hidden = false
}

/** The words of the picture, for screen readers, in the language of who signs. */
function showWords() {
  const words = at("words")
  words.lang = capture?.language ?? ""
  words.replaceChildren(...(capture?.texts ?? []).map(text => {
    const line = document.createElement("p")
    line.textContent = text
    line.dir = "auto"
    return line
  }))
}

/** Real buttons over the drawn ones. */
function placeButtons(inkpanel) {
  // Hosts cannot undo.
  const drawn = (capture?.buttons ?? []).filter(({ button }) => button !== "undo")
  at("buttons").replaceChildren(...drawn.map(({ button, label, rectangle }) => {
    const element = document.createElement("button")
    element.type = "button"
    element.textContent = label ?? texts[button]
    element.setAttribute("aria-label", label ?? texts[button])
    // In the language of who signs.
    if (label && capture.language) element.lang = capture.language
    element.dir = "auto"
    const { width, height } = capture.size
    element.style.setProperty("left", 100 * rectangle.x / width + "%")
    element.style.setProperty("top", 100 * rectangle.y / height + "%")
    element.style.setProperty("width", 100 * rectangle.width / width + "%")
    element.style.setProperty("height", 100 * rectangle.height / height + "%")
    element.addEventListener("click", () =>
      inkpanel[button](capture.id).catch(error => { at("state").textContent = explain(error, language) }))
    return element
  }))
}

// Drawing

function scale(target) {
  const [width, height] = [canvas.clientWidth, canvas.clientHeight].map(side => Math.round(side * devicePixelRatio))
  if (target.width !== width || target.height !== height) [target.width, target.height] = [width, height]
  return capture ? width / capture.size.width : 1
}

function redraw() {
  const pixels = dry.getContext("2d")
  const factor = scale(dry)
  pixels.setTransform(1, 0, 0, 1, 0, 0)
  pixels.clearRect(0, 0, dry.width, dry.height)
  if (capture && cells.length) {
    pixels.setTransform(factor, 0, 0, factor, capture.field.x * factor, capture.field.y * factor)
    pixels.fillStyle = "rgb(31 95 208 / 35%)"
    const side = 4 * capture.pixelsPerMillimetre
    for (const { x, y } of cells) pixels.fillRect(x * side, y * side, side, side)
  }
  for (const outline of finished) addDry(outline)
  draw()
}

function addDry(outline) { fill(dry.getContext("2d"), scale(dry), outline) }

function fill(pixels, factor, outline) {
  if (!outline) return
  pixels.setTransform(factor / UNITS, 0, 0, factor / UNITS, 0, 0)
  pixels.fillStyle = capture?.color ?? "black"
  pixels.fill(new Path2D(outline))
}

function draw() {
  const factor = scale(canvas)
  context.setTransform(1, 0, 0, 1, 0, 0)
  context.clearRect(0, 0, canvas.width, canvas.height)
  if (dry.width === canvas.width && dry.height === canvas.height) context.drawImage(dry, 0, 0)
  fill(context, factor, wet + tail)
}
