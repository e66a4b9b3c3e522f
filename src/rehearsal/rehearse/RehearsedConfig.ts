/**
 * The user's configuration as a rehearsal takes it: everything that decides what the bot does, as it stands; what leads
 * out of this machine or to real money, replaced. Every key of the file is named here or belongs to a section that is
 * (`test/cli/rehearse/everyKey.test.ts` has a row for each).
 */

import { Redacted } from "effect"
import { present } from "../../domain/Present.ts"
import type { BotConfig, BotSettings } from "../../files/ConfigFile.ts"
import * as NotifyConfig from "../../files/sections/NotifyConfig.ts"
import { saltFrom } from "../../sandbox/SandboxApi.ts"
import type { ConnectionRecord } from "../../sandbox/SandboxServer.ts"

export const of = (
  {
    account,
    canary,
    heartbeat,
    limits,
    markets,
    notify,
    prices,
    reconcileEvery,
    signalFile,
    stuckAfter,
    venue
  }: BotSettings,
  { account: own, apiKey, partnerJwt, quoteKey, url }: Omit<ConnectionRecord, "ledger" | "verifier">,
  journal: string
): BotConfig => ({
  venue: {
    ...venue,
    url,
    analyticsUrl: url,
    apiKey: Redacted.make(apiKey),
    partnerJwt: venue.hasPartner ? Redacted.make(partnerJwt) : undefined,
    // Its own key, verified where the configuration verifies.
    quoteKey: venue.quoteKey === undefined ? undefined : quoteKey,
    // A rehearsal reads nothing from the network, and its venue has no incidents.
    incidents: undefined,
    facts: { ...venue.facts, saltFrom: saltFrom(url) }
  },
  account: { ...account, signerId: undefined, signer: undefined, signing: { key: Redacted.make(own.key) } },
  // Candles of the past come re-dated, with the prices of the sandbox: see `WarmCandles`.
  markets: { assets: markets.assets, ticks: markets.ticks, ...present({ costs: markets.costs }) },
  prices,
  // The sandbox has prices of its own, which nobody outside knows.
  priceProgram: undefined,
  limits,
  reconcileEvery,
  canary,
  stuckAfter,
  journal,
  signalFile,
  // Nobody outside is told of a journal that is thrown away.
  witness: undefined,
  notify: notify.map(NotifyConfig.withoutSecrets),
  heartbeat: heartbeat && { url: Redacted.make(nowhere), everyMillis: heartbeat.everyMillis },
  otlp: undefined,
  dashboard: undefined
})

const nowhere = "https://nobody.invalid"
