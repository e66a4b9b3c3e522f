/** The built program as whole processes: how long it takes to start and to run, and how much memory it needs. */
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Bench } from "./bench.ts"
import { compare, type Done, type Way } from "./measure.ts"

export const gridText = `name: bench
market: BTC/USDC
kind: grid
limits: { budget: { base: 1, quote: 100000 }, maxOpenOrders: 1000 }
grid: { lower: 25000, upper: 60000, levels: 21, spacing: geometric, size: { base: 0.01 } }
`

/** Builds into the folder, and gives the file to run. */
export const built = (folder: string): string => {
  const [tool, program] = [resolve(import.meta.dirname, "../tools/build.ts"), join(folder, "dist/limitbot.mjs")]
  if (!existsSync(program)) execFileSync(process.execPath, [tool, join(folder, "dist")])
  return program
}

/** Synthetic minutes as CSV, with their column cache beside. */
export const minutes = (limitbot: string, folder: string, years: number): string => {
  const file = join(folder, `${years}-years.csv`)
  if (existsSync(file)) return file
  execFileSync(process.execPath, [limitbot, "data", "generate", file, "--bars", `${years * 525_600}`])
  execFileSync(process.execPath, [limitbot, "data", "info", file])
  return file
}

const write = (folder: string): string => {
  const strategy = join(folder, "strategy.yaml")
  writeFileSync(strategy, gridText)
  return strategy
}

const wholeProcess = (name: string, args: ReadonlyArray<string>): Way => ({
  name,
  run: () => (spawnSync(process.execPath, args, { stdio: "ignore" }).status === 0 ? "done" : "failed")
})

export const start = async ({ show, folder }: Bench): Promise<void> => {
  const limitbot = built(folder)
  const year = minutes(limitbot, folder, 1)
  const strategy = write(folder)
  const empty = wholeProcess("an empty Node process", ["-e", "0"])
  const commands = [
    ["--version"],
    ["--help"],
    ["check", strategy, "--config", resolve(import.meta.dirname, "../config/example.yaml")],
    ["backtest", strategy, "--data", year, "--json", "--band", "rules"],
    ["backtest", strategy, "--data", year, "--json", "--fills", "optimistic"]
  ]
  for (const command of commands) {
    const name = `\`${command.filter((word) => (word.startsWith("-") ? word !== "--data" && word !== "--config" : !word.includes("/"))).join(" ")}\``
    show(await compare("whole process", empty, wholeProcess(name, [limitbot, ...command]), { samples: 15, warmUps: 2 }))
  }
}

export const tellMemory =
  "data:text/javascript,import{readFileSync}from'node:fs';process.on('exit',()=>process.stderr.write(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status','utf8'))[1]))"

const quotesText = `name: quotes
market: BTC/USDC
kind: market-making
limits: { budget: { base: 0.03, quote: 2000 } }
market-making: { levels: 3, spread: 0.6%, step: 0.3%, size: 0.005, requote: 0.4%, skew: 0.5%, maxInventory: 0.015 }
`

/** What a user types first, both sides and the simulated runs, against one side of the same: time, and most memory. */
export const typed = async ({ show, folder }: Bench): Promise<void> => {
  const limitbot = built(folder)
  const data = minutes(limitbot, folder, 1)
  for (const [name, text] of [
    ["grid", gridText],
    ["market making", quotesText]
  ] as const) {
    const file = join(folder, `${name.replace(" ", "-")}.yaml`)
    writeFileSync(file, text)
    const words = [limitbot, "backtest", file, "--data", data]
    const one = [...words, "--fills", "optimistic"]
    const oneSide = wholeProcess("one side", one)
    const asTyped = wholeProcess(`\`backtest FILE\` of a year, ${name}`, words)
    show(await compare("whole process", oneSide, asTyped, { samples: 5 }))
    const [lean, whole] = [mostMemory("one side", one), mostMemory(`the same, ${name}`, words)]
    show(await compare("most memory", lean, whole, { samples: 3 }), "MB")
  }
}

const mostMemory = (name: string, args: ReadonlyArray<string>): Way => ({
  name,
  run: (): Done => {
    const { stderr } = spawnSync(process.execPath, ["--import", tellMemory, ...args], { encoding: "utf8" })
    return { result: "", measured: Number(stderr) / 1024 }
  }
})

/** The most memory that a run ever had, against that of an empty process. */
export const memory = async ({ show, folder }: Bench): Promise<void> => {
  const limitbot = built(folder)
  const strategy = write(folder)
  const empty = mostMemory("an empty Node process", ["-e", "0"])
  for (const years of [1, 5]) {
    const file = minutes(limitbot, folder, years)
    const run = mostMemory(`\`backtest\` of ${years === 1 ? "a year" : `${years} years`}`, [
      limitbot,
      "backtest",
      strategy,
      "--data",
      file,
      "--json",
      "--band",
      "rules"
    ])
    show(await compare("most memory", empty, run, { samples: 5 }), "MB")
  }
}
