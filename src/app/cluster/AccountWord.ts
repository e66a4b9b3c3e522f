/** Messages of the operator to an account of a fleet, and its owner's answers. */
import { Schema } from "effect"
import { commandNames } from "../../control/api/OperatorCommands.ts"
import { Amount } from "../../domain/EventValues.ts"
import { Word } from "../../views/Problems.ts"
import { Reconciliation } from "../../views/Reconciliation.ts"

const Text = Schema.String
const optional = Schema.optionalKey(Text)

export const operatorAnswer = {
  placement: Text,
  word: Word,
  text: Text,
  received: Schema.optionalKey(Amount)
}

export const AccountWord = Schema.TaggedUnion({
  Command: { name: Schema.Literals(commandNames), target: optional, why: optional },
  Resolve: operatorAnswer,
  /** A person confirms that the balances are right as they are. */
  Reconcile: { acceptBalances: Schema.optionalKey(Schema.Boolean) },
  ListOrders: {}
})
export type AccountWord = typeof AccountWord.Type

/** Something that can still act or be paid, up to `until` in epoch milliseconds if it is there. */
const Loose = Schema.Struct({ id: Text, text: Text, amount: optional, until: Schema.optionalKey(Schema.Finite) })
export type Loose = typeof Loose.Type

export const AccountAnswer = Schema.TaggedUnion({
  Done: { message: Text },
  Refused: { message: Text },
  Reconciled: { found: Reconciliation },
  Listed: { at: Text, found: Schema.Array(Loose) }
})
export type AccountAnswer = typeof AccountAnswer.Type

/** True if the command changes nothing, even if it is applied late. */
export const isLook = (word: AccountWord): boolean =>
  word._tag === "ListOrders" || (word._tag === "Reconcile" && word.acceptBalances !== true)
