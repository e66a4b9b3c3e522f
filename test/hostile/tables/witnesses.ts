/**
 * Lies of the other witnesses: the partner's history and the private balances. They move no money; what contradicts the
 * journal is told once, and what is missing proves nothing.
 */
import {
  type About,
  type Attack,
  isObject,
  type Json,
  nowhere,
  perhaps,
  quiet,
  type Tell,
  type Verdict
} from "../Attack.ts"

const once: Verdict = { alerts: 1 }

const linesOf = (said: Json): ReadonlyArray<Json> => (Array.isArray(said["list"]) ? said["list"].filter(isObject) : [])
const history = (field: string, lie: string, tell: Tell, must: Verdict = perhaps): Attack => ({
  call: "history",
  field,
  lie,
  tell: (said, about) => {
    if (linesOf(said).length > 0) tell(said, about)
  },
  must,
  everywhere: true
})
const each =
  (values: (line: Json, about: About) => Json): Tell =>
  (said, about) => {
    for (const line of linesOf(said)) Object.assign(line, values(line, about))
  }
const add =
  (line: (known: Json, about: About) => Json): Tell =>
  (said, about) => {
    const [known] = linesOf(said)
    if (known !== undefined) said["list"] = [...linesOf(said), { ...known, ...line(known, about) }]
  }

const histories: ReadonlyArray<Attack> = [
  history(
    "list",
    "empty",
    (said) => {
      said["list"] = []
    },
    quiet
  ),
  history(
    "list",
    "every second line",
    (said) => {
      said["list"] = linesOf(said).filter((_, index) => index % 2 === 0)
    },
    quiet
  ),
  history(
    "list",
    "every line twice",
    (said) => {
      said["list"] = linesOf(said).flatMap((line) => [line, line])
    },
    quiet
  ),
  history(
    "list",
    "the other way round",
    (said) => {
      said["list"] = linesOf(said).toReversed()
    },
    quiet
  ),
  history(
    "list",
    "a line that was never",
    add((_, { account }) => ({ depositAddress: nowhere, status: "PROCESSING", refundTo: account })),
    once
  ),
  history(
    "list",
    "a line of somebody else",
    add((_, { stranger }) => ({
      depositAddress: stranger.depositAddress,
      status: "PROCESSING",
      refundTo: stranger.refundTo
    })),
    perhaps
  ),
  history(
    "status",
    "done",
    each(() => ({ status: "SUCCESS" }))
  ),
  history(
    "status",
    "refunded",
    each(() => ({ status: "REFUNDED" }))
  ),
  history(
    "status",
    "failed",
    each(() => ({ status: "FAILED" }))
  ),
  history(
    "status",
    "waits for money",
    each(() => ({ status: "PENDING_DEPOSIT" })),
    quiet
  ),
  history(
    "amountIn",
    "ten times",
    each(({ amountIn }) => ({ amountIn: `${amountIn}0` }))
  ),
  history(
    "amountOut",
    "ten times",
    each(({ amountOut }) => ({ amountOut: `${amountOut}0` }))
  ),
  history(
    "amountOut",
    "nothing",
    each(() => ({ amountOut: "0" }))
  ),
  history(
    "createdAt",
    "in the future",
    each(() => ({ createdAt: "2036-01-01T00:00:00.000Z" })),
    quiet
  ),
  history(
    "createdAt",
    "long ago",
    each(() => ({ createdAt: "1999-01-01T00:00:00.000Z" })),
    quiet
  ),
  history(
    "depositAddress",
    "all the same",
    each((_, { stranger }) => ({ depositAddress: stranger.depositAddress }))
  ),
  history(
    "intentHashes",
    "of others",
    each(() => ({ intentHashes: "9".repeat(44) })),
    quiet
  ),
  history(
    "recipient",
    "a thief",
    each(() => ({ recipient: "thief.near" })),
    quiet
  )
]

const balancesOf = (said: Json): ReadonlyArray<Json> =>
  Array.isArray(said["balances"]) ? said["balances"].filter(isObject) : []
const balances = (lie: string, tell: Tell, must: Verdict = perhaps): Attack => ({
  call: "balances",
  field: "available",
  lie,
  tell,
  must,
  everywhere: true
})
const available =
  (change: (known: bigint, about: About) => bigint): Tell =>
  (said, about) => {
    for (const each of balancesOf(said)) each["available"] = String(change(BigInt(String(each["available"])), about))
  }

/** Each asset is a finding of its own. */
const perAsset: Verdict = { alerts: [1, 3] }

const privates: ReadonlyArray<Attack> = [
  balances(
    "ten times",
    available((known) => known * 10n),
    perAsset
  ),
  balances(
    "with other decimals",
    available((known) => known * 10n ** 10n),
    perAsset
  ),
  balances(
    "nothing at all",
    (said) => {
      said["balances"] = []
    },
    perAsset
  ),
  balances(
    "less from look to look",
    available((known, { told }) => known - BigInt(told + 1) * 10n ** 9n),
    perAsset
  ),
  balances(
    "more from look to look",
    available((known, { told }) => known + BigInt(told + 1) * 10n ** 9n),
    perAsset
  ),
  balances(
    "gone after a while",
    available((known, { told }) => (told > 1 ? 0n : known + 1n)),
    perAsset
  ),
  balances(
    "under the names of others",
    (said) => {
      for (const each of balancesOf(said)) each["tokenId"] = `x-${each["tokenId"]}`
    },
    perAsset
  ),
  balances(
    "one asset twice",
    (said) => {
      said["balances"] = [...balancesOf(said), ...balancesOf(said)]
    },
    perAsset
  )
]

export const witnessAttacks: ReadonlyArray<Attack> = [...histories, ...privates]
