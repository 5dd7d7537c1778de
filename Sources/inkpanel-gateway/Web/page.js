// SPDX-License-Identifier: Apache-2.0
// The page of the virtual panel: the pad, a form that asks for a signature, its events, its result, and the same call
// as source code.

import { Inkpanel } from "./inkpanel.js";
import { Meter } from "./meter.js";
import { Pad } from "./pad.js";
import { snippets } from "./snippets.js";
import { language, texts, translate } from "./texts.js";

const find = (id) => document.getElementById(id);
const form = find("form");
const RUNNING = "inkpanel.capture";
const BUTTONS = ["cancel", "undo", "clear", "accept"];

/** The token of the address, which is then removed from it: addresses are copied and photographed. */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) {
    sessionStorage.setItem("inkpanel.token", token);
    history.replaceState(null, "", location.pathname);
  }
  return token ?? sessionStorage.getItem("inkpanel.token");
}

const token = takeToken();
const gateway = new Inkpanel({ token: token ?? "" });
let pad = null;
let capture = null;

// MARK: The pad

function showLink(link = pad?.link ?? "waiting") {
  find("link").dataset.state = link;
  find("link").textContent = texts[link];
  // Otherwise a notice covers the pad.
  find("buttons").hidden = link !== "connected";
  if (link === "replaced") showNotice(texts.takeBack);
  else if (link === "connected") showNotice("");
}

function showNotice(text) {
  find("notice").textContent = text;
  find("notice").hidden = !text;
}

/**
 * Says why the panel is not shown: a WebSocket does not say why it fails, a request does.
 * @returns {Promise<boolean>} whether another try may help
 */
async function explainLink() {
  try {
    await gateway.status();
  } catch (error) {
    const isRefused = error.status === 401 || error.status === 429;
    if (isRefused) {
      pad?.refuse();
      showLink("refused");
    }
    if (pad?.link !== "connected") {
      const known = { unreachable: texts.noGateway, "panel-not-running": texts.noPanel };
      showNotice(isRefused ? texts.wrongToken : known[error.reason] ?? error.message);
    }
    return !isRefused;
  }
  return true;
}

async function startPad() {
  find("pad").setAttribute("aria-label", texts.screen);
  showLink(token ? "waiting" : "refused");
  if (!token) return showNotice(texts.noToken);
  if (!await explainLink()) return;
  pad = new Pad(find("pad"), token);
  pad.addEventListener("link", () => {
    showLink();
    if (pad.link === "waiting") setTimeout(explainLink, 300);
  });
  find("notice").addEventListener("click", () => pad.reconnect());
  pad.addEventListener("samples", () => {
    const { type, measures } = pad.sampler.last;
    const text = texts.pointer[type === "touch" && measures ? "touchMeasured" : type];
    if (find("pointer").textContent !== text) find("pointer").textContent = text;
  });
  // On the element, for measurements from outside.
  find("pad").meter = new Meter(pad, (milliseconds) => {
    find("figures").textContent = texts.figures(milliseconds);
  });
  followButtons();
}

// MARK: The pad's buttons

/**
 * Lays real buttons over the drawn ones, for the keyboard and for screen readers. They touch the pad at their places,
 * and pointers go through them, so each press acts once.
 * @param {{size: object, buttons: object[]} | null} shown the capture that the panel shows
 */
function placeButtons(shown) {
  for (const button of BUTTONS) {
    const element = find(button);
    const drawn = shown?.buttons.find((other) => other.button === button);
    element.hidden = !drawn;
    if (!drawn) continue;
    const { x, y, width, height } = drawn.rectangle;
    const { size } = shown;
    element.style.left = 100 * x / size.width + "%";
    element.style.top = 100 * y / size.height + "%";
    element.style.width = 100 * width / size.width + "%";
    element.style.height = 100 * height / size.height + "%";
    element.setAttribute("aria-label", drawn.label ?? texts[button]);
    element.onclick = () => pad.tap((x + width / 2) / size.width, (y + height / 2) / size.height);
  }
}

/** Follows the panel's pages at the level of the mirror that shows no ink. */
async function followButtons() {
  while (pad.link !== "refused") {
    try {
      for await (const { event, data } of gateway.mirror({ level: "state" })) {
        if (event === "snapshot" || event === "resync") placeButtons(data.capture ?? null);
      }
    } catch (error) {
      // The panel's configuration allows no mirror.
      if (error.reason === "unavailable") return;
    }
    placeButtons(null);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

// MARK: The form

function addRow(label = "", value = "") {
  const row = document.createElement("div");
  row.className = "row";
  for (const [name, text] of [["label", label], ["value", value]]) {
    const input = document.createElement("input");
    input.dataset.part = name;
    input.value = text;
    input.maxLength = 200;
    input.placeholder = texts[name];
    input.setAttribute("aria-label", texts[name]);
    row.append(input);
  }
  const remove = document.createElement("button");
  remove.type = "button";
  remove.className = "remove";
  remove.textContent = "×";
  remove.setAttribute("aria-label", texts.removeRow);
  remove.addEventListener("click", () => {
    row.remove();
    find("add-row").hidden = false;
    find("add-row").focus();
    showSnippet();
  });
  row.append(remove);
  find("rows").append(row);
  find("add-row").hidden = find("rows").children.length >= 4;
  return row;
}

/** The body of POST /v1/captures. */
function request() {
  const { prompt, signer, reason } = Object.fromEntries(new FormData(form));
  const rows = [...find("rows").children]
    .map((row) => ({
      label: row.querySelector("[data-part=label]").value.trim(),
      value: row.querySelector("[data-part=value]").value.trim(),
    }))
    .filter((row) => row.label || row.value);
  const body = {};
  const lines = prompt.split("\n").map((line) => line.trim()).filter(Boolean);
  if (lines.length) body.prompt = lines;
  if (rows.length) body.rows = rows;
  if (signer.trim()) body.signer = signer.trim();
  if (reason.trim()) body.reason = reason.trim();
  body.language = language;
  return body;
}

function showError(text) {
  find("error").textContent = text;
  find("error").hidden = !text;
}

async function ask(event) {
  event.preventDefault();
  showError("");
  find("submit").disabled = true;
  try {
    await gateway.capture(request(), { onChange: receive });
  } catch (error) {
    showError(error.message);
    showState(texts.idle);
  }
  end();
}

function startForm() {
  form.elements.prompt.value = texts.example.prompt;
  form.elements.signer.value = texts.example.signer;
  form.elements.reason.value = texts.example.reason;
  for (const [label, value] of texts.example.rows) addRow(label, value);
  form.addEventListener("submit", ask);
  form.addEventListener("input", showSnippet);
  find("add-row").addEventListener("click", () => addRow().querySelector("input").focus());
}

// MARK: The capture

function showState(text) {
  if (find("state").textContent !== text) find("state").textContent = text;
}

function setRunning(isRunning) {
  find("submit").disabled = isRunning;
  find("submit").textContent = isRunning ? texts.running : texts.submit;
}

/** Receives each change of the capture. */
function receive(change, name) {
  if (change.id !== capture) begin(change.id);
  addEvent(name, change);
  const result = change.outcome?.result;
  showState(texts.state[result ?? change.state]);
  if (result === "accepted") showResult(change.id);
}

function begin(id) {
  capture = id;
  sessionStorage.setItem(RUNNING, id);
  find("events").replaceChildren();
  find("result").hidden = true;
  setRunning(true);
  find("pad").scrollIntoView({ block: "nearest" });
}

function end() {
  capture = null;
  sessionStorage.removeItem(RUNNING);
  setRunning(false);
}

/** Goes on with the capture that ran when the page was left. */
async function resume() {
  const running = sessionStorage.getItem(RUNNING);
  if (!running) return;
  try {
    await gateway.follow(running, { onChange: receive });
  } catch {
    // It ended a while ago.
  }
  end();
}

function addEvent(name, data) {
  const list = find("events");
  const item = document.createElement("li");
  const [time, title, content] = ["time", "strong", "code"].map((tag) => document.createElement(tag));
  time.textContent = new Date().toTimeString().slice(0, 8);
  title.textContent = name;
  // With spaces, so that lines break there.
  content.textContent = JSON.stringify(data, null, 1).replaceAll(/\n */g, " ");
  item.append(time, title, content);
  list.append(item);
  list.hidden = false;
  find("no-events").hidden = true;
  list.scrollTop = list.scrollHeight;
}

async function showResult(id) {
  try {
    const [png, svg, record] = await Promise.all(
      ["signature.png", "signature.svg", "record.jsonl"].map((file) => gateway.file(id, file)));
    for (const [element, file] of [["png", png], ["svg", svg], ["record", record]]) {
      URL.revokeObjectURL(find(element).href);
      find(element).href = URL.createObjectURL(file);
    }
    find("picture").src = find("png").href;
    find("picture").alt = texts.signature;
    find("result").hidden = false;
  } catch (error) {
    showError(error.message);
  }
}

function startCaptures() {
  showState(texts.idle);
  resume();
}

// MARK: The same call

let shown = "curl";

function showSnippet() {
  find("snippet").firstElementChild.textContent = snippets[shown](location.origin, token ?? "TOKEN", request());
}

function startSnippets() {
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const select = (tab) => {
    shown = tab.id.slice(4);
    for (const other of tabs) {
      other.setAttribute("aria-selected", String(other === tab));
      other.tabIndex = other === tab ? 0 : -1;
    }
    find("snippet").setAttribute("aria-labelledby", tab.id);
    find("snippet").scrollTop = 0;
    showSnippet();
  };
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      select(next);
      next.focus();
    });
  });
  find("copy").addEventListener("click", async () => {
    await navigator.clipboard.writeText(find("snippet").textContent);
    find("copy").textContent = texts.copied;
    setTimeout(() => { find("copy").textContent = texts.copy; }, 1500);
  });
  showSnippet();
}

translate(document);
startForm();
startSnippets();
startPad();
startCaptures();
