/**
 * Holds a service against the interface: `npm run -s conformance -- --url URL --api-key K --partner-jwt T --account-key
 * ed25519:… --ledger native --json`. One line a check, then the totals; exit code 1 when one fails. See docs/interface.md.
 */
import { parseArgs } from "node:util"
import { run } from "./Check.ts"
import { lanes } from "./suite.ts"
import { World } from "./World.ts"

const { values } = parseArgs({
  options: {
    url: { type: "string" },
    "analytics-url": { type: "string" },
    "api-key": { type: "string" },
    "partner-jwt": { type: "string" },
    "account-key": { type: "string" },
    ledger: { type: "string", default: "native" },
    verifier: { type: "string" },
    base: { type: "string" },
    quote: { type: "string" },
    spend: { type: "boolean", default: false },
    json: { type: "boolean", default: false }
  }
})

const loopback = /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/

if (values.url === undefined) {
  process.stderr.write(
    "conformance: --url URL is needed, and as far as there are: --api-key, --partner-jwt, --account-key\n"
  )
  process.exitCode = 2
} else {
  const variable = (name: string) => process.env[name]
  const world = new World({
    url: values.url,
    analyticsUrl: values["analytics-url"],
    apiKey: values["api-key"] ?? variable("LIMITBOT_API_KEY"),
    partnerJwt: values["partner-jwt"] ?? variable("LIMITBOT_PARTNER_JWT"),
    accountKey: values["account-key"] ?? variable("LIMITBOT_ACCOUNT_KEY"),
    ledger: values.ledger,
    verifier: values.verifier,
    base: values.base,
    quote: values.quote,
    maySpend: values.spend || loopback.test(values.url),
    fetch: (url, request) => fetch(url, { ...request, redirect: "manual", signal: AbortSignal.timeout(30_000) }),
    sleep: (millis) => new Promise((done) => setTimeout(done, millis)),
    now: () => Date.now()
  })
  const say = (line: string) => process.stdout.write(`${line}\n`)
  const outcomes = await run(world, lanes(values.ledger), (outcome) => {
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
