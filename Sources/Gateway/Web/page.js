// SPDX-License-Identifier: Apache-2.0
// The page of the virtual panel: the pad, a form that asks for a signature, the capture that the pad shows with its
// events and its result, and the form's call as source code.

import { Controls } from "./controls.js";
import { explain } from "./failures.js";
import { RequestForm } from "./form.js";
import { Inkpanel } from "./inkpanel.js";
import { Meter } from "./meter.js";
import { Pad } from "./pad.js";
import { Memory, Settings } from "./settings.js";
import { snippets } from "./snippets.js";
import { language, texts, translate } from "./texts.js";

const find = (id) => document.getElementById(id);
const RUNNING = "inkpanel.capture";
/** The panel's pages while a capture has it, and those on which it asks somebody for something. */
const ASKING = ["signing", "reading", "question", "handOver", "declining"];
const TAKEN = [...ASKING, "refused", "saving"];
// Milliseconds after which a signature without a capture is another program's: the gateway hears of its own later.
const FOREIGN = 600;

const memory = new Memory(() => sessionStorage);

/** The token of the address, which is then removed from it: addresses are copied and photographed. */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) {
    memory.set("inkpanel.token", token);
    history.replaceState(null, "", location.pathname);
  }
  return token ?? memory.get("inkpanel.token");
}

const token = takeToken();
const gateway = new Inkpanel({ token: token ?? "" });
const settings = new Settings(find("settings"), token, room, applySettings);
const form = new RequestForm(find("form"), find("rows"), find("add-row"), showSnippet);
let pad = null;
/** The page that the panel shows, by its name. */
let page = "";
/** The capture that this page follows. */
let capture = null;
/** Whether the pad is taken by a capture that this page cannot follow, as a program beside the panel makes it. */
let isForeign = false;
/** What is said while the page follows none. */
let rest = texts.idle;
let isRestarting = false;
/** The language of the snippet that is shown. */
let shown = "curl";

/** Moves the focus away from what is about to be hidden or disabled. */
function keepFocus(element) {
  if (element.contains(document.activeElement)) find("pad").focus({ preventScroll: true });
}

function bringIntoView(element) {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  element.scrollIntoView({ block: "nearest", behavior: isStill ? "auto" : "smooth" });
}

/** For whoever signs now; whoever types meanwhile keeps the place. */
function bringPadIntoView() {
  if (!document.activeElement.matches("input, textarea, select")) bringIntoView(find("pad"));
}

// MARK: The pad

function showLink(link = pad?.link ?? "waiting") {
  find("link").dataset.state = link;
  find("link").textContent = texts[link];
  if (link !== "connected") keepFocus(find("over"));
  // Otherwise a notice covers the pad.
  find("over").hidden = link !== "connected";
  if (link === "replaced") showNotice(texts.takenAway, texts.takeBack);
  else if (link === "connected") showNotice("");
}

/** @param {string} action  the text of a button; empty for none */
function showNotice(text, action = "") {
  if (!action) keepFocus(find("notice"));
  find("notice-text").textContent = text;
  find("take-back").textContent = action;
  find("take-back").hidden = !action;
  find("notice").hidden = !text;
}

/** Says in the tab that has the pad that another one had it. */
function sayTakenOver(isTakenOver) {
  find("taken-over").hidden = !isTakenOver;
  find("taken-over").textContent = isTakenOver ? texts.takenOver : "";
}

/** The room that the window has for the panel's screen. */
function room() {
  const isStacked = getComputedStyle(document.querySelector("main")).display === "flex";
  const { width } = find("pad").parentElement.parentElement.getBoundingClientRect();
  const [sides, lines] = isStacked ? [0, 150] : [112, 265];
  const space = innerHeight - (innerHeight < 500 ? 24 : lines);
  return { width: width - sides, height: Math.min(space, (width - sides) * 1.4) };
}

/** A running signature keeps the panel as it is; it is asked again when the pad is free. */
async function applySettings() {
  showSnippet();
  if (capture || !["idle", "sketch", "fault"].includes(page) || pad?.link !== "connected") return;
  if (await settings.apply()) isRestarting = true;
}

/**
 * Says why the panel is not shown: a WebSocket does not say why it fails, a request does.
 * @returns {Promise<boolean>} whether another try may help
 */
async function explainLink() {
  if (pad?.link === "connected") return true;
  if (isRestarting) {
    showNotice(texts.restarting);
    isRestarting = false;
    // In case it does not come back.
    setTimeout(explainLink, 4000);
    return true;
  }
  try {
    await gateway.status();
  } catch (error) {
    const isRefused = error.status === 401 || error.status === 429;
    if (isRefused) {
      pad?.refuse();
      showLink("refused");
    }
    const known = { unreachable: texts.noGateway, "panel-not-running": texts.noPanel };
    if (pad?.link !== "connected") showNotice(isRefused ? texts.wrongToken : known[error.reason] ?? explain(error, language));
    return !isRefused;
  }
  return true;
}

async function startPad() {
  find("pad").setAttribute("aria-label", texts.screen);
  showLink(token ? "waiting" : "refused");
  if (!token) return showNotice(texts.noToken);
  if (!await explainLink()) return;
  sayTakenOver(await settings.isTaken());
  pad = new Pad(find("pad"), token);
  new Controls(find("over"), find("pad"), find("spoken"), find("warning"), pad);
  pad.addEventListener("link", () => {
    if (pad.link === "replaced") sayTakenOver(false);
    if (pad.link === "connected") isRestarting = false;
    showLink();
    if (pad.link === "waiting") setTimeout(explainLink, 300);
    applySettings();
  });
  pad.addEventListener("size", () => {
    find("pad").closest(".stage").style.setProperty("--ratio", find("pad").width / find("pad").height);
  });
  find("take-back").addEventListener("click", async () => {
    sayTakenOver(await settings.isTaken());
    pad.reconnect();
  });
  pad.addEventListener("samples", () => {
    const { type, measures } = pad.sampler.last;
    const text = texts.pointer[type === "touch" && measures ? "touchMeasured" : type];
    if (find("pointer").textContent !== text) find("pointer").textContent = text;
  });
  // On the element, for measurements from outside.
  find("pad").meter = new Meter(pad, (milliseconds) => {
    find("figures").textContent = texts.figures(milliseconds);
  });
  followPanel();
  await settings.start();
  applySettings();
}

/** Follows what the panel shows, whoever asked for it, at the level of the mirror that shows no ink. */
async function followPanel() {
  while (pad.link !== "refused") {
    try {
      for await (const { event, data } of gateway.mirror({ level: "state" })) {
        page = data.page;
        const isWhole = event === "snapshot" || event === "resync";
        if (isWhole && data.capture) follow(data.capture.id);
        else if (!capture) showPage();
        applySettings();
      }
    } catch (error) {
      // The panel's configuration allows no mirror.
      if (error.reason === "unavailable") return;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

/** Says what the panel shows while this page follows no capture. */
function showPage() {
  const text = texts.pages[page];
  if (!TAKEN.includes(page)) setForeign(false);
  if (!ASKING.includes(page) || isForeign) return showState(text ?? rest);
  setTimeout(() => {
    if (capture || !ASKING.includes(page)) return;
    rest = texts.idle;
    showState(text);
    if (!isForeign) bringPadIntoView();
    setForeign(true);
  }, FOREIGN);
}

/** The pad would refuse another capture meanwhile. */
function setForeign(isTaken) {
  if (isTaken === isForeign) return;
  isForeign = isTaken;
  setRunning(isTaken);
}

// MARK: The form

/** @param {Error | null} error  of a call; null removes what is shown */
function showError(error) {
  form.blame(error?.problem?.errors?.[0]?.pointer ?? null);
  find("error").textContent = error ? explain(error, language, texts) : "";
  find("error").hidden = !error;
}

/** Uploads the document first. The panel has it when the capture begins, so the gateway may forget it. */
async function askWithDocument(request) {
  if (!request.document) return gateway.ask(request);
  const { id } = await gateway.upload(form.file);
  try {
    return await gateway.ask({ ...request, document: { ...request.document, id } });
  } finally {
    gateway.forget(id).catch(() => {});
  }
}

async function ask(event) {
  event.preventDefault();
  showError(null);
  keepFocus(find("form"));
  setRunning(true);
  try {
    const { id } = await askWithDocument(form.request(settings.language));
    find("pad").focus({ preventScroll: true });
    follow(id);
  } catch (error) {
    setRunning(capture !== null || isForeign);
    showError(error);
    if (!capture) find("submit").focus();
  }
}

// MARK: The capture

function showState(text) {
  if (find("state").textContent !== text) find("state").textContent = text;
}

function setRunning(isRunning) {
  if (isRunning) keepFocus(find("submit"));
  find("submit").disabled = isRunning;
  find("submit").textContent = isRunning ? texts.running : texts.submit;
}

/** Follows a capture to its end, if it is not followed already. */
async function follow(id) {
  if (id === capture) return;
  capture = id;
  isForeign = false;
  bringPadIntoView();
  memory.set(RUNNING, id);
  find("events").replaceChildren();
  keepFocus(find("result"));
  find("result").hidden = true;
  showError(null);
  setRunning(true);
  rest = texts.idle;
  try {
    await gateway.follow(id, { onChange: (change, name) => capture === id && receive(change, name) });
  } catch (error) {
    // It ended a while ago, or with the gateway.
    if (capture === id && error.status !== 404) showError(error);
  }
  if (capture !== id) return;
  capture = null;
  memory.remove(RUNNING);
  setRunning(false);
  showState(rest);
  applySettings();
}

/** Receives each change of the capture. */
function receive(change, name) {
  addEvent(name, change);
  const result = change.outcome?.result;
  showState(texts.state[result ?? change.state]);
  if (!result) return;
  rest = texts.state[result];
  if (result === "accepted") showResult(change.id, change.signed);
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

/** @param {boolean} isSigned  there is a signed document */
async function showResult(id, isSigned) {
  try {
    const files = { png: "signature.png", svg: "signature.svg", record: "record.jsonl" };
    if (isSigned) files.signed = "signed.pdf";
    for (const element of ["png", "svg", "record", "signed"]) {
      URL.revokeObjectURL(find(element).href);
      // A capture with several pages may have no picture.
      const file = files[element] && await gateway.file(id, files[element]).catch((error) => {
        if (error.status !== 422) throw error;
      });
      find(element).hidden = !file;
      if (file) find(element).href = URL.createObjectURL(file);
    }
    find("picture").parentElement.hidden = find("png").hidden;
    find("picture").src = find("png").href;
    find("picture").alt = texts.signature;
    find("result").hidden = false;
    await find("picture").decode().catch(() => {});
    if (!document.activeElement.matches("input, textarea, select")) bringIntoView(find("result"));
  } catch (error) {
    showError(error);
  }
}

function startCaptures() {
  showState(texts.idle);
  find("form").addEventListener("submit", ask);
  // Also where the panel has no mirror, a page that is loaded anew goes on.
  const running = memory.get(RUNNING);
  if (running && token) follow(running);
}

// MARK: The same call

function showSnippet() {
  const request = form.request(settings.language);
  find("snippet").firstElementChild.textContent = snippets[shown](location.origin, token ?? "TOKEN", request);
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
    try {
      await navigator.clipboard.writeText(find("snippet").textContent);
    } catch {
      // Pages over plain http have no clipboard.
      getSelection().selectAllChildren(find("snippet"));
      document.execCommand("copy");
    }
    // Screen readers do not read out a name that changes.
    for (const id of ["copy", "said"]) find(id).textContent = texts.copied;
    setTimeout(() => {
      find("copy").textContent = texts.copy;
      find("said").textContent = "";
    }, 1500);
  });
  showSnippet();
}

translate(document);
startSnippets();
startPad();
startCaptures();
