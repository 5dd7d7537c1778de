// SPDX-License-Identifier: Apache-2.0
// The panel's page in words, and real controls over the drawn ones, for the keyboard and for screen readers. The panel
// says what there is and what it means; pointers go through to the drawn page, so each press acts once.

import { texts } from "./texts.js";

/** Steps of the view of a document. */
const STEPS = {
  ArrowUp: 1, ArrowDown: 2, PageUp: 3, PageDown: 4, Home: 5, End: 6, ArrowLeft: 7, ArrowRight: 8,
  "+": 9, "=": 9, "-": 10, 0: 11,
};

/** Steps by the wheel, down and across: back, on. */
const WHEEL = { deltaY: [1, 2], deltaX: [7, 8] };
/** The panel moves by this part of the screen's height or width. */
const STEP = 1 / 8;

export class Controls {
  #page = null;
  /** Parts of steps that the wheel has turned. */
  #turned = { deltaY: 0, deltaX: 0 };
  #elements = new Map();
  #text = "";
  /** The control that had the focus when the document's page was left. */
  #left = null;

  /**
   * @param {HTMLElement} over  lies over the screen
   * @param {HTMLCanvasElement} screen  takes the focus when a page has nothing else for it
   * @param {HTMLElement} spoken  is read out when it changes
   * @param {HTMLElement} warning  is read out at once
   * @param {import("./pad.js").Pad} pad
   */
  constructor(over, screen, spoken, warning, pad) {
    Object.assign(this, { over, screen, spoken, warning, pad });
    this.words = over.querySelector(".words");
    this.position = over.querySelector(".position");
    this.group = over.querySelector("[role=group]");
    this.position.setAttribute("aria-label", texts.position);
    pad.addEventListener("page", (event) => this.#show(event.detail));
    over.parentElement.addEventListener("keydown", (event) => this.#receiveKey(event));
    over.parentElement.addEventListener("wheel", (event) => this.#turn(event), { passive: false });
  }

  #show(page) {
    const isOther = page.number !== this.#page?.number;
    const focused = this.over.contains(document.activeElement) ? document.activeElement : null;
    if (isOther && this.#page?.document) this.#left = focused?.id || null;
    // The next person begins at the beginning.
    if (page.page === "handOver" || page.controls.length === 0) this.#left = null;
    this.#page = page;
    this.over.dataset.page = page.page;
    for (const element of [this.over, this.spoken, this.warning]) {
      element.lang = page.language ?? "";
      element.dir = page.direction === "right-to-left" ? "rtl" : "ltr";
    }
    this.#showWords();
    this.#showControls();
    if (focused && (isOther || !focused.isConnected || focused.hidden)) this.#focus(isOther);
    say(this.spoken, page.announcement);
    say(this.warning, page.notice);
  }

  #showWords() {
    const { document: read, texts: words } = this.#page;
    const text = [...words, ...(read?.texts ?? [])].join("\n\n");
    if (text !== this.#text) {
      this.#text = text;
      const paragraphs = text.split(/\n\s*\n/).filter((part) => part.trim());
      const element = (textContent) => Object.assign(document.createElement("p"), { textContent });
      this.words.replaceChildren(...paragraphs.map(element));
    }
    this.position.hidden = !read;
    if (!read) return;
    this.#place(this.position, read.place);
    this.position.setAttribute("aria-valuemax", read.pages);
    this.position.setAttribute("aria-valuenow", read.page);
    this.position.setAttribute("aria-valuetext", read.label);
  }

  /** Changes no element that is there already, so that the focus stays. */
  #showControls() {
    const groups = new Map();
    const shown = new Map();
    for (const control of this.#page.controls) {
      const id = /^(option|field)$/.test(control.name) ? `${control.name}-${control.id}` : control.name;
      const kind = control.kind + (control.group ?? "");
      const old = this.#elements.get(id);
      const element = old?.dataset.kind === kind ? old : this.#make(control, id, kind);
      this.#update(element, control);
      shown.set(id, element);
      if (control.group === undefined) {
        groups.set(element, null);
      } else {
        const key = "group-" + control.group;
        const group = shown.get(key) ?? this.#elements.get(key) ?? document.createElement("div");
        group.setAttribute("role", "radiogroup");
        group.setAttribute("aria-label", control.groupLabel ?? "");
        group.setAttribute("aria-required", String(control.isRequired === true));
        shown.set(key, group);
        groups.set(group, [...(groups.get(group) ?? []), element]);
      }
    }
    for (const [id, element] of this.#elements) if (shown.get(id) !== element) element.remove();
    this.#elements = shown;
    order(this.group, [...groups.keys()]);
    for (const [group, elements] of groups) if (elements) order(group, elements);
  }

  #make(control, id, kind) {
    const element = document.createElement(control.kind === "button" ? "button" : "input");
    element.type = { button: "button", check: "checkbox", choice: "radio" }[control.kind];
    if (control.group !== undefined) element.name = "group-" + control.group;
    element.id = id;
    element.dataset.kind = kind;
    element.addEventListener("click", (event) => {
      // The panel says what is chosen then.
      if (control.kind !== "button") event.preventDefault();
      this.pad.press(this.#page.number, Number(element.dataset.control));
    });
    return element;
  }

  #update(element, control) {
    element.dataset.control = control.id;
    element.setAttribute("aria-label", control.label);
    if (control.isEnabled) element.removeAttribute("aria-disabled");
    else element.setAttribute("aria-disabled", "true");
    if (control.kind === "check") element.setAttribute("aria-required", String(control.isRequired === true));
    // Not while a click is under way, which would undo it.
    if (control.kind !== "button") setTimeout(() => { element.checked = control.isChosen === true; });
    this.#place(element, control.place);
  }

  #place(element, { x, y, width, height }) {
    const [across, down] = [this.screen.width, this.screen.height];
    element.style.left = 100 * x / across + "%";
    element.style.top = 100 * y / down + "%";
    element.style.width = 100 * width / across + "%";
    element.style.height = 100 * height / down + "%";
  }

  /** Moves the focus on, when what had it is gone or of another page. */
  #focus(isOther) {
    const { document: read, controls } = this.#page;
    const before = isOther && read ? this.#elements.get(this.#left) : null;
    const next = before ?? (read ? this.position : controls.length ? this.words : this.screen);
    next.focus({ preventScroll: true });
  }

  #receiveKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    // A key that is held presses the button of one page, not also that of the next.
    if (event.repeat && (event.key === "Enter" || event.key === " ")) return event.preventDefault();
    const step = STEPS[event.key];
    if (!step || !this.#page?.document) return;
    // There, arrows choose.
    if (event.target.type === "radio" && event.key.startsWith("Arrow")) return;
    event.preventDefault();
    this.pad.move(step);
  }

  /** A document scrolls as far as the wheel would scroll a page of the browser. */
  #turn(event) {
    // With Ctrl, and so when two fingers on a touch pad pinch, the browser's own zoom.
    if (event.ctrlKey || !this.#page?.document) return;
    event.preventDefault();
    for (const [delta, steps] of Object.entries(WHEEL)) {
      const length = delta === "deltaY" ? this.screen.clientHeight : this.screen.clientWidth;
      // In pixels, lines or screens.
      const unit = [1, 16, length][event.deltaMode];
      const turned = this.#turned[delta] + event[delta] * unit / (length * STEP);
      const count = Math.trunc(turned);
      this.#turned[delta] = turned - count;
      // More than a screen at once is a faulty mouse.
      for (let step = 0; step < Math.min(Math.abs(count), 1 / STEP); step++) this.pad.move(steps[count > 0 ? 1 : 0]);
    }
  }
}

function say(element, text = "") { if (element.textContent !== text) element.textContent = text; }

/** Brings children into an order. Those that stay are not moved. */
function order(parent, children) {
  children.forEach((child, index) => {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null);
  });
}
