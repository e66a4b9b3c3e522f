/**
 * `npm run fuzz:guided`: fuzzing that is guided by coverage. Inputs that make a reader run code which none before them ran are
 * kept, and wounded further, so the search works its way into branches that wounds of real examples alone do not reach. The
 * coverage is that of V8, block by block, of the program and of its parsers.
 *
 *     npm run fuzz:guided -- --inputs 200000 --only expressions
 */
import { Session } from "node:inspector"
import { parseArgs } from "node:util"
import { randomFrom } from "../../src/rehearsal/world/World.ts"
import { wounded } from "../world/texts/wound.ts"
import { values as decoders, fromJson, longestMillis, texts } from "./targets.ts"

const { values } = parseArgs({
  options: {
    inputs: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "" }
  }
})
const batchSize = 250
const isGuiding = (url: string): boolean => /\/(src|node_modules\/(yaml|ohm-js))\//.test(url)

const session = new Session()
session.connect()
session.post("Profiler.enable")
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })

/** Blocks that ran since the last look. */
const ran = (): ReadonlyArray<string> => {
  const blocks: Array<string> = []
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error !== null) throw error
    for (const { functions, url } of result.filter((script) => isGuiding(script.url)))
      for (const { ranges } of functions)
        for (const { count, endOffset, startOffset } of ranges)
          if (count > 0) blocks.push(`${url}:${startOffset}-${endOffset}`)
  })
  return blocks
}

const readers: ReadonlyArray<readonly [string, ReadonlyArray<string>, (text: string) => unknown]> = [
  ...Object.entries(texts).map(([name, [examples, read]]) => [name, examples, read] as const),
  ...Object.entries(decoders).map(
    ([name, [example, read]]) => [name, [JSON.stringify(example)], fromJson(read)] as const
  )
]

let escaped = 0
const tryOne = (name: string, text: string, read: (text: string) => unknown): void => {
  const begun = performance.now()
  try {
    read(text)
    if (performance.now() - begun < longestMillis) return
    process.stdout.write(`${name}: too slow: ${JSON.stringify(text)}\n`)
  } catch (error) {
    process.stdout.write(`${name}: ${JSON.stringify(text)} escapes: ${error}\n`)
  }
  escaped += 1
}

for (const [name, examples, read] of readers.filter(([reader]) => reader.includes(values.only))) {
  const random = randomFrom(Number(values.seed))
  const corpus = [...examples]
  for (const text of examples) tryOne(name, text, read)
  const known = new Set(ran())
  const [begun, blocksBefore] = [performance.now(), known.size]
  /** Finds the inputs that reach something new by halves: reading the coverage takes as long as many inputs. */
  const sift = (inputs: ReadonlyArray<string>): void => {
    for (const text of inputs) tryOne(name, text, read)
    const fresh = ran().filter((block) => !known.has(block))
    if (fresh.length === 0) return
    if (inputs.length === 1) {
      for (const block of fresh) known.add(block)
      corpus.push(...inputs)
      return
    }
    const middle = Math.ceil(inputs.length / 2)
    sift(inputs.slice(0, middle))
    sift(inputs.slice(middle))
  }
  for (let made = 0; made < Number(values.inputs); made += batchSize) {
    const batch = Array.from({ length: batchSize }, (_, index) => {
      // The newest are where something new was found last.
      const at = corpus.length - 1 - Math.floor(random() ** 2 * corpus.length)
      return wounded(corpus[at] ?? "", Number(values.seed) * 1_000_000_007 + made + index)
    })
    sift(batch)
  }
  const seconds = Math.round((performance.now() - begun) / 1000)
  const kept = corpus.length - examples.length
  process.stdout.write(
    `${name}: ${values.inputs} inputs in ${seconds} s; blocks of code reached ${blocksBefore} by examples, ${known.size} in all; ${kept} inputs kept\n`
  )
}
process.stdout.write(`${escaped} escaped\n`)
process.exitCode = escaped === 0 ? 0 : 1
