/** The result of comparing the journal with the venue's orders, its history and the balances. */
import { Schema } from "effect"
import { present } from "../domain/Present.ts"
import type { OperatorAnswer } from "../engine/funding/Problems.ts"
import type { Comparison, ComparisonVerdict } from "../engine/reconciliation/Comparison.ts"
import { Time } from "./AsOf.ts"
import { Word } from "./Problems.ts"

const Text = Schema.String
const Figures = Schema.Record(Text, Text)

export const Reconciliation = Schema.Struct({
  agrees: Schema.Int,
  explained: Schema.Int,
  contradiction: Schema.Int,
  witnesses: Schema.Array(Text),
  missing: Schema.Array(Text),
  proven: Schema.Array(Schema.Struct({ placement: Text, word: Word, text: Text, received: Schema.optionalKey(Text) })),
  findings: Schema.Array(
    Schema.Struct({
      kind: Schema.Literals(["order", "swap", "balance", "history"]),
      /** Placement, swap, asset or deposit address. */
      subject: Text,
      depositAddress: Schema.NullOr(Text),
      depositMemo: Schema.NullOr(Text),
      verdict: Schema.Literals(["agrees", "explained", "contradiction"]),
      text: Text,
      evidence: Schema.Struct({
        journal: Figures,
        venue: Schema.NullOr(Figures),
        history: Schema.NullOr(Figures),
        correlationIds: Schema.Array(Text),
        hashes: Schema.Array(Text),
        timeline: Schema.Array(Schema.Struct({ at: Time, what: Text }))
      })
    })
  )
})

export interface Reconciled {
  readonly findings: ReadonlyArray<Comparison>
  readonly missing: ReadonlyArray<string>
  readonly witnesses: ReadonlyArray<string>
  readonly proven: ReadonlyArray<OperatorAnswer>
}

const countsOf = (findings: ReadonlyArray<Comparison>): Readonly<Record<ComparisonVerdict, number>> => {
  const count = (wanted: ComparisonVerdict) => findings.filter(({ verdict }) => verdict === wanted).length
  return { agrees: count("agrees"), explained: count("explained"), contradiction: count("contradiction") }
}

export const reconciliationView = ({
  findings,
  missing,
  proven,
  witnesses
}: Reconciled): typeof Reconciliation.Type => ({
  ...countsOf(findings),
  witnesses,
  missing,
  proven: proven.map(({ received, ...answer }) => ({
    ...answer,
    ...present({ received: received === undefined ? undefined : String(received) })
  })),
  findings: findings.map(({ depositAddress, depositMemo, evidence, kind, subject, text, verdict }) => ({
    kind,
    subject,
    depositAddress: depositAddress ?? null,
    depositMemo: depositMemo ?? null,
    verdict,
    text,
    evidence: { ...evidence, venue: evidence.venue ?? null, history: evidence.history ?? null }
  }))
})
