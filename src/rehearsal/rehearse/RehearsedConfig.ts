/**
 * The user's configuration for a rehearsal. Settings that decide the bot's actions stay; settings that lead out of this machine or to real
 * money are replaced. `test/cli/rehearse/everyKey.test.ts` has a row for each key.
 */
import { Redacted } from "effect"
import type { BotConfig, BotSettings } from "../../files/ConfigFile.ts"
import * as NotifyConfig from "../../files/sections/NotifyConfig.ts"
import { saltFrom } from "../../sandbox/SandboxApi.ts"
import type { ConnectionRecord } from "../../sandbox/SandboxServer.ts"

export const of = (
  settings: BotSettings,
  { account: own, apiKey, partnerJwt, quoteKey, url }: Omit<ConnectionRecord, "ledger" | "verifier">,
  journal: string
): BotConfig => {
  const { account, canary, heartbeat, limits, markets, notify, prices } = settings
  const { reconcileEvery, signalFile, stuckAfter, venue } = settings
  // `WarmCandles` gives past candles new dates and the sandbox's prices.
  const { sources: _, ...withoutSources } = markets
  return {
    venue: {
      ...venue,
      url,
      analyticsUrl: url,
      apiKey: Redacted.make(apiKey),
      partnerJwt: venue.hasPartner ? Redacted.make(partnerJwt) : undefined,
      // The sandbox's own key, if the configuration verifies quotes.
      quoteKey: venue.quoteKey === undefined ? undefined : quoteKey,
      // A rehearsal reads nothing from the network, and its venue has no incidents.
      incidents: undefined,
      facts: { ...venue.facts, saltFrom: saltFrom(url) }
    },
    account: { ...account, signerId: undefined, signer: undefined, signing: { key: Redacted.make(own.key) } },
    markets: withoutSources,
    prices,
    // The sandbox has its own prices, which no outside program knows.
    priceProgram: undefined,
    limits,
    reconcileEvery,
    canary,
    stuckAfter,
    journal,
    signalFile,
    // An alert places no order, and a rehearsal sends none.
    alerts: [],
    // The journal is thrown away, so no outside witness gets its checkpoints.
    witness: undefined,
    notify: notify.map(NotifyConfig.withoutSecrets),
    heartbeat: heartbeat && { url: Redacted.make(nowhere), everyMillis: heartbeat.everyMillis },
    otlp: undefined,
    dashboard: undefined
  }
}

const nowhere = "https://nobody.invalid"
