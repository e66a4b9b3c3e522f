/** The findings of start checks, and the checks that need only files. `check` shows them as well, so nothing heavy is loaded here. */
import { accessSync, constants, statfsSync } from "node:fs"
import { dirname } from "node:path"
import { versions } from "node:process"
import { Result, Schema } from "effect"
import type { chargedRow } from "../../domain/EchoedFee.ts"
import { countText, messageOf } from "../../domain/Text.ts"
import type * as StartUp from "../../engine/StartUp.ts"
import type { BotSettings } from "../../files/ConfigFile.ts"
import * as LoginSalt from "../../venue/http/LoginSalt.ts"

export class StartRefused extends Schema.TaggedError<StartRefused>()("StartRefused", {
  text: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `${this.text}. Nothing was started. To fix it: ${this.fix}`
  }
}

export type StartRefusal = StartRefused | StartUp.Contradiction

export interface CheckFinding {
  readonly check: string
  readonly verdict: "ok" | "warn" | "wrong"
  readonly text: string
  readonly fix?: string
  readonly charged?: ReturnType<typeof chargedRow>
  readonly refusal?: StartRefusal
}

export const ok = (check: string, text: string): CheckFinding => ({ check, verdict: "ok", text })

export const warn = (check: string, text: string, fix: string): CheckFinding => ({ check, verdict: "warn", text, fix })

export const wrong = (check: string, text: string, fix: string): CheckFinding => ({
  check,
  verdict: "wrong",
  text,
  fix
})

export const stops = (
  check: string,
  text: string,
  fix: string,
  refusal: StartRefusal = new StartRefused({ text, fix })
): CheckFinding => ({ ...wrong(check, text, fix), refusal })

export interface FileGround extends Pick<BotSettings, "journal"> {
  readonly venue: Pick<BotSettings["venue"], "facts">
  readonly notify: ReadonlyArray<unknown>
  readonly heartbeat: unknown
}

const node = (): CheckFinding => ok("node", `Node ${versions.node}`)

const minFreeBytes = 500_000_000

const disk = ({ journal }: FileGround): CheckFinding => {
  const folder = dirname(journal)
  const space = Result.try(() => {
    // With the slash, a file in place of the folder fails.
    accessSync(`${folder}/`, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  })
  if (Result.isFailure(space))
    return stops(
      "disk",
      `${folder} cannot be written: ${messageOf(space.failure)}`,
      "create the folder of the journal, for the bot's user"
    )
  const text = `${Math.floor(space.success / 1e6)} MB free where the journal is`
  return space.success < minFreeBytes
    ? wrong("disk", text, "free some space: a bot that cannot write its journal stops")
    : ok("disk", text)
}

const login = ({ venue: { facts } }: FileGround): CheckFinding => {
  const { login, saltFrom, salts } = facts
  if (LoginSalt.isMissing(facts))
    return warn(
      "login",
      `no login without the salt of ${login.verifier}: private balances and the account's own history cannot be read`,
      "set venue.facts.saltFrom to an RPC address of its ledger, or venue.nonceSalt"
    )
  const salt = salts[login.verifier]
  const from = saltFrom ?? (salt === undefined ? undefined : "the configuration; it rotates")
  return ok("login", from === undefined ? "needs no salt" : `the salt of ${login.verifier} comes from ${from}`)
}

const alerts = ({ heartbeat, notify }: FileGround): CheckFinding =>
  notify.length > 0 || heartbeat !== undefined
    ? ok("alerts", `${countText(notify.length, "receiver")}${heartbeat === undefined ? "" : ", heartbeat"}`)
    : warn("alerts", "no alerts configured", "set notify or heartbeat")

const rows = [node, disk, login, alerts]

export const look = (settings: FileGround): ReadonlyArray<CheckFinding> => rows.map((row) => row(settings))
