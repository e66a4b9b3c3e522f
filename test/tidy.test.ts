/**
 * The rules of the house, as tests: who may import whom, no cycles, short files, no ambient time, randomness, environment
 * or console outside the edges, and words that must not be in the repository.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { parseSync, Visitor } from "rolldown/utils"
import { version } from "../src/version.ts"

const root = resolve(import.meta.dirname, "..")

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))

const sources = filesBelow("src").filter((file) => file.endsWith(".ts"))
const textOf = (file: string): string => readFileSync(join(root, file), "utf8")
/** Code without comments and string contents, so that words in prose are not taken for code. */
const codeOf = (file: string): string =>
  textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(^|[^:"'`])\/\/.*$/gm, "$1")

const importsOf = (file: string): ReadonlyArray<string> =>
  [...codeOf(file).matchAll(/(?:from|import\()\s*"(\.[^"]+)"/g)].map(([, target = ""]) =>
    relative(root, resolve(root, dirname(file), target))
  )

/** The lines of each function with a body, however it is written. */
const longFunctionsIn = (file: string): number => {
  const text = textOf(file)
  const lineOf = (offset: number): number => text.slice(0, offset).split("\n").length
  let long = 0
  const count = ({ body, end, start }: { readonly body?: unknown; readonly start: number; readonly end: number }) => {
    if (body !== null && lineOf(end) - lineOf(start) >= mostFunctionLines) long++
  }
  const { program } = parseSync(file, text)
  new Visitor({ ArrowFunctionExpression: count, FunctionDeclaration: count, FunctionExpression: count }).visit(program)
  return long
}
const mostFunctionLines = 90

const folderOf = (file: string): string => file.split("/")[1] ?? ""

/** Lines of each room; `.` is `src` itself. */
const budgets: Readonly<Record<string, number>> = {
  ".": 396,
  app: 10340,
  candles: 2476,
  cli: 2692,
  control: 3866,
  dashboard: 3512,
  domain: 2630,
  engine: 13125,
  files: 2090,
  fleet: 1922,
  importers: 771,
  journal: 2928,
  lab: 11457,
  ledger: 2770,
  orderbook: 875,
  process: 482,
  programs: 167,
  rehearsal: 1760,
  report: 959,
  sandbox: 4761,
  signer: 1481,
  signing: 688,
  strategy: 15608,
  venue: 5526,
  views: 3610
}

/** A budget is lowered when its room has become this much smaller. */
const slack = 60

const roomOf = (file: string): string => (file.split("/").length > 2 ? folderOf(file) : ".")

const matches = (pattern: RegExp): ReadonlyArray<string> =>
  sources.flatMap((file) => Array.from(textOf(file).matchAll(pattern), ([match]) => `${file}: ${match}`))

const participles =
  "found|known|read|wanted|asked|said|held|given|shown|made|seen|told|taken|sent|kept|left|heard|tried|begun|gone|drawn|counted|named|paid|owned|lacking|missed|sought|carried"

/** The rooms that every bot stands on. */
const house = [
  "domain",
  "programs",
  "strategy",
  "candles",
  "signing",
  "venue",
  "orderbook",
  "journal",
  "ledger",
  "report",
  "engine",
  "views",
  "control",
  "files",
  "process",
  "version.ts"
]

/** Room → rooms it may import, with the single files allowed from some of them. */
const allowed: Readonly<Record<string, ReadonlyArray<string | RegExp>>> = {
  domain: [],
  programs: ["domain"],
  strategy: ["domain"],
  candles: ["domain", "strategy"],
  signing: ["domain", "programs"],
  venue: ["domain", "signing"],
  orderbook: ["domain", "programs", "strategy", /^src\/venue\/(Venue|VenueError)\.ts$/],
  journal: ["domain", "version.ts"],
  ledger: ["domain", /^src\/strategy\/kinds\.ts$/],
  report: ["domain", "strategy", "journal", "ledger"],
  engine: [
    "domain",
    "programs",
    "strategy",
    "journal",
    /^src\/candles\/Resample\.ts$/,
    /^src\/report\/text\//,
    "orderbook",
    /^src\/signing\/IntentGuard\.ts$/,
    /^src\/venue\/(Venue|VenueError|Swaps|History|wire\/(WireHistory|HistoryEntry|VerifierAnswer))\.ts$/
  ],
  views: ["domain", "ledger", "strategy", "journal", "report", "engine", "version.ts"],
  control: [
    "domain",
    "programs",
    "ledger",
    "strategy",
    "journal",
    "orderbook",
    "report",
    "engine",
    "views",
    "version.ts"
  ],
  files: ["domain", "programs", "strategy", "signing", "venue", "orderbook", "engine", "control"],
  process: [
    "domain",
    "journal",
    "files",
    "control",
    /^src\/strategy\/own\/OwnCodeFailed\.ts$/,
    /^src\/venue\/VenueError\.ts$/
  ],
  signer: ["domain", "programs", "strategy", "signing", "venue", "files", "process"],
  sandbox: ["domain", "signing", "venue", "candles", "process", /^src\/strategy\/(?:Fields|Problem|YamlReader)\.ts$/],
  "Layers.ts": [
    "domain",
    "strategy",
    "signing",
    "venue",
    "orderbook",
    "journal",
    "engine",
    "files",
    "signer",
    "sandbox"
  ],
  app: [...house, "signer", "sandbox", "Layers.ts"],
  importers: ["domain", "strategy", "files"],
  lab: [...house, "sandbox", "Layers.ts", "app"],
  rehearsal: [...house, "sandbox", "Layers.ts", "app"],
  fleet: [...house, "Layers.ts", "app"],
  dashboard: [
    "views",
    /^src\/control\/api\/(?:Files|OperatorCommands|Order|Swap)\.ts$/,
    /^src\/fleet\/server\/FleetView\.ts$/
  ],
  cli: [
    "process",
    "app",
    "importers",
    "lab",
    "rehearsal",
    "fleet",
    "signer",
    "views",
    "report",
    "control",
    "files",
    "domain",
    // What flags let people choose from, and what holds where they choose nothing.
    /^src\/candles\/(?:csv\/CandleChecks|Generate)\.ts$/,
    /^src\/ledger\/(?:Lots|Profit)\.ts$/,
    /^src\/sandbox\/serving\//,
    /^src\/engine\/(?:planning\/ahead\/PlanFindings|EngineSettings)\.ts$/,
    /^src\/venue\/(?:profile\/Profiles|wire\/Wire(?:Value|History)|api\/(?:AccountHistory|Deposits|History)Api)\.ts$/,
    "version.ts"
  ],
  "main.ts": ["cli", "version.ts"],
  "version.ts": []
}

describe("the tree", () => {
  it("has imports only as the table allows", () => {
    const wrong = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => folderOf(target) !== folderOf(file))
        .filter(
          (target) =>
            !(allowed[folderOf(file)] ?? []).some((rule) =>
              typeof rule === "string" ? folderOf(target) === rule : rule.test(target)
            )
        )
        .map((target) => `${file} imports ${target}`)
    )
    assert.deepStrictEqual(wrong, [])
  })

  it("has a page that imports types, and of code only the table of commands", () => {
    const taken = sources
      .filter((file) => file.startsWith("src/dashboard/"))
      .flatMap((file) => codeOf(file).match(/^(?:import|export) .*"\.\.\/\.\.\/.*"/gm) ?? [])
    assert.isAbove(taken.length, 10)
    assert.deepStrictEqual(
      taken.filter((line) => !/^import type |\/OperatorCommands\.ts"$/.test(line)),
      []
    )
  })

  it("has the enforced table in ARCHITECTURE.md", () => {
    const [, table = ""] = textOf("ARCHITECTURE.md").split("## Import table")
    const written = table.split("\n## ")[0]?.matchAll(/^\| ([a-z, ]+) \| (.+) \|$/gm) ?? []
    const rows = [...written]
      .filter(([, rooms]) => rooms !== "room")
      .flatMap(([, rooms = "", may = ""]) =>
        rooms.split(", ").map((room) => [room, new Set(may.replace(/ \([^)]*\)/g, "").split(", "))] as const)
      )
    const nameOf = (rule: string | RegExp) =>
      typeof rule === "string" ? rule.replace(/\.ts$/, "") : /src\\\/(\w+)/.exec(rule.source)?.[1]
    const said = (rules: ReadonlyArray<string | RegExp>) => {
      const names = rules.map(nameOf).filter((name) => name !== "version")
      if (house.every((each) => rules.includes(each)))
        return ["the house", ...names.filter((name) => !house.includes(name ?? ""))]
      return names.length === 0 ? ["nothing"] : names
    }
    const enforced = Object.entries(allowed)
      .filter(([room]) => !room.endsWith(".ts"))
      .map(([room, rules]) => [room, new Set(said(rules))] as const)
    assert.deepStrictEqual(new Map(rows), new Map(enforced))
  })

  it("has rooms of the engine that use only those before them in ARCHITECTURE.md", () => {
    const [, table = ""] = textOf("ARCHITECTURE.md").split("### The rooms of the engine")
    const rooms = [...(table.split("\n## ")[0]?.matchAll(/^\| `(\w+)\/` \|/gm) ?? [])].map(([, room = ""]) => room)
    const rankOf = (file: string): number => rooms.indexOf(file.split("/")[2] ?? "")
    const inRooms = sources.filter((file) => /^src\/engine\/\w+\//.test(file))
    assert.deepStrictEqual(
      inRooms.filter((file) => rankOf(file) < 0),
      []
    )
    const up = inRooms.flatMap((file) =>
      importsOf(file)
        .filter((target) => /^src\/engine\/\w+\//.test(target) && rankOf(target) > rankOf(file))
        .map((target) => `${file} imports ${target}`)
    )
    assert.deepStrictEqual(up, [])
  })

  it("has no import cycles, including those between types", () => {
    const tools = filesBelow("tools").filter((file) => file.endsWith(".ts") && !file.includes("node_modules"))
    const files = [...sources, ...tools]
    const edges = new Map(files.map((file) => [file, importsOf(file)]))
    const done = new Set<string>()
    const cycles: Array<string> = []
    const visit = (file: string, path: ReadonlyArray<string>): void => {
      if (path.includes(file)) {
        cycles.push([...path.slice(path.indexOf(file)), file].join(" → "))
        return
      }
      if (done.has(file)) return
      for (const target of edges.get(file) ?? []) visit(target, [...path, file])
      done.add(file)
    }
    for (const file of files) visit(file, [])
    assert.deepStrictEqual(cycles, [])
  })

  it("has no circles between neighbours (files or whole folders) at any depth, with tests, benches and tools", () => {
    const below = new Map<string, Map<string, Set<string>>>()
    const others = ["test", "bench", "tools"]
      .flatMap(filesBelow)
      .filter((file) => file.endsWith(".ts") && !file.includes("node_modules"))
    for (const file of [...sources, ...others]) {
      for (const target of importsOf(file)) {
        const [from, to] = [file.split("/"), target.split("/")]
        const depth = from.findIndex((part, at) => part !== to[at])
        const parent = from.slice(0, depth).join("/")
        const graph = below.get(parent) ?? new Map<string, Set<string>>()
        below.set(
          parent,
          graph.set(from[depth] ?? "", (graph.get(from[depth] ?? "") ?? new Set()).add(to[depth] ?? ""))
        )
      }
    }
    const reaches = (
      graph: ReadonlyMap<string, ReadonlySet<string>>,
      from: string,
      to: string,
      seen: Set<string>
    ): boolean =>
      [...(graph.get(from) ?? [])].some((next) => {
        if (next === to) return true
        if (seen.has(next)) return false
        seen.add(next)
        return reaches(graph, next, to, seen)
      })
    const circles = [...below].flatMap(([parent, graph]) =>
      [...graph.keys()].some((name) => reaches(graph, name, name, new Set())) ? [parent] : []
    )
    assert.deepStrictEqual(circles, [])
  })

  it("has files of at most 500 lines that open by saying what they are", () => {
    const long = sources.filter((file) => textOf(file).split("\n").length > 501)
    assert.deepStrictEqual(long, [])
    const silent = sources.filter((file) => !textOf(file).startsWith("/**"))
    assert.deepStrictEqual(silent, [])
  })

  it("has functions of at most 90 lines", () => {
    assert.deepStrictEqual(
      sources.filter((file) => longFunctionsIn(file) > 0),
      []
    )
  })

  it("has no test that imports a bench: what both need is in test/world", () => {
    const wrong = filesBelow("test")
      .filter((file) => file.endsWith(".ts"))
      .flatMap((file) => importsOf(file).filter((target) => target.startsWith("bench/")))
    assert.deepStrictEqual(wrong, [])
  })

  it("has no comment that opens with Of", () => {
    const vague = sources.filter((file) => /(?:\/\*\*|\/\/|^\s*\*) Of /m.test(textOf(file)))
    assert.deepStrictEqual(vague, [])
  })

  it("writes times in sentences with `utc`, to the second: `iso` is for data", () => {
    // The journal keeps the reasons of strategies, and a replay compares them. Times of candles may differ by milliseconds.
    const exempt = /^src\/(?:domain\/Text\.ts|strategy\/|candles\/csv\/CandleChecks|app\/control\/Alerting)/
    const wrong = matches(/\$\{[^}`]*\biso\([^`]*/g).filter((match) => !exempt.test(match))
    assert.deepStrictEqual(wrong, [])
  })

  it("has no barrel files", () => {
    const barrels = sources.filter((file) => /\/(index|utils|helpers|common)\.ts$/.test(file))
    assert.deepStrictEqual(barrels, [])
  })

  it("encodes signed bytes only in the journal", () => {
    const who = sources.filter((file) => /\bStored(?:Event|SwapEvent|Bytes)\b/.test(codeOf(file)))
    assert.deepStrictEqual(
      who.filter((file) => !/^src\/(?:journal\/|domain\/(?:BotEvent|SwapEvent|EventValues)\.ts)/.test(file)),
      []
    )
  })

  it("encodes events for people and programs in one place, which hides their signed bytes", () => {
    const who = sources.filter((file) => /encode\w*\(BotEvent\)/.test(codeOf(file)))
    assert.deepStrictEqual(who, ["src/views/Events.ts"])
  })

  it("has distinct names of exported types", () => {
    // The sandbox is the service's own model, so a word of the interface may stand on both sides. The page is another program.
    const declared = sources
      .filter((file) => !file.startsWith("src/dashboard/"))
      .flatMap((file) =>
        [...codeOf(file).matchAll(/^export (?:type|interface|class) (\w+)/gm)].map(([, name = ""]) => ({
          name,
          place: file.replace(/^src\/(?:signing|venue|sandbox)\/.*/, "src/signing, src/venue or src/sandbox")
        }))
      )
    const twice = [...Map.groupBy(declared, ({ name }) => name)].flatMap(([name, all]) => {
      const places = new Set(all.map(({ place }) => place))
      return places.size > 1 ? [`${name}: ${[...places].join(", ")}`] : []
    })
    assert.deepStrictEqual(twice, [])
  })

  const ambient: ReadonlyArray<readonly [string, RegExp, RegExp]> = [
    ["time", /\bDate\.now\(|\bnew Date\(\s*\)|\bperformance\.now\(|\bsetTimeout\(|\bsetInterval\(/, /^$/],
    ["randomness", /\bMath\.random\(|\brandomUUID\(/, /^$/],
    ["environment", /\bprocess\.(?!stdout\b)/, /^src\/(main|cli\/launch)\.ts$/],
    ["console", /\bconsole\./, /^$/],
    ["promises", /\basync (?:function|\()|\bawait /, /^src\/main\.ts$/],
    ["any", /:\s*any\b|\bas any\b|<any>/, /^$/],
    ["default exports", /^export default /m, /^$/]
  ]
  for (const [what, pattern, exempt] of ambient) {
    it(`has no ambient ${what} in src outside the edges`, () => {
      const wrong = sources
        .filter(
          (file) => !exempt.test(file) && !/^src\/(lab\/backtest\/.*Worker|dashboard\/public\/.*)\.ts$/.test(file)
        )
        .filter((file) =>
          pattern.test(
            codeOf(file)
              .replace(/"[^"\n]*"/g, '""')
              .replace(/`[^`$]*(?:\$\{[^}]*\}[^`$]*)*`/g, "``")
          )
        )
      assert.deepStrictEqual(wrong, [])
    })
  }

  it("caches answers by the monotonic clock (`cacheFor`): the wall clock may be set back", () => {
    assert.deepStrictEqual(
      sources.filter((file) => /\bcached\w*WithTTL\b|\btimeToLive\b/.test(codeOf(file))),
      []
    )
  })

  it("has every path that a script names", () => {
    const { scripts } = JSON.parse(textOf("package.json"))
    const named = Object.values(scripts).flatMap(
      (script) => String(script).match(/\b(?:src|test|tools|bench)\/\S+/g) ?? []
    )
    assert.isAbove(named.length, 30)
    assert.deepStrictEqual(
      named.filter((path) => !existsSync(join(root, path))),
      []
    )
  })

  it("pins dependencies exactly", () => {
    const manifest = JSON.parse(textOf("package.json"))
    const loose = Object.entries({
      ...manifest.dependencies,
      ...manifest.devDependencies,
      ...manifest.optionalDependencies
    }).filter(([, range]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(range)))
    assert.deepStrictEqual(loose, [])
    assert.strictEqual(manifest.version, version)
  })

  it("has a budget for each room, and no budget without its room", () => {
    assert.sameMembers(Object.keys(budgets), [...new Set(sources.map(roomOf))])
  })

  for (const [room, budget] of Object.entries(budgets))
    it(`has at most ${budget} lines in src/${room}, and not many fewer`, () => {
      const lines = sources
        .filter((file) => roomOf(file) === room)
        .reduce((sum, file) => sum + textOf(file).split("\n").length - 1, 0)
      assert.isAtMost(lines, budget, "the room has grown: take something out first")
      assert.isAtLeast(lines, budget - slack, "the room is lighter now: lower its budget")
    })

  it("has comments that open with their subject or a verb", () => {
    assert.deepStrictEqual(
      matches(/\/\*\*?\s*(?:\n\s*\*\s*)?(?:What|Whatever|Whether|Who|Whoever|How|The same)\b/g),
      []
    )
  })

  it("names variables by nouns, and few by bare participles", () => {
    assert.isAtMost(matches(new RegExp(`\\b(?:const|let)\\s+(?:${participles})\\b`, "g")).length, 60)
  })
})
