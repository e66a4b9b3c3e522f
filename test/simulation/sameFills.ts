/** What two machines filled on the same prices, brought into one form and compared. */
import { assert } from "@effect/vitest"

export interface Filled {
  /** Bar, slot and side. */
  readonly what: string
  readonly amountIn: bigint
  readonly amountOut: bigint
}

export const inOrder = (fills: ReadonlyArray<Filled>): ReadonlyArray<Filled> =>
  fills.toSorted((a, b) => (a.what === b.what ? Number(a.amountIn - b.amountIn) : a.what < b.what ? -1 : 1))

/** Of the backtest. */
export const byKernel = (
  fills: ReadonlyArray<{
    readonly bar: number
    readonly side: string
    readonly slotName: string
    readonly input: bigint
    readonly output: bigint
  }>
): ReadonlyArray<Filled> =>
  inOrder(
    fills.map(({ bar, side, slotName, input, output }) => ({
      what: `${bar} ${slotName} ${side}`,
      amountIn: input,
      amountOut: output
    }))
  )

/** Of the bot. */
export const byBot = (
  fills: ReadonlyArray<{
    readonly filledAt: number
    readonly slot: string
    readonly side: string
    readonly amountIn: bigint
    readonly amountOut: bigint
  }>,
  barOf: (filledAt: number) => number
): ReadonlyArray<Filled> =>
  inOrder(
    fills.map(({ filledAt, slot, side, amountIn, amountOut }) => ({
      what: `${barOf(filledAt)} ${slot} ${side}`,
      amountIn,
      amountOut
    }))
  )

/** No amount is apart from its like by more than this ratio. */
export const assertClose = (
  engine: ReadonlyArray<Filled>,
  kernel: ReadonlyArray<Filled>,
  mostApart: number,
  about: string
) => {
  for (const [index, { amountIn, amountOut }] of engine.entries())
    for (const [ours, theirs] of [
      [amountIn, kernel[index]?.amountIn],
      [amountOut, kernel[index]?.amountOut]
    ] as const)
      assert.isAtMost(Math.abs(Number(ours) / Number(theirs) - 1), mostApart, about)
}

/** What a sandbox does beside prices that a backtest without costs does not know. */
export const noSurprises = {
  impactPerMillionUsd: 0,
  partialFillShare: 0,
  fillWhileCancellingShare: 0,
  recognitionMillis: [0, 0],
  payoutStartMillis: [0, 0],
  payoutMillis: [0, 0]
} as const

/** Looks that fall on no bar's beginning. */
export const pace = { pollMinMillis: 13_100, pollMaxMillis: 61_700 }
