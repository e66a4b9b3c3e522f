/**
 * The rows for the facts of a profile, against sandboxes in process: each holds at a service of those facts, and a service of other
 * facts is found out by the rows of what differs.
 */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { VenueFacts } from "../../src/venue/profile/Facts.ts"
import { factsOf, ledgerOf, type ProfileName, profileNames, verifierOf } from "../../src/venue/profile/Profiles.ts"
import { lanes, profileChecks } from "../../tools/conformance/suite.ts"
import { hold, told } from "./conformity.ts"

const said = (name: ProfileName): VenueFacts => factsOf(name, verifierOf(ledgerOf(name)))
const factOf = (id: string): string => id.replace(/^profile\./, "").replace(/\.[^.]+$/, "")

/** Paths of a fact's parts, or of itself. */
const pathsIn = (value: unknown, path = ""): ReadonlyArray<string> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, part]) => pathsIn(part, path === "" ? name : `${path}.${name}`))
    : [path]

const main = join(import.meta.dirname, "../../tools/conformance/main.ts")

describe("conformance with a profile", () => {
  it("adds rows to those of the interface, each with its own name", () => {
    for (const name of profileNames) {
      const ids = lanes(ledgerOf(name), said(name))
        .flat()
        .map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.isAtLeast(profileChecks(said(name)).length, 20)
    }
    assert.isFalse(
      lanes("native")
        .flat()
        .some(({ id }) => id.startsWith("profile."))
    )
  })

  it("has a row for every fact that is visible from outside", () => {
    const rows = new Set(profileNames.flatMap((name) => profileChecks(said(name)).map(({ id }) => factOf(id))))
    const facts = new Set(profileNames.flatMap((name) => pathsIn(said(name))))
    const isChecked = (fact: string) => [...rows].some((row) => fact === row || fact.startsWith(`${row}.`))
    // What our quotes ask for is ours. The smallest sizes would cost a refused order each. The rows of the lower fee are about the stable assets; a better price than quoted comes when it comes.
    assert.deepStrictEqual(
      [...facts].filter((fact) => !isChecked(fact) && !/^orders\.(?:chainMinUsd|minUsd)/.test(fact)),
      ["fees.stable", "fees.improvement.kept", "fees.improvement.minutes", "orders.quotes"]
    )
  })

  it("depends on facts, and not on the name of a profile", () => {
    const renamed = { ...said("near-2026-11") }
    assert.deepStrictEqual(
      profileChecks(renamed).map(({ id }) => id),
      profileChecks(said("near-2026-11")).map(({ id }) => id)
    )
    const overridden = { ...said("document"), login: said("near-2026-11").login }
    const login = (facts: VenueFacts) =>
      profileChecks(facts)
        .map(({ id }) => id)
        .filter((id) => id.includes("login.nonce"))
    assert.deepStrictEqual(login(overridden), login(said("near-2026-11")))
    assert.notDeepEqual(login(overridden), login(said("document")))
  })

  it.effect.each(profileNames)("holds in every row at a sandbox like %s, or says why it cannot be shown", (like) =>
    Effect.gen(function* () {
      const outcomes = yield* hold([profileChecks(said(like))], { like, facts: said(like) })
      assert.deepStrictEqual(told(outcomes, "fails"), [])
      const unseen = told(outcomes, "cannot show").map((text) => text.replace(/:.*/, ""))
      const closed = ["newest", "older", "exclusive"].map((name) => `profile.accountHistory.${name}`)
      assert.deepStrictEqual(unseen, said(like).accountHistory === "open" ? [] : closed)
    })
  )

  it.effect.each(profileNames)("fails no row of the interface at a sandbox like %s", (like) =>
    Effect.gen(function* () {
      const outcomes = yield* hold(lanes(ledgerOf(like)), { like, facts: said(like) })
      assert.deepStrictEqual(told(outcomes, "fails"), [])
    })
  )

  it.effect("fails a sandbox of the document against the deployed service's facts where they differ", () =>
    Effect.gen(function* () {
      const facts = {
        ...said("near-2026-11"),
        ...{ login: { ...said("near-2026-11").login, verifier: "intents.native" } }
      }
      const outcomes = yield* hold([profileChecks(facts)], { facts })
      const failed = outcomes.filter(({ verdict }) => verdict === "fails").map(({ id }) => factOf(id))
      assert.sameMembers(
        [...new Set(failed)],
        [
          "signing.INTENTS.verifier",
          "signing.CONFIDENTIAL_INTENTS.verifier",
          "signing.CONFIDENTIAL_INTENTS.treasury",
          "login.nonce",
          "login.startsWithinSeconds",
          "salts",
          "fees.withPartner",
          "fees.withoutPartner",
          "fees.alike",
          "fees.credential",
          "fees.appFees",
          "fees.flat",
          "fees.settlement",
          "movesBetweenAccounts",
          "settlementHashes"
        ]
      )
    })
  )

  it.effect("fails a sandbox like the deployed service against the document's facts", () =>
    Effect.gen(function* () {
      const facts = said("document")
      const rows = profileChecks({ ...facts, login: { ...facts.login, verifier: "intents.near" } })
      const outcomes = yield* hold([rows], {
        like: "near-2026-11",
        facts: { ...facts, login: { ...facts.login, verifier: "intents.near" } }
      })
      const failed = outcomes.filter(({ verdict }) => verdict === "fails").map(({ id }) => factOf(id))
      assert.includeMembers(failed, ["login.nonce", "movesBetweenAccounts", "signing.CONFIDENTIAL_INTENTS.verifier"])
    })
  )

  it("reports a wrong flag in one line without a stack trace", () => {
    const { status, stderr } = spawnSync(process.execPath, [main, "--help"], { encoding: "utf8" })
    assert.strictEqual(status, 2)
    assert.match(stderr, /^conformance: Unknown option '--help'.*; flags: --url, --analytics-url, .*--json\n$/)
  })
})
