/** The program as whole processes: how long it takes to start, and how much memory a run needs. */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Budget, costs, type Done, type Way } from "./measure.ts"
import type { Bench } from "./sections.ts"

export const gridText = `name: bench
market: BTC/USDC
kind: grid
limits: { budget: { base: 1, quote: 100000 }, maxOpenOrders: 1000 }
grid: { lower: 25000, upper: 60000, levels: 21, spacing: geometric, size: { base: 0.01 } }
`

/** Builds the tree into the folder, and gives the file to run. */
export const built = (root: string, folder: string): string => {
  const program = join(folder, "dist/limitbot.mjs")
  if (!existsSync(program)) execFileSync(process.execPath, [join(root, "tools/build.ts"), join(folder, "dist")])
  return program
}

/** Synthetic minutes as CSV from such a price on, with their column cache beside. */
export const minutes = (limitbot: string, folder: string, years: number, price = 40_000): string => {
  const file = join(folder, `${years}-years-${price}.csv`)
  if (existsSync(file)) return file
  const words = ["data", "generate", file, "--bars", `${years * 525_600}`, "--price", `${price}`]
  execFileSync(process.execPath, [limitbot, ...words])
  execFileSync(process.execPath, [limitbot, "data", "info", file])
  return file
}

const write = (folder: string): string => {
  const strategy = join(folder, "strategy.yaml")
  writeFileSync(strategy, gridText)
  return strategy
}

export const wholeProcess = (name: string, args: ReadonlyArray<string>): Way => ({
  name,
  run: () => {
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ["ignore", "ignore", "pipe"] })
    if (status !== 0) throw new Error(`${name}: ${stderr}`)
    return ""
  }
})

export const empty = wholeProcess("an empty Node process", ["-e", "0"])

/** README's launcher, from a checkout, without npm itself. */
const fromCheckout = (root: string, name: string, words: ReadonlyArray<string>): Way => ({
  name,
  run: () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const command = `${scripts.limitbot} "$@"`
    const { status, stderr } = spawnSync("sh", ["-c", command, "sh", ...words], {
      cwd: root,
      stdio: ["ignore", "ignore", "pipe"]
    })
    if (status !== 0) throw new Error(`${name}: ${stderr}`)
    return ""
  }
})

export const start = async ({ show, root, folder }: Bench): Promise<void> => {
  const limitbot = built(root, folder)
  const year = minutes(limitbot, folder, 1)
  const strategy = write(folder)
  const check = ["check", strategy, "--config", join(root, "config/example.yaml")]
  const backtest = ["backtest", strategy, "--data", year, "--json"]
  const commands: ReadonlyArray<readonly [name: string, words: ReadonlyArray<string>, budget: Budget]> = [
    ["`--version`", ["--version"], { atMost: 1.5 }],
    ["`--help`", ["--help"], { atMost: 1.5 }],
    ["`check` of a strategy", check, { atMost: 7 }],
    ["`backtest --band rules` of a cached year", [...backtest, "--band", "rules"], { atMost: 11 }],
    ["`backtest --fills optimistic` of a cached year", [...backtest, "--fills", "optimistic"], { atMost: 9, goal: 3.5 }]
  ]
  for (const [name, words, budget] of commands) {
    const way = wholeProcess(`${name}, built`, [limitbot, ...words])
    show(await costs("whole process", empty, way, { samples: 9, budget }))
  }
  for (const [name, words, budget] of [
    ["`npm run limitbot -- --help`", ["--help"], { atMost: 5, goal: 4 }],
    ["`npm run limitbot -- check`", check, { atMost: 25, goal: 8 }]
  ] as const)
    show(await costs("whole process", empty, fromCheckout(root, name, words), { samples: 5, budget }))
}

const tellMemory =
  "data:text/javascript,import{readFileSync}from'node:fs';process.on('exit',()=>process.stderr.write(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1]))"

export const mostMemory = (name: string, args: ReadonlyArray<string>): Way => ({
  name,
  run: (): Done => {
    const { stderr } = spawnSync(process.execPath, ["--import", tellMemory, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
      encoding: "utf8"
    })
    return { result: "", measured: Number(/\d+$/.exec(stderr)?.[0]) / 1024 }
  }
})

export const leanest = mostMemory("an empty Node process", ["-e", "0"])

/** The most memory that a run ever had, against that of an empty process. */
export const memory = async ({ show, root, folder }: Bench): Promise<void> => {
  const limitbot = built(root, folder)
  const strategy = write(folder)
  for (const [years, name] of [
    [1, "`backtest --band rules` of a year"],
    [5, "`backtest --band rules` of 5 years"]
  ] as const) {
    const words = ["backtest", strategy, "--data", minutes(limitbot, folder, years), "--json", "--band", "rules"]
    const way = mostMemory(name, [limitbot, ...words])
    show(await costs("most memory", leanest, way, { samples: 5, unit: "MB", budget: { atMost: 3 } }))
  }
}
