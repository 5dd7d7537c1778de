// SPDX-License-Identifier: Apache-2.0
// Elements in few words. Nothing here parses HTML: children are nodes, or texts of the page itself.

const SVG = "http://www.w3.org/2000/svg";

export const find = (id) => document.getElementById(id);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/**
 * @param {string} name
 * @param {Record<string, unknown>} [attributes]  those that begin with "on" are listeners
 * @param {...(Node | string | null | Array)} children
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function drawing(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

/** Says what is wrong with an input, and ties the words to it. */
export function blame(input, said, words) {
  said.textContent = words;
  input.setAttribute("aria-invalid", "true");
  input.setAttribute("aria-describedby", said.id);
}

const MARKS = {
  ok: "M5 12.5l4.5 4.5L19 7.5",
  wrong: "M6 6l12 12M18 6L6 18",
  unchecked: "M6 12h12",
};

/** A mark that differs by its shape, not by its colour alone. Its words are beside it. */
export function mark(state) {
  return drawing("svg", { class: "mark", viewBox: "0 0 24 24", "aria-hidden": "true" },
    drawing("circle", { cx: 12, cy: 12, r: 11 }), drawing("path", { d: MARKS[state] }));
}
