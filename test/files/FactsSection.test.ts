/** What a configuration may say of a deployment: whatever a profile says, in `venue` or in `venue.facts`. */
import { assert, describe, it } from "@effect/vitest"
import { factsOf, profileNames } from "../../src/venue/profile/Profiles.ts"
import { configWith, settingsOf } from "../world/processes/rehearsing.ts"

const leavesOf = (value: unknown, path = ""): ReadonlyArray<readonly [string, unknown]> =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? [[path, value]]
    : Object.entries(value).flatMap(([key, part]) => leavesOf(part, path === "" ? key : `${path}.${key}`))

/** A fact by its place, what the file says, and what is believed then. */
const others: Readonly<Record<string, readonly [said: string, believed: unknown]>> = {
  "signing.INTENTS.verifier": ["verifier: others.near", "others.near"],
  "signing.CONFIDENTIAL_INTENTS.verifier": ["facts: { confidentialVerifier: others.far }", "others.far"],
  "signing.CONFIDENTIAL_INTENTS.treasury": [`facts: { treasury: ${"0".repeat(64)} }`, "0".repeat(64)],
  "login.verifier": ["facts: { loginVerifier: others.near }", "others.near"],
  "login.nonce": ["facts: { loginNonce: free }", "free"],
  "login.startsWithinSeconds.before": ["facts: { loginWithin: { before: 1m, after: 5m } }", 60],
  "login.startsWithinSeconds.after": ["facts: { loginWithin: { before: 4m, after: 90s } }", 90],
  "salts.intents.far": ["facts: { salts: { intents.far: 252812b3 } }", "252812b3"],
  movesBetweenAccounts: ["facts: { movesBetweenAccounts: false }", false],
  "fees.credential": ["facts: { fees: { credential: partnerJwt } }", "partnerJwt"],
  "fees.withoutPartner": ["facts: { fees: { withoutPartner: 0.3% } }", 30],
  "fees.withPartner": ["facts: { fees: { withPartner: 0.3% } }", 30],
  "fees.alike": ["facts: { fees: { alike: 0.3% } }", 30],
  "fees.stable": ["facts: { fees: { stable: [EURC] } }", ["EURC"]],
  "fees.settlement": ["facts: { fees: { settlement: 0.3% } }", 30],
  "fees.appFees": ["facts: { fees: { appFees: added } }", "added"],
  "fees.improvement.kept": ["facts: { fees: { improvement: { kept: 10% } } }", 0.1],
  "fees.improvement.minutes": ["facts: { fees: { improvement: { minutes: 5 } } }", 5],
  "fees.flat": ["facts: { fees: { flat: everywhere } }", "everywhere"],
  "fees.fillsNet": ["facts: { fees: { fillsNet: true } }", true],
  "orders.confidentialities": ["facts: { orders: { confidentialities: [advanced] } }", ["advanced"]],
  "orders.minUsd": ["facts: { orders: { minUsd: 5 } }", 5],
  ...Object.fromEntries(
    ["bsc", "pol", "ton", "op", "avax", "stellar", "monad", "xlayer", "adi", "tron"].map((chain) => [
      `orders.chainMinUsd.${chain}`,
      [`facts: { orders: { chainMinUsd: { ${chain}: 7 } } }`, 7]
    ])
  ),
  "orders.quotes": ["facts: { orders: { quotes: public } }", "public"],
  "orders.tooSmall": ["facts: { orders: { tooSmall: request-rejected } }", "request-rejected"],
  settlementHashes: ["facts: { settlementHashes: true }", true],
  crossingHashes: ["facts: { crossingHashes: false }", false],
  advancedStatus: ["facts: { advancedStatus: whole }", "whole"],
  accountHistory: ["facts: { accountHistory: open }", "open"]
}

const settings = (more: string) =>
  settingsOf(
    configWith(`venue: { url: https://venue.invalid, apiKey: { env: NONE }, profile: near-2026-11, ${more} }\n`)
  )

describe("the facts of a deployment", () => {
  it("each have a key that overrides them", () => {
    const all = new Set(profileNames.flatMap((name) => leavesOf(factsOf(name, "intents.near")).map(([path]) => path)))
    assert.deepStrictEqual([...all].sort(), Object.keys(others).sort())
  })

  it.each(Object.entries(others))("%s is taken from the file", async (path, [said, believed]) => {
    const usual = new Map(leavesOf((await settings("")).venue.facts))
    const { venue } = await settings(said)
    const leaves = new Map(leavesOf(venue.facts))
    assert.deepStrictEqual(leaves.get(path), believed)
    const changed = [...leaves].filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(usual.get(name)))
    // Whoever logs in at the public verifier follows it there.
    const follows = path === "signing.INTENTS.verifier" ? ["login.verifier"] : []
    assert.deepStrictEqual(changed.map(([name]) => name).sort(), [path, ...follows].sort())
  })
})
