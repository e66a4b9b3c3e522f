/** The rooms whose mistakes cost money: which files are in each. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

export const root = join(import.meta.dirname, "../../..")

const rooms: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: ["src/domain/*.ts"],
  ledger: ["src/ledger/*.ts"],
  planning: ["src/engine/planning/**/*.ts"],
  funding: ["src/engine/funding/*.ts"],
  tracking: ["src/engine/tracking/*.ts"],
  observation: ["src/engine/observation/*.ts"],
  restart: ["src/engine/restart/*.ts"],
  state: ["src/engine/state/**/*.ts"],
  signing: ["src/signing/**/*.ts", "src/signer/**/*.ts"],
  orderbook: ["src/orderbook/*.ts"],
  http: ["src/venue/http/*.ts"],
  kernel: ["src/lab/backtest/kernel/**/*.ts"],
  strategy: [
    "src/strategy/Decision.ts",
    "src/strategy/kinds/{CostFloor,StopExit,Size,OrderCheck}.ts",
    "src/strategy/modifiers/*.ts"
  ],
  candles: ["src/candles/{Alignment,CrossingIndex,Resample,TimeAxis}.ts", "src/candles/within/{BarPath,Unfold}.ts"]
}

export interface Source {
  readonly room: string
  readonly file: string
  readonly text: string
}

export const sourcesOf = (only: ReadonlyArray<string>): ReadonlyArray<Source> =>
  Object.entries(rooms).flatMap(([room, patterns]) =>
    only.length > 0 && !only.includes(room)
      ? []
      : patterns
          .flatMap((pattern) => globSync(pattern, { cwd: root }))
          .sort()
          .map((file) => ({ room, file, text: readFileSync(join(root, file), "utf8") }))
  )
