// SPDX-License-Identifier: Apache-2.0
// Takes files, lets a worker check them, and shows its report.

import { find, element } from "./dom.js";
import { filesOf, entriesOf } from "./intake.js";
import { quote } from "./quote.js";
import { show } from "./report.js";
import { currentLanguage, languages, measure, preferred, readTexts, sentence, setLanguage, text } from "./words.js";

/** The worker's program; put in by the build. */
import program from "worker-source";

const MOST_FILES = 2000;
/** Milliseconds after which a progress bar appears: shorter work only flickers. */
const PATIENCE = 300;

/** `batch`: which were dropped or chosen together. @type {{path: string, file: File, batch: number}[]} */
let files = [];
let batches = 0;
/** Paths that are too deep in folders to be read. @type {string[]} */
let unread = [];
let identity = "";
/** The fingerprints that the reader says to have compared: a panel may have had several keys. @type {string[]} */
let confirmed = [];
/** Seals that the reader has kept, as NUMBER:DIGEST. @type {string[]} */
let heads = [];
/** The record that is shown, of several. */
let chosen = null;
/** @type {Worker | null} */
let worker = null;
let timer = 0;
/** What the page shows, to show it again in another language. */
let shown = null;

const source = URL.createObjectURL(new Blob([program], { type: "text/javascript" }));

function announce(words) {
  find("announcement").textContent = words;
}

function setWorking(isWorking) {
  clearTimeout(timer);
  if (isWorking) {
    find("progress").value = 0;
    timer = setTimeout(() => {
      find("working").hidden = false;
      announce(text("working"));
    }, PATIENCE);
  } else {
    if (find("stop") === document.activeElement) find("choose").focus();
    find("working").hidden = true;
  }
  find("report").setAttribute("aria-busy", String(isWorking));
}

function end() {
  worker?.terminate();
  worker = null;
  setWorking(false);
}

/** @param {string} [focused]  the element that has the focus afterwards, in place of the verdict */
function run(focused) {
  end();
  present(null);
  showFiles();
  if (!files.length && !unread.length) return;
  setWorking(true);
  worker = new Worker(source);
  worker.onmessage = ({ data }) => {
    if (data.fraction !== undefined) {
      find("progress").value = data.fraction;
      return;
    }
    end();
    present(data, { focused });
  };
  worker.onerror = (event) => {
    event.preventDefault();
    end();
    present({ failed: "failed", detail: event.message ?? "" });
  };
  const given = files.map(({ path, file, batch }) => ({ name: path, file, batch }));
  worker.postMessage({ files: given, unread, identity, confirmed, heads, chosen });
}

function present(result, { keepsFocus = false, focused } = {}) {
  shown = result;
  const isShown = result !== null;
  find("report").hidden = !isShown;
  find("print").hidden = !isShown;
  find("report").replaceChildren();
  if (!isShown) return announce("");
  const needsIdentity = (result.report?.facts ?? []).some(({ code }) => ["contents", "signedContents"].includes(code));
  find("identity-form").hidden = !needsIdentity && !identity;
  const hooks = {
    confirm: (fingerprint, isSame) => {
      confirmed = [...confirmed.filter((other) => other !== fingerprint), ...(isSame ? [fingerprint] : [])];
      run();
    },
    heads,
    keep: (head) => {
      heads = [...heads.filter((other) => other !== head), head];
      run();
    },
    drop: (head) => {
      heads = heads.filter((other) => other !== head);
      run();
    },
    choose: (id) => {
      chosen = id;
      // Keys go through the list of records.
      run("record");
    },
  };
  let heading;
  try {
    heading = show(find("report"), result, hooks);
  } catch (error) {
    find("report").replaceChildren();
    heading = show(find("report"), { failed: "failed", detail: String(error.message) }, hooks);
  }
  announce(heading.textContent);
  if (focused && find(focused)) {
    find(focused).focus();
  } else if (!keepsFocus) {
    heading.focus({ preventScroll: true });
    heading.closest("section").scrollIntoView({ block: "start" });
  }
}

function showFiles() {
  find("anew").hidden = !files.length && !unread.length;
  find("dropped").hidden = !files.length;
  const listed = files.slice(0, 50).map((each, index) => {
    const { path, file } = each;
    const [name, id] = [quote(path, { code: true, longest: 120 }), `remove-${index}`];
    name.id = `name-${index}`;
    const remove = element("button", {
      type: "button", class: "remove", id, "aria-label": text("remove"), "aria-labelledby": `${id} ${name.id}`, onclick: () => {
        files = files.filter((other) => other !== each);
        find("choose").focus();
        run();
      },
    }, "×");
    return element("li", {}, name, " ",
      element("span", { class: "soft" }, measure(file.size / 1000, "kilobyte")), remove);
  });
  if (files.length > 50) listed.push(element("li", {}, `+${files.length - 50}`));
  find("dropped").replaceChildren(...listed);
}

/** Beside those that are there: a file of the same name replaces none silently. */
function add({ found, unread: deep = [] }) {
  if (!found.length && !deep.length) return;
  if (files.length + found.length > MOST_FILES || unread.length + deep.length > MOST_FILES) {
    present({ failed: "tooMuch", detail: "" });
    return;
  }
  batches += 1;
  files = [...files, ...found.map((each) => ({ ...each, batch: batches }))];
  unread = [...unread, ...deep];
  run();
}

function takeDrops() {
  const target = document.documentElement;
  let depth = 0;
  const setOver = (isOver) => find("intake").classList.toggle("over", isOver);
  target.addEventListener("dragenter", (event) => {
    event.preventDefault();
    depth += 1;
    setOver(true);
  });
  target.addEventListener("dragleave", () => {
    depth -= 1;
    setOver(depth > 0);
  });
  target.addEventListener("dragover", (event) => event.preventDefault());
  target.addEventListener("drop", async (event) => {
    event.preventDefault();
    depth = 0;
    setOver(false);
    try {
      add(await entriesOf(event.dataTransfer, MOST_FILES + 1));
    } catch (error) {
      present({ failed: "failed", detail: String(error.message) });
    }
  });
}

function showWords() {
  setLanguage(find("language").value);
  find("frames").replaceChildren(...sentence("frames", { example: quote("abc") }));
  showFiles();
  if (shown) present(shown, { keepsFocus: true });
}

async function begin() {
  await readTexts();
  const language = preferred(navigator.languages);
  find("language").replaceChildren(
    ...languages().map(([tag, name]) => element("option", { value: tag, lang: tag, selected: tag === language }, name)));
  find("language").addEventListener("change", showWords);
  find("choose").addEventListener("click", () => find("files").click());
  find("choose-folder").addEventListener("click", () => find("folder").click());
  for (const id of ["files", "folder"]) {
    find(id).addEventListener("change", () => {
      add({ found: filesOf(find(id).files) });
      find(id).value = "";
    });
  }
  find("stop").addEventListener("click", () => {
    end();
    present({ failed: "stopped", detail: "" });
  });
  find("anew").addEventListener("click", () => {
    [files, unread] = [[], []];
    [identity, confirmed, heads, chosen] = ["", [], [], null];
    find("identity").value = "";
    find("identity-form").hidden = true;
    find("choose").focus();
    run();
  });
  find("print").addEventListener("click", () => print());
  find("identity-form").addEventListener("submit", (event) => {
    event.preventDefault();
    identity = find("identity").value;
    run();
  });
  takeDrops();
  showWords();
  document.documentElement.dataset.language = currentLanguage();
}

begin();
