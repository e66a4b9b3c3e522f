/** Runs `limitbot check`: every start check with its finding, the facts of the service, or what to change for this version. */
import { Effect, Result } from "effect"
import * as Drift from "../../domain/Drift.ts"
import { present } from "../../domain/Present.ts"
import { countText } from "../../domain/Text.ts"
import * as ConfigFile from "../../files/ConfigFile.ts"
import * as StrategyFiles from "../../files/StrategyFiles.ts"
import { type CommandAnswer, PrintedFailure } from "../../process/Answer.ts"
import { isThere } from "../journal/JournalView.ts"
import { type CheckFinding, ok, wrong } from "../start/FileChecks.ts"
import * as StartChecks from "../start/StartChecks.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"
import * as ServiceCheck from "./ServiceCheck.ts"

const marks = { ok: "ok   ", warn: "warn ", wrong: "WRONG" } as const

export const asText = ({ check, fix, text, verdict }: CheckFinding): string =>
  `${marks[verdict]}  ${check}: ${text}${fix === undefined ? "" : `\n       → ${fix}`}`

export const answerOf = (findings: ReadonlyArray<CheckFinding>) => {
  const count = findings.filter(({ verdict }) => verdict === "wrong").length
  return {
    data: () => ({ ok: count === 0, findings: findings.map(({ refusal: _, ...finding }) => finding) }),
    lines: () => findings.map(asText),
    exit: count === 0 ? undefined : new PrintedFailure({ message: `${countText(count, "problem")} to fix` })
  } satisfies CommandAnswer
}

export const profileOf = Effect.fn("Doctor.profileOf")(function* (config: string) {
  const { facts, profile } = (yield* ConfigFile.loadSettings(config)).venue
  const all = [["profile", profile] as const, ...factLines("", facts)]
  const width = Math.max(...all.map(([name]) => name.length))
  return {
    data: () => ({ profile, facts }),
    lines: () => all.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
  } satisfies CommandAnswer
})

const factLines = (name: string, value: unknown): ReadonlyArray<readonly [string, string]> => {
  if (typeof value !== "object" || value === null) return [[name, String(value)]]
  if (Array.isArray(value)) return [[name, value.join(", ") || "none"]]
  const parts = Object.entries(value)
  if (parts.length === 0) return [[name, "none known"]]
  return parts.flatMap(([key, part]) => factLines(name === "" ? key : `${name}.${key}`, part))
}

export const findingsOf = Effect.fnUntraced(function* (file: string) {
  const loaded = yield* ConfigFile.load(file).pipe(Effect.result)
  if (loaded._tag === "Failure") return [wrong("configuration", loaded.failure.message, "correct the file")]
  const config = loaded.success
  const configFinding = ok("configuration", `${file}: ${countText(config.markets.assets.length, "asset")}`)
  return [configFinding, ...(yield* StartChecks.all(config))]
})

export const compared = Effect.fn("Doctor.compared")(function* (config: string) {
  const { found } = yield* VenueAccess.look(config, ServiceCheck.look)
  const { checked, drift, quoted, unchecked } = found
  const why = Drift.closing(drift)
  return {
    data: () => ({ drift, checked, unchecked, ...present({ quoted }) }),
    lines: () => [
      ...drift.map((each) => `${each.closesFunding ? "CHANGED" : "differs"}  ${Drift.sentenceOf(each)}`),
      ...(drift.length === 0 ? ["The service is as it was recorded."] : []),
      `Compared: ${checked.join(", ") || "nothing"}.`,
      ...(quoted === undefined ? [] : [`The quote was for ${quoted}.`]),
      ...unchecked.map(({ what, why }) => `Not compared: ${what}: ${why}`)
    ],
    exit: why === undefined ? undefined : new PrintedFailure({ message: why })
  } satisfies CommandAnswer
})

const unchanged = (what: string, file: string) => ok(what, `${file}: read as it is`)

const toChange = (what: string, rendered: string) =>
  wrong(what, rendered, "change it before the first start of this version")

const journalFindings = Effect.fnUntraced(function* (journal: string) {
  if (!(yield* isThere(journal))) return [ok("journal", `${journal}: does not exist yet`)]
  const tables = yield* Effect.result(StartChecks.tables(journal))
  if (Result.isFailure(tables))
    return [wrong("journal", `${journal}: ${tables.failure.message}`, "run limitbot check for the cause")]
  return tables.success.length === 0 ? [unchanged("journal", journal)] : tables.success
})

/** Checks if this version can read the configuration, strategy files and journal of an earlier one. Changes nothing. */
export const upgraded = Effect.fn("Doctor.upgraded")(function* (config: string, files: ReadonlyArray<string>) {
  const settings = yield* Effect.result(ConfigFile.loadSettings(config))
  const { journal, markets } = Result.isSuccess(settings)
    ? settings.success
    : { journal: undefined, markets: yield* StrategyFiles.marketsNamedIn(files) }
  const strategyFiles = yield* StrategyFiles.readAll(files, markets, "live")
  const faulty = new Set(strategyFiles.problems.map(({ file }) => file))
  return answerOf([
    Result.isSuccess(settings)
      ? unchanged("configuration", config)
      : toChange("configuration", settings.failure.message),
    ...files.filter((file) => !faulty.has(file)).map((file) => unchanged("strategy", file)),
    ...strategyFiles.rendered.map((each) => toChange("strategy", each)),
    ...(journal === undefined ? [] : yield* journalFindings(journal))
  ])
})
