/** `reconcile --json` died of a proven swap whose amount is a whole number of smallest units. */
import { assert, it } from "@effect/vitest"
import { Schema } from "effect"
import { noEvidence } from "../../src/engine/reconciliation/Comparison.ts"
import { Reconciliation, reconciliationView } from "../../src/views/Reconciliation.ts"

it("a reconciliation is JSON as in the API, with what the history proves to have arrived", () => {
  const found = { kind: "swap", subject: "s1", depositAddress: "a", depositMemo: undefined, text: "agrees" } as const
  const view = reconciliationView({
    findings: [{ ...found, verdict: "agrees", evidence: noEvidence }],
    missing: [],
    witnesses: ["orders"],
    proven: [{ placement: "p1", word: "paid", received: 7n, text: "the history shows 7 received" }]
  })
  const json = JSON.parse(JSON.stringify(view))
  assert.deepStrictEqual(json.proven, [
    { placement: "p1", word: "paid", text: "the history shows 7 received", received: "7" }
  ])
  assert.deepStrictEqual(Schema.encodeSync(Reconciliation)(view), json)
})
