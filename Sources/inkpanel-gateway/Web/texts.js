// SPDX-License-Identifier: Apache-2.0
// The page's texts, in the languages of its readers.

const english = {
  virtualPanel: "Virtual panel",
  panel: "Panel",
  screen: "The panel’s screen. Signing needs a mouse, a finger or a pen.",
  waiting: "Waiting for the panel",
  connected: "Connected",
  replaced: "Open in another tab",
  refused: "No access",
  takeBack: "Another tab has the panel. Click here to use it in this one.",
  noToken: "The address has no token. Open the whole address that `make run` has printed.",
  wrongToken: "This address is from an earlier start. Open the one that `make run` has printed last.",
  noPanel: "The panel’s program does not run.",
  noGateway: "The gateway does not run. Start it again with `make run`.",
  actions: "Decide about the signature",
  accept: "Accept",
  clear: "Clear",
  cancel: "Cancel",
  undo: "Undo",
  idle: "Nobody is asked to sign yet.",
  state: {
    waiting: "Another signature comes first.",
    signing: "Sign on the pad.",
    refused: "The ink was not accepted. Sign again.",
    saving: "The signature is being stored.",
    accepted: "Signed and stored.",
    cancelled: "Cancelled.",
    timedOut: "Nobody signed in time.",
    failed: "The signature could not be stored.",
  },
  pointer: {
    mouse: "Mouse: no pressure is measured, so none is recorded.",
    touch: "Finger: no pressure is measured, so none is recorded.",
    touchMeasured: "Finger: pressure is measured and recorded.",
    pen: "Pen: pressure is measured and recorded.",
  },
  figures: (milliseconds) => `${milliseconds} ms from pointer to ink`,
  ask: "Ask for a signature",
  prompt: "Text",
  rows: "Rows",
  label: "Label",
  value: "Value",
  addRow: "Add a row",
  removeRow: "Remove the row",
  signer: "Signer",
  reason: "Reason",
  submit: "Ask for a signature",
  running: "Waiting for the signature",
  events: "Events",
  noEvents: "Events of the capture appear here as they come.",
  result: "Signature",
  record: "Record",
  signature: "The signature",
  sameCall: "The same call",
  copy: "Copy",
  copied: "Copied",
  example: {
    prompt: "I have received the delivery.", rows: [["Order", "4711"], ["Parcels", "2"]], signer: "Anna Müller",
    reason: "Proof of delivery",
  },
};

const german = {
  virtualPanel: "Virtuelles Pad",
  panel: "Pad",
  screen: "Der Bildschirm des Pads. Zum Unterschreiben braucht es Maus, Finger oder Stift.",
  waiting: "Warte auf das Pad",
  connected: "Verbunden",
  replaced: "In einem anderen Tab",
  refused: "Kein Zugang",
  takeBack: "Ein anderer Tab zeigt das Pad. Hier klicken, um es in diesem zu benutzen.",
  noToken: "In der Adresse fehlt das Token. Bitte die ganze Adresse öffnen, die `make run` ausgegeben hat.",
  wrongToken: "Die Adresse stammt von einem früheren Start. Bitte die zuletzt ausgegebene öffnen.",
  noPanel: "Das Programm des Pads läuft nicht.",
  noGateway: "Das Gateway läuft nicht. Bitte mit `make run` neu starten.",
  actions: "Über die Unterschrift entscheiden",
  accept: "Annehmen",
  clear: "Löschen",
  cancel: "Abbrechen",
  undo: "Rückgängig",
  idle: "Noch soll niemand unterschreiben.",
  state: {
    waiting: "Zuerst ist eine andere Unterschrift an der Reihe.",
    signing: "Bitte auf dem Pad unterschreiben.",
    refused: "Die Unterschrift genügt nicht. Bitte noch einmal.",
    saving: "Die Unterschrift wird gespeichert.",
    accepted: "Unterschrieben und gespeichert.",
    cancelled: "Abgebrochen.",
    timedOut: "Niemand hat rechtzeitig unterschrieben.",
    failed: "Die Unterschrift konnte nicht gespeichert werden.",
  },
  pointer: {
    mouse: "Maus: Druck wird nicht gemessen und nicht aufgezeichnet.",
    touch: "Finger: Druck wird nicht gemessen und nicht aufgezeichnet.",
    touchMeasured: "Finger: Druck wird gemessen und aufgezeichnet.",
    pen: "Stift: Druck wird gemessen und aufgezeichnet.",
  },
  figures: (milliseconds) => `${milliseconds} ms vom Zeiger zur Tinte`,
  ask: "Unterschrift anfordern",
  prompt: "Text",
  rows: "Zeilen",
  label: "Bezeichnung",
  value: "Wert",
  addRow: "Zeile hinzufügen",
  removeRow: "Zeile entfernen",
  signer: "Unterzeichner",
  reason: "Grund",
  submit: "Unterschrift anfordern",
  running: "Warte auf die Unterschrift",
  events: "Ereignisse",
  noEvents: "Hier erscheinen die Ereignisse der Unterschrift, wie sie kommen.",
  result: "Unterschrift",
  record: "Aufzeichnung",
  signature: "Die Unterschrift",
  sameCall: "Derselbe Aufruf",
  copy: "Kopieren",
  copied: "Kopiert",
  example: {
    prompt: "Ich habe die Lieferung erhalten.", rows: [["Auftrag", "4711"], ["Pakete", "2"]], signer: "Anna Müller",
    reason: "Liefernachweis",
  },
};

/** The first of the reader's languages that is known. */
export const language =
  navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase()).find((tag) => tag === "de" || tag === "en") ?? "en";

export const texts = language === "de" ? german : english;

/** Fills in the texts of elements with `data-text`, and the labels of those with `data-label`. */
export function translate(root) {
  document.documentElement.lang = language;
  for (const element of root.querySelectorAll("[data-text]")) element.textContent = texts[element.dataset.text];
  for (const element of root.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", texts[element.dataset.label]);
  }
}
