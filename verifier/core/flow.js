// SPDX-License-Identifier: Apache-2.0
/**
 * Records of several pages (docs/record.md, "Several pages"): whether each event follows from those before, what each
 * person saw, and what the host demanded.
 */
import { demand } from "./bytes.js"

const MOST_EVENTS = 100_000
const MOST = { people: 8, questions: 32, declineReasons: 8 }
/** Parts of a mark that others write. */
const WITNESSES = ["witness1", "witness2"]

/** Texts that Unicode counts as the same are one name. @param {string|undefined} name */
const same = name => name?.normalize("NFC")
const areDifferent = values => new Set(values).size === values.length
const isRising = numbers => numbers.every((number, at) => at === 0 || numbers[at - 1] < number)

/** The name of an ink: witnesses write for a signature of another name. @param {string|undefined} part */
export const inkName = (name, part) => WITNESSES.includes(part) ? `${name}/${part}` : name

/** What people were asked, and what has happened so far. */
export class Flow {
  /** @param {any} header  that has the shape of one, and `flow` */
  constructor(header) {
    const { document, people = [], questions = [], declineReasons = [], alternatives } = header.flow
    this.document = document
    this.questions = questions
    this.people = people.length > 0 ? people : [{}]
    this.roles = people.map(person => same(person.role))
    this.turn = 0
    this.isTurnTold = false
    this.sheet = null
    /** What the sheet is in place of a signature. @type {string|undefined} */
    this.part = undefined
    this.alternatives = alternatives ?? []
    /** This turn's signatures that are marks. @type {Set<string>} */
    this.marks = new Set()
    this.hasSpoken = false
    this.eventCount = 0
    /** Pages that were shown. @type {Map<number, {number: number, width: number, height: number, sha256: string}>} */
    this.pages = new Map()
    /** For each person, the rows of each page. @type {Map<number, [number, number][]>[]} */
    this.rows = this.people.map(() => new Map())
    /** By name. @type {Map<string, {name: string, value: any, person: number}>} */
    this.answers = new Map()
    /** Fields with ink of their own. @type {Set<string>} */
    this.written = new Set()
    /**
     * Fields that were accepted; the last time counts. `part`: what was done in place of a signature, `confirmed` or
     * `typed`, which has the name in `entered`, and `host` if the host accepted it.
     * @type {Map<string, {name: string, person: number, same?: string, part?: string, heard?: boolean,
     *     entered?: {name: string, by: "person"|"staff", reason?: string}, host?: boolean}>}
     */
    this.inks = new Map()
    this.checkPeople({ people, questions, declineReasons })
    /**
     * What a name stands for.
     * @type {Map<string, {kind: string, person: number|null, values: (string|undefined)[]}>}
     */
    this.subjects = new Map()
    const names = [...this.addQuestions(), ...(document ? this.addFields(header) : this.addSignature())]
    demand(alternatives === undefined || alternatives.length > 0 && areDifferent(alternatives),
      "alternatives are missing, or one is there twice")
    if (this.alternatives.includes("mark")) names.push(...this.witnessNames)
    demand(names.every(name => name !== "") && areDifferent(names), "a name is empty, or stands for two things")
  }

  checkPeople(lists) {
    for (const [name, most] of Object.entries(MOST)) demand(lists[name].length <= most, `${name} are too many`)
    demand(this.roles.every(role => role !== "") && areDifferent(this.roles), "two people have a role, or an empty one")
    lists.people.forEach((person, index) => {
      const seen = same(person.sees)
      demand(seen === undefined || this.roles.slice(0, index).includes(seen), "a witness saw somebody who comes later")
    })
  }

  addSignature() {
    this.subjects.set("signature", { kind: "signature", person: null, values: [] })
    return this.people.map((_, index) => this.fullName("signature", index))
  }

  /** The name that one person's signature has in the record. Without a document, all have one name in the events. */
  fullName(name, person) {
    return this.document || person === 0 ? name : `${name}:${this.roles[person]}`
  }

  /** Of all signatures. */
  get witnessNames() {
    const signatures = [...this.subjects].filter(([, { kind }]) => kind === "signature").flatMap(([name, { person }]) =>
      person === null ? this.people.map((_, index) => this.fullName(name, index)) : [name])
    return signatures.flatMap(name => WITNESSES.map(part => inkName(name, part)))
  }

  addQuestions() {
    return this.questions.map(({ name, kind, choices, person }) => {
      const values = choices?.map(same) ?? []
      if (kind === "choice") {
        demand(values.length >= 2 && values.length <= 8 && areDifferent(values), "choices are not 2 to 8 texts")
      } else {
        demand(choices === undefined, "choices of what is no choice")
      }
      const index = person === undefined ? 0 : this.roles.indexOf(same(person))
      demand(index >= 0, "nobody has this role")
      this.subjects.set(same(name), { kind, person: index, values })
      return same(name)
    })
  }

  addFields(header) {
    const { fields, pages, policy } = this.document
    demand(header.request.document?.sha256 !== undefined, "a document to read has no digest")
    demand(fields.length <= 4000, "fields are too many")
    demand(!(policy?.minimumSeconds < 0), "a demanded time is negative")
    /** @type {Map<string, any>} */
    const places = new Map()
    const names = []
    for (const { name: written, kind, person, page, rectangle, value } of fields) {
      const [left, lower, right, upper] = rectangle
      demand(rectangle.length === 4 && left <= right && lower <= upper, "a field has no place")
      demand(person >= 0 && person < this.people.length, "a field has no person")
      demand(page >= 1 && page <= pages, "a field has no page")
      demand(kind !== "choice" || value !== undefined, "a choice has no value")
      // The pad draws these, and nobody fills them.
      if (kind === "date" || kind === "name") continue
      const name = same(written)
      const place = places.get(name)
      if (place && (kind === "check" || kind === "choice") && place.kind === kind && place.person === person) {
        place.values.push(same(value))
        continue
      }
      names.push(name)
      places.set(name, { kind, person, values: [same(value)] })
    }
    for (const [name, place] of places) this.subjects.set(name, place)
    return names
  }

  /**
   * @param {string} kind  of {@link events}  @param {any} event  of its shape
   * @returns {string|undefined} of what was accepted, confirmed or typed, its key in {@link inks}
   */
  add(kind, event) {
    demand(this.eventCount++ < MOST_EVENTS, "there are too many events")
    return this[kind](event)
  }

  glass() {}

  person(index) {
    demand(index > (this.isTurnTold ? this.turn : -1) && index < this.people.length, "this person has no turn now")
    this.turn = Number(index)
    this.isTurnTold = true
    this.sheet = null
    this.marks.clear()
  }

  page(page) {
    const isThere = this.document && page.number >= 1 && page.number <= this.document.pages
    demand(isThere && !this.pages.has(page.number), "there is no such page, or it was shown before")
    this.pages.set(page.number, page)
  }

  view({ parts }) {
    demand(isRising(parts.map(part => part.page)), "the parts of a view are not in the order of their pages")
    for (const { page: number, rect: [left, upper, right, lower] } of parts) {
      const page = this.pages.get(number)
      demand(page, "a view of a page that was not shown")
      const isWithin = left >= 0 && right <= page.width && upper >= 0 && lower <= page.height
      demand(isWithin && left < right && upper < lower, "a part is not within its page")
      if (left !== 0 || right !== page.width) continue
      const rows = this.rows[this.turn]
      if (!rows.has(number)) rows.set(number, [])
      rows.get(number).push([upper, lower])
    }
  }

  /** What a name stands for, if it is asked of the person whose turn it is. */
  subject(name, ...kinds) {
    const subject = this.subjects.get(same(name))
    const isAsked = subject && kinds.includes(subject.kind) && (subject.person === null || subject.person === this.turn)
    demand(isAsked, "this person was not asked that")
    return subject
  }

  answer(answer) {
    const { kind, values } = this.subject(answer.name, "check", "choice", "rating")
    const member = kind === "check" ? "checked" : kind
    const members = ["checked", "choice", "rating"].filter(name => name in answer)
    demand(members.length === 1 && members[0] === member, "an answer is of another kind")
    demand(kind !== "choice" || values.includes(same(answer.choice)), "an answer is none of the choices")
    this.answers.set(same(answer.name), { name: answer.name, value: answer[member], person: this.turn })
  }

  field({ name, person }) {
    this.subject(name, "signature", "initials", "note")
    demand(person === this.turn, "a page to sign on is of another person")
    this.sheet = same(name)
    this.part = undefined
  }

  instead({ name, part, person }) {
    const isWitness = WITNESSES.includes(part)
    this.checkAlternative(name, isWitness ? "mark" : part)
    demand(!isWitness || this.marks.has(same(name)), "a witness of a mark that was not accepted")
    this.field({ name, person })
    this.part = part
  }

  checkAlternative(name, word) {
    this.subject(name, "signature")
    demand(this.alternatives.includes(word), "the host did not allow this in place of a signature")
  }

  confirmed({ name, heard }) {
    this.checkAlternative(name, "confirmed")
    return this.take(same(name), { part: "confirmed", ...this.afterReading(heard) })
  }

  typed({ name, entered: { name: words, by, reason }, host, heard }) {
    this.checkAlternative(name, "typed")
    demand(words !== "", "a name in place of a signature is empty")
    demand(by !== "staff" || (reason ?? "") !== "", "a name that staff entered without a reason")
    demand(host !== true || by === "staff", "the host accepted a name that the person typed")
    return this.take(same(name), {
      part: "typed", entered: { name: words, by, ...(reason !== undefined && { reason }) },
      ...(host === true && { host }), ...this.afterReading(heard)
    })
  }

  afterReading(heard) {
    demand(heard !== true || this.hasSpoken, "nothing was read aloud before")
    return heard === true && { heard }
  }

  /** The name of the ink that strokes belong to now. */
  get ink() {
    return this.sheet === null ? null : inkName(this.sheet, this.part)
  }

  accepted({ name: written, same: other }) {
    const name = same(written)
    if (other === undefined) {
      demand(name === this.sheet, "a field was accepted whose page was not shown")
      this.written.add(name)
    } else {
      this.subject(name, "initials")
      this.subject(other, "initials")
      demand(same(other) !== name && this.written.has(same(other)), "a field has the ink of one without ink")
    }
    return this.take(name, other === undefined ? { part: this.part } : { same: same(other) })
  }

  /** What comes last for a name counts, with the witnesses after it: a new mark needs new ones. */
  take(name, told) {
    const keyOf = part => `${this.turn} ${inkName(name, part)}`
    const key = keyOf(told.part)
    if (!WITNESSES.includes(told.part)) {
      for (const part of WITNESSES) if (this.inks.get(keyOf(part))?.part === part) this.inks.delete(keyOf(part))
      this.marks.delete(name)
      if (told.part === "mark") this.marks.add(name)
    }
    this.inks.set(key, { name: inkName(name, told.part), person: this.turn, ...told })
    this.sheet = null
    return key
  }

  /** @param {any} end  of the shape of one */
  checkEnd({ outcome, reading, check }) {
    if (!this.document) {
      return demand(reading === undefined && check === undefined, "what was read, without a document")
    }
    for (const { page } of [...check?.differences ?? [], ...check?.notDrawn ?? []]) {
      demand(page >= 1 && page <= this.document.pages, "what was compared is not of a page of the document")
    }
    demand(reading !== undefined || outcome !== "accepted", "what was read is missing")
    if (!reading) return
    demand(reading.length === this.people.length, "not each person has read")
    for (const { pages } of reading) {
      const areThere = pages.every(page => page >= 1 && page <= this.document.pages)
      demand(areThere && isRising(pages), "what was read is not pages of the document in their order")
    }
  }

  /**
   * What each person saw, from the views: pages of which any row was seen, and whether all rows of all pages were.
   * @returns {{pages: number[], toEnd: boolean}[]}
   */
  get seen() {
    if (!this.document) return []
    this.found ??= this.rows.map(rows => ({
      pages: [...rows.keys()].sort((one, other) => one - other),
      toEnd: Array.from({ length: Number(this.document.pages) }, (_, at) => at + 1).every(number => {
        let end = 0
        for (const [upper, lower] of (rows.get(number) ?? []).sort((one, other) => one[0] - other[0])) {
          if (upper > end) return false
          end = Math.max(end, lower)
        }
        return rows.has(number) && end >= this.pages.get(number).height
      })
    }))
    return this.found
  }

  /** The name of a person for a fact. @param {number} index */
  who(index) {
    return this.people[index].role ?? ""
  }

  /**
   * What the host demanded and the record does not have. The pad ends no turn before its demands are met.
   * @param {any} end
   * @returns {{code: string, who?: string, name?: string}[]} codes of facts
   */
  unmet(end) {
    const policy = this.document?.policy ?? {}
    const inks = new Set([...this.inks.values()].map(field => field.name))
    const isAnswered = name => this.answers.has(name) && this.answers.get(name).value !== false
    const isDone = (name, kind) => ["signature", "initials", "note"].includes(kind) ? inks.has(name) : isAnswered(name)
    // A box may stay empty unless it is required itself: an empty box is an answer, too.
    const mustBe = (kind, required) =>
      required === true || policy.requireAnswers === true && ["choice", "rating", "note"].includes(kind)
    const unmet = new Map()
    for (const { name, kind, required } of [...(this.document?.fields ?? []), ...this.questions]) {
      if (["date", "name"].includes(kind) || !mustBe(kind, required) || isDone(same(name), kind)) continue
      unmet.set(same(name), { code: ["signature", "initials"].includes(kind) ? "demandInk" : "demandAnswer", name })
    }
    const found = [...unmet.values()]
    for (const { name, person, part } of this.inks.values()) {
      const isWhole = WITNESSES.every(each => this.inks.get(`${person} ${inkName(name, each)}`)?.part === each)
      if (part === "mark" && !isWhole) found.push({ code: "demandWitnesses", name: this.fullName(name, person) })
    }
    this.seen.forEach(({ toEnd }, index) => {
      if (policy.mustSeeAllPages === true && !toEnd) found.push({ code: "demandPages", who: this.who(index) })
      const seconds = end.reading?.[index]?.seconds ?? 0
      if (seconds < (policy.minimumSeconds ?? 0)) found.push({ code: "demandTime", who: this.who(index) })
    })
    return found
  }
}
