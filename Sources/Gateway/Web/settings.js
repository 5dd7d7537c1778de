// SPDX-License-Identifier: Apache-2.0
// What a visitor chooses for the virtual panel: language, colours, size, pen and page. They are settings of the panel's
// configuration, so the panel starts anew with them; its page keeps the choices.

import { language, texts } from "./texts.js";

const PATH = "/v1/virtual/look";
const CHOICES = "inkpanel.look";
/** Of panels that are sold, with their pixels per inch. */
const SIZES = {
  "1280x720": 150, "1920x1080": 141, "1024x600": 170, "800x480": 133, "480x320": 165, "720x1280": 150,
};
/** Pixels of a side that the gateway accepts. */
const [LEAST, MOST] = [240, 2560];
/**
 * A panel of the window's size keeps it when the window has grown so little, as when a phone's address bar goes. It never
 * stays larger than the window: its buttons would become smaller.
 */
const GROWTH = { width: 0.02, height: 0.15 };

/** What the browser keeps; if it keeps nothing, for as long as the page is open. */
export class Memory {
  #kept = new Map();
  #storage;

  /** @param {() => Storage} storage  a browser may refuse even to name it */
  constructor(storage) { this.#storage = storage; }

  /** @returns {string | null} */
  get(key) {
    try {
      return this.#storage().getItem(key);
    } catch {
      return this.#kept.get(key) ?? null;
    }
  }

  set(key, value) {
    try {
      this.#storage().setItem(key, value);
    } catch {
      this.#kept.set(key, value);
    }
  }

  remove(key) {
    this.#kept.delete(key);
    try {
      this.#storage().removeItem(key);
    } catch {
      // It keeps nothing.
    }
  }
}

export class Settings {
  /** What the panel has; null if its settings cannot be changed. */
  #panel = null;
  #dark = matchMedia("(prefers-color-scheme: dark)");
  #memory = new Memory(() => localStorage);

  /**
   * @param {HTMLFormElement} form  with the selects language, theme, size, pen and page
   * @param {string} token
   * @param {() => {width: number, height: number}} room  for the panel's screen, in CSS pixels
   * @param {() => void} changed  is called when something else is wanted
   */
  constructor(form, token, room, changed) {
    this.form = form;
    this.token = token;
    this.room = room;
    this.changed = changed;
  }

  /** Whether another page has the panel. */
  async isTaken() {
    return (await this.#call("GET"))?.hasPage === true;
  }

  /** Shows the choices, if the gateway can change the panel's settings. */
  async start() {
    const panel = await this.#call("GET");
    if (!panel?.languages) return;
    this.#panel = panel;
    const { languages, themes, pens } = panel;
    this.#fill("language", languages.map((tag) => [tag, ownName(tag)]), preferred(languages) ?? panel.language);
    const colours = ["auto", ...themes].map((name) => [name, texts.themes[name] ?? name]);
    this.#fill("theme", colours, "auto");
    this.#fill(
      "size", [["window", texts.window], ...Object.keys(SIZES).map((size) => [size, size.replace("x", " × ")])],
      matchMedia("(max-width: 820px), (max-height: 500px)").matches ? "window" : "1280x720");
    this.#fill("pen", pens.map((name) => [name, name]), panel.pen);
    this.#fill("page", panel.pages.map((name) => [name, texts.idlePages[name]]), panel.page);
    this.#showLacking();
    this.form.hidden = false;
    this.form.addEventListener("change", () => {
      const choices = Object.fromEntries(new FormData(this.form));
      this.#memory.set(CHOICES, JSON.stringify(choices));
      this.#showLacking();
      this.changed();
    });
    this.#dark.addEventListener("change", () => this.changed());
    let resized = 0;
    addEventListener("resize", () => {
      clearTimeout(resized);
      resized = setTimeout(() => this.changed(), 400);
    });
  }

  /** Says that the chosen language would be boxes. */
  #showLacking() {
    const note = document.getElementById("no-font");
    note.hidden = !this.#panel.lacking.includes(this.language);
    note.textContent = note.hidden ? "" : texts.noFont(ownName(this.language));
  }

  /** The language to ask for signatures in. */
  get language() { return this.#panel ? this.form.elements.language.value : language; }

  /**
   * Gives the panel the settings that are chosen.
   * @returns {Promise<boolean>} whether it starts anew with them
   */
  async apply() {
    if (!this.#panel) return false;
    // Another tab may have changed them.
    this.#panel = await this.#call("GET") ?? this.#panel;
    const wanted = this.#wanted();
    const different = Object.entries(wanted).filter(([name, value]) => this.#panel[name] !== value);
    if (different.length === 0) return false;
    const changed = await this.#call("PUT", Object.fromEntries(different));
    // A panel on which somebody signs refuses it; the page asks again later.
    if (!changed) return false;
    this.#panel = changed;
    return true;
  }

  #wanted() {
    const { language, theme, size, pen, page } = Object.fromEntries(new FormData(this.form));
    const wanted = { language, pen, page, theme: theme === "auto" ? (this.#dark.matches ? "dark" : "light") : theme };
    if (size !== "window") return { ...wanted, size, dpi: SIZES[size] };
    const scale = Math.min(2, Math.max(1, devicePixelRatio));
    const room = this.room();
    const sides = [room.width, room.height].map((side) => Math.round(Math.min(MOST, Math.max(LEAST, side * scale))));
    // A CSS pixel is a 96th of an inch, so that the buttons have 44 of them or more.
    const [dpi, before] = [96 * scale, (this.#panel.size ?? "").split("x").map(Number)];
    const isClose = [GROWTH.width, GROWTH.height].every((growth, index) =>
      before[index] <= sides[index] && before[index] >= sides[index] * (1 - growth));
    return { ...wanted, size: isClose && this.#panel.dpi === dpi ? this.#panel.size : sides.join("x"), dpi };
  }

  #fill(name, options, usual) {
    const select = this.form.elements[name];
    select.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
    // Screen readers pronounce each in its own language.
    if (name === "language") for (const option of select.options) option.lang = option.value;
    const kept = this.#choices[name];
    select.value = options.some(([value]) => value === kept) ? kept : usual;
  }

  /** Those of an earlier visit; of whoever else may write there, too. */
  get #choices() {
    try {
      return JSON.parse(this.#memory.get(CHOICES)) ?? {};
    } catch {
      return {};
    }
  }

  /** @returns {Promise<object | null>} null for a gateway without settings, or one that refuses them now */
  async #call(method, body) {
    const headers = { authorization: "Bearer " + this.token, ...(body && { "content-type": "application/json" }) };
    try {
      const answer = await fetch(PATH, { method, headers, body: body && JSON.stringify(body), cache: "no-store" });
      return answer.ok ? await answer.json() : null;
    } catch {
      return null;
    }
  }
}

/** The name of a language in this language, as its readers look for it, with a capital where it has them. */
function ownName(tag) {
  // Chromium has no words of these.
  const name = { ga: "Gaeilge", mt: "Malti" }[tag] ?? new Intl.DisplayNames([tag], { type: "language" }).of(tag);
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
}

/** The reader's first language that the panel has. */
function preferred(tags) {
  for (const wanted of navigator.languages) {
    try {
      const { language, script } = new Intl.Locale(wanted).maximize();
      const tag = [wanted, `${language}-${script}`, language].find((tag) => tags.includes(tag));
      if (tag) return tag;
    } catch {
      // A tag that is none, such as en-US@posix.
    }
  }
  return undefined;
}
