// SPDX-License-Identifier: Apache-2.0
// The key's fingerprint, large, and how its reader finds out whose it is. What the reader states counts as stated.

import { blame, element } from "./dom.js";
import { quote } from "./quote.js";
import { sentence, text } from "./words.js";

const NAME = "SHA256:";

/** In groups of four, as the pad shows it; what a seal states otherwise is a text of a file. */
function groups(fingerprint) {
  if (!/^SHA256:[A-Za-z0-9+/]{43}$/.test(fingerprint)) return element("p", { class: "fingerprint" }, quote(fingerprint, { code: true }));
  const body = fingerprint.slice(NAME.length);
  return element("p", { class: "fingerprint", dir: "ltr" }, element("span", {}, NAME),
    (body.match(/.{1,4}/gsu) ?? []).map((group) => [" ", element("span", {}, group)]));
}

const plain = (typed) => typed.replace(/\s/g, "").replace(/^SHA256:/i, "").replace(/=$/, "");

function comparison({ fingerprint }, { confirm }) {
  const said = element("p", { class: "reason", role: "alert", id: "typed-said" });
  const typed = element("input", {
    id: "typed", autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "ltr", placeholder: `${NAME}…`,
  });
  const compared = element("input", { type: "checkbox", id: "compared" });
  const submit = (event) => {
    event.preventDefault();
    if (typed.value.trim() && plain(typed.value) !== plain(fingerprint)) blame(typed, said, text("otherKey"));
    else if (typed.value.trim() || compared.checked) confirm(fingerprint, true);
    else blame(typed, said, text("compareFirst"));
  };
  return element("form", { class: "compare", onsubmit: submit },
    element("label", { for: "typed" }, text("typeFingerprint")),
    element("p", { class: "pair" }, typed, element("button", { type: "submit" }, text("compare"))),
    element("label", { class: "tick", for: "compared" }, compared, element("span", {}, text("comparedByEye"))), said);
}

/**
 * @param {object} report
 * @param {{confirm: (fingerprint: string, isSame: boolean) => void}} hooks
 */
export function keySection(report, hooks) {
  const { key } = report;
  const isStated = !key.known && key.confirmed;
  let state = text("keyUnknown");
  if (key.refused) state = text("fact.keyTime.unchecked");
  else if (key.known) state = sentence("keyKnown", { name: key.name ?? "" });
  else if (isStated) state = text("keyStated");
  return element("section", { class: "key" },
    element("h2", {}, text("key")), groups(key.fingerprint), element("p", {}, state),
    element("details", { open: !key.known && !isStated }, element("summary", {}, text("howToCompare")),
      element("ul", {}, ["compareList", "comparePaper", "comparePad"].map((name) => element("li", {}, text(name)))),
      key.known || key.refused || isStated ? null : comparison(key, hooks)),
    isStated ? element("p", { class: "buttons" }, element("button", {
      type: "button", onclick: () => hooks.confirm(key.fingerprint, false),
    }, text("takeBack"))) : null);
}
