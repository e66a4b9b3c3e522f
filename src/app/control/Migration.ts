/** Checks if this version can read the configuration, strategy files and journal of an earlier one. Changes nothing. */
import { Effect } from "effect"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import { isThere } from "../journal/JournalView.ts"
import { ok, wrong } from "../start/CheckFinding.ts"
import * as StartChecks from "../start/StartChecks.ts"

const unchanged = (what: string, file: string) => ok(what, `${file}: read as it is`)

const toChange = (what: string, rendered: string) =>
  wrong(what, rendered, "change it before the first start of this version")

const configuration = Effect.fnUntraced(function* (config: string, files: ReadonlyArray<string>) {
  const settingsResult = yield* Effect.result(ConfigFile.loadSettings(config))
  if (settingsResult._tag === "Success")
    return {
      findings: [unchanged("configuration", config)],
      markets: settingsResult.success.markets,
      journal: settingsResult.success.journal
    }
  const { failure } = settingsResult
  const rendered = failure._tag === "ConfigInvalid" ? failure.rendered : failure.message
  const markets = yield* StrategyFiles.marketsNamedIn(files)
  return { findings: [toChange("configuration", rendered)], markets, journal: undefined }
})

const journalFindings = Effect.fnUntraced(function* (journal: string) {
  if (!(yield* isThere(journal))) return [ok("journal", `${journal}: does not exist yet`)]
  const tables = yield* Effect.result(StartChecks.tables(journal))
  if (tables._tag === "Failure")
    return [wrong("journal", `${journal}: ${tables.failure.message}`, "run limitbot check for the cause")]
  return tables.success.length === 0 ? [unchanged("journal", journal)] : tables.success
})

export const look = Effect.fn("Migration.look")(function* (config: string, files: ReadonlyArray<string>) {
  const { findings, journal, markets } = yield* configuration(config, files)
  const strategyFiles = yield* StrategyFiles.readAll(files, markets, "live")
  const wrong = new Set(strategyFiles.problems.map(({ file }) => file))
  return [
    ...findings,
    ...files.filter((file) => !wrong.has(file)).map((file) => unchanged("strategy", file)),
    ...strategyFiles.rendered.map((each) => toChange("strategy", each)),
    ...(journal === undefined ? [] : yield* journalFindings(journal))
  ]
})
