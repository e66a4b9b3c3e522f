/**
 * The checks before a first order: all of `limitbot check`; no other process uses the journal and no kill switch is on; the venue accepts
 * the account's login; the service is still the one for which this program was written (`limitbot check --service`). Each finding says what
 * to do. Nothing is changed.
 */
import { Effect, Option, Result, Schema } from "effect"
import type { Asset } from "../../domain/Amount.ts"
import * as Drift from "../../domain/Drift.ts"
import { depositTypeOf } from "../../domain/MoneyPath.ts"
import type { BotConfig } from "../../files/ConfigFile.ts"
import * as Lease from "../../journal/Lease.ts"
import * as Layers from "../../Layers.ts"
import * as KillFile from "../../process/KillFile.ts"
import { Canary, type ServiceLook } from "../../venue/canary/Canary.ts"
import { heldIn, Venue } from "../../venue/Venue.ts"
import type { VenueAccount } from "../../venue/VenueConfig.ts"
import * as Doctor from "../control/Doctor.ts"
import { type CheckFinding, ok, warn, wrong } from "../start/CheckFinding.ts"
import * as VenueAccess from "../swap/VenueAccess.ts"

export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", { wrong: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `Nothing was placed; fix this first: ${this.wrong.join("; ")}`
  }
}

export const all = Effect.fn("Checks.all")(function* (file: string, config: BotConfig, account: VenueAccount) {
  const usual = yield* Doctor.findingsOf(file)
  const holder = yield* Lease.holder(config.journal)
  const killed = yield* Effect.flatten(KillFile.watch(config.journal))
  const compared = yield* Effect.result(witnessed(config, account)((canary) => canary.look(config.markets.assets)))
  const looking = Layers.looking(config, account)
  const balancesResult = yield* Effect.result(Venue.use((venue) => venue.balances).pipe(Effect.provide(looking)))
  const holdings = yield* Effect.option(heldOf(config, config.markets.assets).pipe(Effect.provide(looking)))
  const findings = [
    // The usual checks allow both, because a bot may run. A first order does not.
    ...usual.filter(({ check }) => check !== "kill switch" && check !== "process"),
    ...(holder === undefined
      ? []
      : [wrong("process", `process ${holder.pid} works with the journal`, "stop it first")]),
    ...(killed === undefined ? [] : [wrong("kill switch", `it is on: ${killed}`, "limitbot kill --off")]),
    loginFinding(config, account, balancesResult),
    serviceFinding(compared)
  ]
  return { findings, balances: Option.getOrUndefined(holdings) }
})

const witnessed =
  (config: BotConfig, { signerId }: VenueAccount) =>
  <A, E>(ask: (canary: Canary["Service"]) => Effect.Effect<A, E>) =>
    Canary.use(ask).pipe(Effect.provide(VenueAccess.venue(config, signerId)))

const serviceFinding = (compared: Result.Result<ServiceLook, { readonly message: string }>) => {
  const what = "service"
  if (Result.isFailure(compared)) return warn(what, compared.failure.message, "limitbot check --service")
  const { checked, drift } = compared.success
  const closing = Drift.closing(drift)
  if (closing !== undefined) return wrong(what, closing, "a newer limitbot; see: limitbot check --service")
  return drift.length === 0
    ? ok(what, `as it was recorded: ${checked.join(", ") || "nothing could be compared"}`)
    : warn(what, drift.map(Drift.sentenceOf).join("; "), "no money depends on it; see: limitbot check --service")
}

export const changeOf = (config: BotConfig, account: VenueAccount, orderId: string) =>
  witnessed(
    config,
    account
  )((canary) => canary.order(orderId)).pipe(
    Effect.match({
      onSuccess: Drift.closing,
      onFailure: ({ message }) => `it could not be compared with the recorded orders: ${message}`
    })
  )

const loginFinding = (
  config: BotConfig,
  { signerId }: VenueAccount,
  told: Result.Result<unknown, { readonly message: string }>
) => {
  if (Result.isSuccess(told)) {
    return ok("login", `the venue takes that of ${signerId}: key, salt and both clocks are right`)
  }
  const isNeeded = config.markets.assets.some(
    (asset) => depositTypeOf(config.account, asset) === "CONFIDENTIAL_INTENTS"
  )
  const { message } = told.failure
  return isNeeded
    ? wrong("login", message, "check account.key, the salt (venue.nonceSalt, or venue.facts.saltFrom), and both clocks")
    : warn("login", message, "orders of public accounts need none; without it their balance is not checked")
}

export const passed = (findings: ReadonlyArray<CheckFinding>) => {
  const wrong = findings.filter(({ verdict }) => verdict === "wrong").map(({ check, text }) => `${check}: ${text}`)
  return wrong.length === 0 ? Effect.void : Effect.fail(new NotReady({ wrong }))
}

const heldOf = ({ account }: BotConfig, assets: ReadonlyArray<Asset>) =>
  heldIn(new Map(assets.map((asset) => [asset.id, depositTypeOf(account, asset)])))

/** The balance that orders are paid from; `undefined` if no source reports it. */
export const balanceOf = (config: BotConfig, asset: Asset) =>
  Effect.map(heldOf(config, [asset]), (held) => held.get(asset.id))
