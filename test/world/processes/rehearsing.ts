/** A rehearsal in this process: a configuration and strategy files as a user writes them, and what became of them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import * as ConfigFile from "../../../src/files/ConfigFile.ts"
import * as StrategyFiles from "../../../src/files/StrategyFiles.ts"
import * as RehearsedBot from "../../../src/rehearsal/rehearse/RehearsedBot.ts"
import { assetsOf } from "../../../src/rehearsal/rehearse/Rehearsing.ts"
import type { RehearsalWish } from "../../../src/rehearsal/world/Rehearsal.ts"

export const assetLines = `assets:
  BTC:  { id: "nep141:btc.omft.native",  decimals: 8 }
  ETH:  { id: "nep141:eth.omft.native",  decimals: 18 }
  USDC: { id: "nep141:usdc.omft.native", decimals: 6 }
`

/** Sections that are given replace these. */
const usual: Readonly<Record<string, string>> = {
  venue: "venue: { url: https://venue.invalid, apiKey: { env: NONE } }\n",
  account: "account: { key: { env: NONE } }\n",
  assets: assetLines
}

/** The text of a configuration: the usual sections, and what the given text says. */
export const configWith = (text = ""): string =>
  Object.entries(usual)
    .flatMap(([name, section]) => (new RegExp(`^${name}:`, "m").test(text) ? [] : [section]))
    .join("") + text

/** A configuration as the program reads it. */
export const settingsOf = (text: string) => {
  const file = join(mkdtempSync(join(tmpdir(), "limitbot-config-")), "config.yaml")
  writeFileSync(file, text)
  return Effect.runPromise(
    ConfigFile.loadSettings(file).pipe(
      Effect.provide(NodeServices.layer),
      Effect.ensuring(Effect.sync(() => rmSync(dirname(file), { recursive: true })))
    )
  )
}

export interface Rehearsing extends Partial<Omit<RehearsalWish, "settings" | "strategies" | "folder">> {
  /** Of the configuration, beside the usual sections. */
  readonly config?: string
  readonly strategy: string
  /** Beside the configuration, by name. */
  readonly files?: Readonly<Record<string, string>>
}

export const rehearsed = ({ config, files = {}, strategy, ...wish }: Rehearsing) => {
  const folder = mkdtempSync(join(tmpdir(), "limitbot-rehearsed-"))
  const all = { "config.yaml": configWith(config), "strategy.yaml": strategy, ...files }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  return Effect.gen(function* () {
    const settings = yield* ConfigFile.loadSettings(join(folder, "config.yaml"))
    const strategies = yield* StrategyFiles.load([join(folder, "strategy.yaml")], settings.markets)
    return yield* RehearsedBot.rehearse({
      settings,
      strategies,
      allow: [],
      assets: assetsOf(settings.markets.assets, strategies, undefined),
      candles: undefined,
      candlesSymbol: strategies[0]?.market.base.symbol ?? "BTC",
      seed: 1,
      days: 0.01,
      level: "none",
      folder,
      progress: () => Effect.void,
      ...wish
    })
  }).pipe(
    Effect.scoped,
    Effect.provide(NodeServices.layer),
    Effect.ensuring(Effect.sync(() => rmSync(folder, { recursive: true })))
  )
}
