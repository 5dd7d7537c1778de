// SPDX-License-Identifier: Apache-2.0
// The page's texts. Elements with data-text get theirs; {x} is replaced.
const english = {
  title: "Inkpanel: try the pad", heading: "Try the pad", padLabel: "The signature pad. Sign here with mouse, finger or pen.",
  lead: "This is the real program, on a virtual panel. Ask for a signature, then sign with mouse, finger or pen.",
  ask: "Ask for a signature", prompt: "Prompt", promptValue: "I have received 12 parcels", signer: "Name of the signer",
  signerValue: "Anna Müller", reason: "Reason", rows: "Details, one a line: label = value", rowsValue: "Order = 4711\nAmount = 12.00 €",
  language: "Language of the pad", request: "Request signature", cancel: "Cancel", clear: "Clear", accept: "Accept",
  hostButtons: "The pad's buttons, for keyboards and screen readers. Signing needs a pointer.",
  events: "Events", noEvents: "Nothing yet. The events of GET /v1/captures/{id}/events appear here.",
  result: "Signature", noResult: "An accepted signature appears here.", download: "Download", code: "The same call",
  copy: "Copy", copied: "Copied", waiting: "The pad waits for its turn.", signing: "The pad is ready to sign.",
  refused: "Not accepted yet: {reason}. Signing goes on.", saving: "The signature is being stored.",
  accepted: "The signature was accepted.", cancelled: "The capture was cancelled.", timedOut: "The time is over.",
  failed: "The signature could not be stored: {reason}", strokes: "{count} strokes", connecting: "Connecting to the pad …",
  lost: "The pad does not answer. Trying again …", noToken: "This page needs the whole address that the program printed, with the part after #.",
  idle: "The pad is idle.", docs: "API", size: "{width} × {height} pixels",
}
const german = {
  title: "Inkpanel: das Pad ausprobieren", heading: "Das Pad ausprobieren",
  padLabel: "Das Unterschriftenpad. Hier mit Maus, Finger oder Stift unterschreiben.",
  lead: "Dies ist das echte Programm auf einem virtuellen Bildschirm. Fordern Sie eine Unterschrift an und unterschreiben Sie mit Maus, Finger oder Stift.",
  ask: "Unterschrift anfordern", prompt: "Text", promptValue: "Ich habe 12 Pakete erhalten", signer: "Name", signerValue: "Anna Müller",
  reason: "Grund", rows: "Angaben, eine je Zeile: Bezeichnung = Wert", rowsValue: "Auftrag = 4711\nBetrag = 12,00 €",
  language: "Sprache des Pads", request: "Unterschrift anfordern", cancel: "Abbrechen", clear: "Löschen", accept: "Annehmen",
  hostButtons: "Die Knöpfe des Pads, für Tastatur und Vorleseprogramme. Zum Unterschreiben braucht man Maus, Finger oder Stift.",
  events: "Ereignisse", noEvents: "Noch keine. Hier erscheinen die Ereignisse von GET /v1/captures/{id}/events.",
  result: "Unterschrift", noResult: "Hier erscheint eine angenommene Unterschrift.", download: "Herunterladen", code: "Derselbe Aufruf",
  copy: "Kopieren", copied: "Kopiert", waiting: "Das Pad wartet, bis es an der Reihe ist.", signing: "Das Pad ist bereit.",
  refused: "Noch nicht angenommen: {reason}. Bitte weiter unterschreiben.", saving: "Die Unterschrift wird gespeichert.",
  accepted: "Die Unterschrift wurde angenommen.", cancelled: "Die Aufnahme wurde abgebrochen.", timedOut: "Die Zeit ist abgelaufen.",
  failed: "Die Unterschrift konnte nicht gespeichert werden: {reason}", strokes: "{count} Striche", connecting: "Verbindung zum Pad …",
  lost: "Das Pad antwortet nicht. Neuer Versuch …", noToken: "Diese Seite braucht die ganze Adresse, die das Programm ausgegeben hat, mit dem Teil nach #.",
  idle: "Das Pad ist frei.", docs: "API", size: "{width} × {height} Pixel",
}

export const language = navigator.language.startsWith("de") ? "de" : "en"
const texts = language === "de" ? german : english

export function text(name, values = {}) {
  return texts[name].replace(/\{(\w+)\}/g, (whole, key) => values[key] ?? whole)
}

export function translate(root) {
  document.documentElement.lang = language
  document.title = text("title")
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text)
  for (const element of root.querySelectorAll("[data-label]")) element.setAttribute("aria-label", text(element.dataset.label))
  for (const element of root.querySelectorAll("[data-value]")) element.value = text(element.dataset.value)
}
