// SPDX-License-Identifier: Apache-2.0
// Asks the core of verify.html and its worker, in one process: a line of JSON for each question, and one for its answer.
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"

const folder = pathToFileURL(process.argv[2] + "/")
const load = name => import(new URL(name, folder))
const [{ check }, { readRecord }, { readSeal }, { readJSON }, { readSigners, signersOf, isAllowedAt }, { Pace }, { Fault, textOf }] =
  await Promise.all(["check.js", "record.js", "seal.js", "json.js", "signers.js", "pace.js", "bytes.js"].map(load))

const bytes = text => new Uint8Array(Buffer.from(text, "base64"))
const pace = () => new Pace({}, 1)

let told
globalThis.self = { crypto, postMessage: message => told?.(message) }
await load("../page/worker.js")

const commands = {
  /** What the page is told of files that are dropped on it. */
  async page({ files, identity, confirmed, heads }) {
    // By themselves, unless a test says which were dropped together.
    const dropped = files.map(({ name, path, data, batch }, index) => {
      const whole = data === undefined ? new Uint8Array(readFileSync(path)) : bytes(data)
      return { name, batch: batch ?? index, file: { size: whole.length, arrayBuffer: async () => whole.buffer } }
    })
    const { report, failed, detail } = await new Promise(resolve => {
      told = message => (message.report || message.failed) && resolve(message)
      self.onmessage({ data: { files: dropped, identity, confirmed, heads, chosen: null } })
    })
    if (failed) throw new Error(`${failed} ${detail}`)
    return {
      verdict: report.verdict, facts: report.facts, needed: report.facts.filter(fact => fact.needed).map(fact => fact.code),
      key: report.key, table: report.table
    }
  },
  /** @param {{files: {name: string, path?: string, data?: string}[], options: object}} question */
  async check({ files, options }) {
    const report = await check(files.map(({ name, path, data }) => ({
      name, bytes: data === undefined ? new Uint8Array(readFileSync(path)) : bytes(data)
    })), options)
    return {
      verdict: report.verdict, facts: report.facts, key: report.key, ...(options.report && { record: report.record }),
      needed: report.facts.filter(fact => fact.needed).map(fact => fact.code)
    }
  },
  /** Stops when something has been read. */
  async stop({ path }) {
    const stop = new AbortController()
    let count = 0
    const progress = fraction => {
      count++
      if (fraction > 0.5) stop.abort()
    }
    try {
      await check([{ name: "long.jsonl", bytes: new Uint8Array(readFileSync(path)) }], { progress, signal: stop.signal })
    } catch (error) {
      return { error: error.name, count }
    }
    return { count }
  },
  async record({ data }) {
    return (await readRecord(bytes(data), pace())).end?.outcome ?? "interrupted"
  },
  async seal({ data }) {
    return Boolean(readSeal(bytes(data)))
  },
  async json({ data }) {
    return written(readJSON(textOf(bytes(data))))
  },
  async signers({ data, key, name, time }) {
    const { signers } = await readSigners(bytes(data), pace())
    return signersOf(signers, bytes(key), name).some(signer => isAllowedAt(signer, time))
  }
}

/** JSON in which only whole numbers look like some. */
function written(value) {
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`
  if (typeof value === "object") return `{${Object.keys(value).map(name => `${JSON.stringify(name)}:${written(value[name])}`).join(",")}}`
  if (typeof value !== "number") return typeof value === "bigint" ? String(value) : JSON.stringify(value)
  return Number.isInteger(value) && Math.abs(value) <= 2 ** 53 && !Object.is(value, -0) ? String(value) : value.toExponential().replace(/^-?0e\+0$/, "-0")
}

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...question } = JSON.parse(line)
  let answer
  try {
    answer = { answer: await commands[command](question) }
  } catch (error) {
    // What check() throws, nobody has caught.
    answer = error instanceof Fault && command !== "check"
      ? { refused: error.message } : { threw: String(error.stack) }
  }
  process.stdout.write(JSON.stringify(answer) + "\n")
}
