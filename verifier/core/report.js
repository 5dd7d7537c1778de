// SPDX-License-Identifier: Apache-2.0
/** What the page shows of a record: its parts with plain numbers. */
import { withDoubles } from "./json.js"

/**
 * A record. `header` and `end` are its JSON. Times `t` count in microseconds from `header.startedAtDeviceTime`, others
 * are microseconds since 1970. `strokes` are all, also undone ones (`counts`). Without `people` there is one person.
 * @typedef {{header: any, end: any, outcome: "accepted"|"cancelled"|"timedOut"|"interrupted",
 *     strokes: import("./record.js").Stroke[], inAir: import("./record.js").Samples[],
 *     actions: {action: string, t: number}[], spoken: {text: string, t: number}[],
 *     people: {role?: string, name?: string, sees?: string, seen?: {pages: number[], toEnd: boolean},
 *         seconds?: number}[],
 *     answers: {name: string, text?: string, value: string|number|boolean, person: number}[],
 *     fields: {name: string, person: number, same?: string, part?: string, heard?: boolean,
 *         entered?: {name: string, by: "person"|"staff", reason?: string}, host?: boolean}[],
 *     pages: {number: number, width: number, height: number, sha256: string}[],
 *     events: {kind: string, t: number, value: any}[]}} Record
 */

/** @param {import("./record.js").Reading} reading  @returns {Record} */
function shown({ header, end, strokes, inAir, actions, spoken, events, flow }) {
  const questions = new Map((flow?.questions ?? []).map(question => [question.name.normalize("NFC"), question.text]))
  const { signer } = header.request
  return {
    header: withDoubles(header), end: end && withDoubles(end), outcome: end?.outcome ?? "interrupted",
    strokes, inAir, actions, spoken,
    // Of one person without a role, only the request has the name.
    people: flow ? flow.people.map((person, index) => ({
      ...person, ...(person.role === undefined && signer !== undefined && { name: signer }),
      ...(flow.seen[index] && { seen: flow.seen[index] }),
      ...(end?.reading && { seconds: Number(end.reading[index].seconds) })
    })) : [signer === undefined ? {} : { name: signer }],
    answers: [...(flow?.answers.entries() ?? [])].map(([name, answer]) => ({
      ...answer, value: typeof answer.value === "bigint" ? Number(answer.value) : answer.value,
      ...(questions.has(name) && { text: questions.get(name) })
    })),
    fields: [...(flow?.inks.values() ?? [])].map(({ name, person, same, part, heard, entered, host }) => ({
      name, person, ...(same !== undefined && { same }), ...(part !== undefined && { part }), ...(heard && { heard }),
      ...(entered && { entered }), ...(host && { host })
    })),
    pages: [...(flow?.pages.values() ?? [])].map(withDoubles), events
  }
}

/** The verdict about one of several captures: what is wrong with, or missing of, its own files. */
export function verdictOf({ id, names, isChecked }, facts) {
  const own = facts.filter(({ about, values }) => names.includes(about) || values.id === id)
  if (own.some(({ state }) => state === "wrong")) return "changed"
  return isChecked && !own.some(({ needed }) => needed) ? "genuine" : "undecided"
}

/** @returns {import("./check.js").Report} */
export function describe(verdict, facts, captures, keys, files) {
  const described = captures.map(({ id, reading, sealFile, isChecked, names, isPresented }) => ({
    id, isChecked, names, isPresented, ...(reading && { record: shown(reading) }),
    ...(sealFile && { seal: withDoubles(sealFile.seal), number: sealFile.seal.n, key: keys.get(sealFile) })
  }))
  const first = described.find(capture => capture.record && capture.seal)
    ?? described.find(capture => capture.record) ?? described[0]
  const { record, seal, key } = first ?? {}
  return {
    verdict, facts, captures: described, ...(record && { record }), ...(seal && { seal }), ...(key && { key }),
    ...(seal && { clock: { at: seal.at, ...seal.clock } }),
    files: files.map(({ name, role, digest, bytes }) => ({ name, role, digest, size: bytes.length }))
  }
}
