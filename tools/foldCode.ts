/**
 * Hashes of the code that snapshots of the journal depend on, by fold: what makes them of events with everything that it imports, the
 * packages included. An upgrade that does not touch a fold keeps its snapshots, so that a long journal need not be read anew.
 *
 * Of the kinds of strategies a fold sees only how they behave, so that stands for their code.
 */
import { createHash } from "node:crypto"
import { build, type Plugin } from "rolldown"
import { kinds } from "../src/strategy/kinds.ts"

/** How events are read, from a file and from a fleet's database. */
const reading = ["src/journal/Journal.ts", "src/journal/postgres/Journals.ts", "src/journal/snapshots/Columns.ts"]

/** By the name that a fold's snapshots have (see `Snapshots`). */
const folds = {
  state: ["src/engine/state/Bookkeeper.ts"],
  profit: ["src/views/profit/StoredProfit.ts"],
  books: ["src/views/profit/StoredBooks.ts"]
}

const behaviour: Plugin = {
  name: "behaviour-of-kinds",
  transform: {
    filter: { id: /src.strategy.kinds\.ts$/ },
    handler: () => {
      const flags = kinds.map((kind) => Object.entries(kind).filter(([key, value]) => key === "name" || value === true))
      return `export const kinds = ${JSON.stringify(flags.map((each) => Object.fromEntries(each)))}`
    }
  }
}

const codeOf = async (root: string, input: ReadonlyArray<string>): Promise<string> => {
  const { output } = await build({
    cwd: root,
    input: [...reading, ...input],
    platform: "node",
    plugins: [behaviour],
    // The build of the program says what is wrong with the sources.
    logLevel: "silent",
    write: false
  })
  const hash = createHash("sha256")
  for (const chunk of output) if (chunk.type === "chunk") hash.update(`${chunk.name}\n${chunk.code}\n`)
  return hash.digest("hex")
}

export const foldCodes = async (root: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    await Promise.all(Object.entries(folds).map(async ([fold, input]) => [fold, await codeOf(root, input)] as const))
  )
