/** The options of a sandbox, and the settings that follow from them. */
import { present } from "../domain/Present.ts"
import { defaultProfile, factsOf, ledgerOf, type ProfileName } from "../venue/profile/Profiles.ts"
import type { LedgerName } from "../venue/wire/WireValue.ts"
import type { FaultRates } from "./http/Faults.ts"
import * as Keys from "./http/Keys.ts"
import type { ReplayedCandles } from "./market/MarketModel.ts"
import { defaultSettings, type SandboxSettings } from "./Settings.ts"

/** Settings of a new sandbox. Each has a default. */
export interface SandboxOptions {
  /** Port on 127.0.0.1; default: any free port. */
  readonly port?: number | undefined
  /** Equal seeds give equal markets. */ readonly seed?: number | undefined
  /** Spelling of the home ledger in asset ids. */ readonly ledger?: LedgerName | undefined
  /** The deployment whose facts it imitates; default: the interface document's. */
  readonly like?: ProfileName | undefined
  /** Candle CSV to replay instead of the generated prices of one asset. */
  readonly candles?: string | undefined
  /** The asset of the candles; default: the one in the file's name, otherwise BTC. */
  readonly candlesSymbol?: string | undefined
  /** Seconds of the sandbox per second; 0: the market stands still. */ readonly speed?: number | undefined
  /** Path of the file that keeps the state. Missing: the sandbox forgets its state at its end. */
  readonly state?: string | undefined
  /** Default: none. */ readonly faults?: FaultRates | undefined
  /** Number of generated accounts that start with money; default: one. */
  readonly accountCount?: number | undefined
  /** Accounts that start with money, besides the generated ones. */
  readonly accounts?: ReadonlyArray<string> | undefined
  /** Settings that differ from the defaults. */
  readonly settings?: Partial<SandboxSettings> | undefined
}

export const settingsOf = (options: SandboxOptions, candles: ReplayedCandles | undefined): SandboxSettings => {
  const seed = options.seed ?? 1
  const { like } = options
  const defaults = defaultSettings(options.ledger ?? ledgerOf(like ?? defaultProfile))
  const facts = like === undefined ? undefined : factsOf(like, defaults.verifier)
  const settings = { ...defaults, seed, ...present({ facts }), ...options.settings }
  const generated = Array.from({ length: options.accountCount ?? 1 }, (_, index) =>
    Keys.generatedAccount(seed, index + 1)
  )
  const accounts = [...generated.map(({ signerId }) => signerId), ...(options.accounts ?? [])]
  const symbol = options.candlesSymbol ?? candlesSymbol(settings, options.candles ?? "")
  const replayed = candles === undefined ? {} : { candles: { symbol, hash: candles.sha256 } }
  return { ...settings, accounts, speed: options.speed ?? settings.speed, ...replayed }
}

/** `binance-solusdt-1m.csv` has prices of SOL. */
export const candlesSymbol = (settings: SandboxSettings, file: string): string => {
  const name = (file.split(/[/\\]/).at(-1) ?? "").toLowerCase()
  const asset = settings.assets.find(({ symbol, volatility }) => volatility > 0 && name.includes(symbol.toLowerCase()))
  return asset?.symbol ?? "BTC"
}
