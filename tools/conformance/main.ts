/**
 * Holds a service against the interface: `npm run -s conformance -- --url URL --api-key K --partner-jwt T --account-key
 * ed25519:… --ledger native --json`; with `--profile NAME` also against the facts of that profile. One line a check, then the
 * totals; exit code 1 when one fails. See docs/interface.md.
 */
import { parseArgs } from "node:util"
import { factsOf, ledgerOf, type ProfileName, profileNames, verifierOf } from "../../src/venue/profile/Profiles.ts"
import { ledgers } from "../../src/venue/wire/WireValue.ts"
import { run } from "./Check.ts"
import { lanes } from "./suite.ts"
import { World } from "./World.ts"

const options = {
  url: { type: "string" },
  "analytics-url": { type: "string" },
  "api-key": { type: "string" },
  "partner-jwt": { type: "string" },
  "account-key": { type: "string" },
  profile: { type: "string" },
  ledger: { type: "string" },
  verifier: { type: "string" },
  "salt-from": { type: "string" },
  base: { type: "string" },
  quote: { type: "string" },
  spend: { type: "boolean", default: false },
  json: { type: "boolean", default: false }
} as const

const flagsOf = () => {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    const flags = Object.keys(options).map((name) => `--${name}`)
    process.stderr.write(
      `conformance: ${error instanceof Error ? error.message : String(error)}; flags: ${flags.join(", ")}\n`
    )
    process.exit(2)
  }
}

const values = flagsOf()

const loopback = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/

const profile = profileNames.find((name) => name === values.profile)
const usual: ProfileName = profile ?? "document"
const ledger = ledgers.find((name) => name === (values.ledger ?? ledgerOf(usual)))

const unusable =
  values.url === undefined
    ? "--url URL is needed, and as far as there are: --api-key, --partner-jwt, --account-key"
    : values.profile !== undefined && profile === undefined
      ? `--profile is one of ${profileNames.join(", ")}`
      : undefined

if (values.url === undefined || unusable !== undefined || ledger === undefined) {
  process.stderr.write(`conformance: ${unusable ?? `--ledger is one of ${ledgers.join(", ")}`}\n`)
  process.exitCode = 2
} else {
  const facts = factsOf(usual, values.verifier ?? verifierOf(ledger))
  const variable = (name: string) => process.env[name]
  const world = new World({
    url: values.url,
    analyticsUrl: values["analytics-url"],
    apiKey: values["api-key"] ?? variable("LIMITBOT_API_KEY"),
    partnerJwt: values["partner-jwt"] ?? variable("LIMITBOT_PARTNER_JWT"),
    accountKey: values["account-key"] ?? variable("LIMITBOT_ACCOUNT_KEY"),
    ledger,
    facts,
    saltFrom: values["salt-from"],
    base: values.base,
    quote: values.quote,
    maySpend: values.spend || loopback.test(values.url),
    fetch: (url, request) => fetch(url, { ...request, redirect: "manual", signal: AbortSignal.timeout(30_000) }),
    sleep: (millis) => new Promise((done) => setTimeout(done, millis)),
    now: () => Date.now()
  })
  const say = (line: string) => process.stdout.write(`${line}\n`)
  const outcomes = await run(world, lanes(ledger, profile === undefined ? undefined : facts), (outcome) => {
    const { detail, id, sentence, verdict } = outcome
    if (values.json) say(JSON.stringify({ id, sentence, verdict, detail }))
    else if (verdict !== "holds")
      say(`${verdict.toUpperCase()}  ${id}  ${sentence}${detail === "" ? "" : `: ${detail}`}`)
  })
  const count = (wanted: string) => outcomes.filter(({ verdict }) => verdict === wanted).length
  const totals = { holds: count("holds"), fails: count("fails"), cannotShow: count("cannot show") }
  say(
    values.json
      ? JSON.stringify(totals)
      : `${totals.holds} hold, ${totals.fails} fail, ${totals.cannotShow} cannot be shown.`
  )
  process.exitCode = totals.fails > 0 ? 1 : 0
}
