/**
 * The checks of a wallet program with a payment that it cannot make: it must send nothing, name no transaction, and report the failure by
 * its exit code. Every payment here is impossible: the asset does not exist, the address is invalid, the deadline is long past.
 */
import { Predicate } from "effect"
import * as WalletCommand from "../../engine/funding/WalletCommand.ts"
import { usualSecrets } from "../../files/sections/WalletConfig.ts"
import type { Program } from "../../programs/Program.ts"
import * as Check from "./Check.ts"

const refusalMillis = 60_000

const impossible = WalletCommand.questionOf({
  reference: "plug-in-check-1",
  asset: { symbol: "NOTHING", id: "plug-in-check:no-such-asset", decimals: 8 },
  amount: 1n,
  depositAddress: "plug-in-check-no-address",
  depositMemo: undefined,
  deadline: Date.UTC(2020, 0, 1)
})

const questions: ReadonlyArray<readonly [check: string, question: string]> = [
  ["refuses an unknown asset whose deadline has passed", impossible],
  ["refuses it again under the same reference", impossible],
  ["refuses an unknown version of the question", impossible.replace('"version":1', '"version":999')],
  ["refuses malformed input", "this is no JSON\n"]
]

export const checked = (program: Program, limitMillis = refusalMillis) => {
  const { environment, mostOutput } = WalletCommand.termsOf(usualSecrets)
  return Check.programs(
    program,
    questions.map(([check, question]) => ({
      check,
      question,
      faultOf: (run) => {
        const answer = WalletCommand.answerOf("it", run)
        if (Predicate.isTagged(answer, "WalletRefused")) return undefined
        return "txHash" in answer
          ? `it named the transaction ${answer.txHash} for a payment that cannot be made`
          : `a bot cannot know if it paid: ${answer.text}. Code 65 means that nothing was sent`
      }
    })),
    { environment, limitMillis, mostOutput }
  )
}
