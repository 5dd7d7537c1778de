// SPDX-License-Identifier: Apache-2.0
// A seal that the reader kept elsewhere: without it, nobody sees whether later seals are missing.

import { blame, element } from "./dom.js";
import { code } from "./quote.js";
import { text } from "./words.js";

/** Its number, and the digest of its line. */
const HEAD = /^([1-9][0-9]{0,15}):([0-9a-f]{64})$/;

/** @param {{heads: string[], keep: (head: string) => void, drop: (head: string) => void}} hooks */
export function headSection({ heads, keep, drop }) {
  const said = element("p", { class: "reason", role: "alert", id: "head-said" });
  const typed = element("input", {
    id: "head", autocomplete: "off", autocapitalize: "off", spellcheck: "false", dir: "ltr", placeholder: "17:9f86d0…",
  });
  const submit = (event) => {
    event.preventDefault();
    const head = typed.value.replace(/\s/g, "").toLowerCase();
    if (HEAD.test(head)) keep(head);
    else blame(typed, said, text("headLine"));
  };
  // A digit that was typed wrongly must not stay a reason.
  const kept = heads.map((head) => element("p", { class: "buttons" }, code(head), element("button", {
    type: "button", onclick: () => drop(head),
  }, text("takeBack"))));
  return element("details", { class: "head", open: heads.length > 0 }, element("summary", {}, text("headTitle")), kept,
    element("form", { onsubmit: submit },
      element("label", { for: "head" }, text("headLine")),
      element("p", { class: "pair" }, typed, element("button", { type: "submit" }, text("compare"))), said));
}
