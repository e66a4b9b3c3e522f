/**
 * Draws the venue of a simulated run: from ranges measured on the account's own orders if there are enough, otherwise from this prior. The
 * prior is stated only here, and every backtest prints which of the two it used. A run has one margin, and its times are mostly short. An
 * eighth of the runs has the lowest margin and an eighth the highest, so that p5 to p95 includes venues without any margin.
 */
import { Struct } from "effect"
import type { Random } from "../../domain/Seeded.ts"
import type * as Backtest from "./Backtest.ts"
import type { FillRules } from "./kernel/FillRules.ts"

type Range = readonly [number, number]

const priors = {
  edgeBasisPoints: { prior: [0, 30], said: "margin", unit: 1, text: "bps" },
  spreadBasisPoints: { prior: [0, 10], said: "half the spread", unit: 1, text: "bps" },
  placeMillis: { prior: [0, 30_000], said: "placing", unit: 1000, text: "s" },
  payoutMillis: { prior: [0, 60_000], said: "payout", unit: 1000, text: "s" },
  cancelMillis: { prior: [0, 60_000], said: "cancelling", unit: 1000, text: "s" }
} as const satisfies Partial<
  Record<
    keyof FillRules,
    { readonly prior: Range; readonly said: string; readonly unit: number; readonly text: string }
  >
>

type Drawn = keyof typeof priors

/** Maximum share of the orders cancelled near the market that a solver already has in hand. */
const maxInHand = 0.4

interface Supposed {
  readonly range: Range
  readonly by: "prior" | "measured" | "given"
}

const maxRefunded = 0.1

type Options = Pick<Backtest.Options, "changes" | "measured">

const supposed = ({ changes, measured }: Options, name: Drawn): Supposed => {
  const fixedValue = changes[name]
  if (fixedValue !== undefined) return { range: [fixedValue, fixedValue], by: "given" }
  const [kind, unkind] = [measured?.optimistic[name], measured?.pessimistic[name]]
  return kind === undefined || unkind === undefined
    ? { range: priors[name].prior, by: "prior" }
    : { range: [kind, unkind], by: "measured" }
}

/** Draws uniformly from a range that is a sixth wider at each end, and moves values outside to the nearer end. */
const margin = ([least, most]: Range, next: Random): number => {
  const beyond = (most - least) / 6
  return Math.min(most, Math.max(least, least - beyond + (most - least + 2 * beyond) * next()))
}

export const draw = (options: Options, sides: readonly [FillRules, FillRules], next: Random): Partial<FillRules> => {
  const of = (name: Drawn): Range => supposed(options, name).range
  const far = next()
  const time = ([least, most]: Range): number => Math.round(least + (most - least) * far * next() ** 3)
  const [a, b] = sides
  return {
    edgeBasisPoints: margin(of("edgeBasisPoints"), next),
    spreadBasisPoints: margin(of("spreadBasisPoints"), next),
    placeMillis: time(of("placeMillis")),
    payoutMillis: time(of("payoutMillis")),
    cancelMillis: time(of("cancelMillis")),
    // A slow venue refuses more.
    refundedSwapShare: maxRefunded * far ** 3,
    inHand: { share: next() * maxInHand, distance: 0.005, seed: Math.floor(next() * 1e9) },
    volumeShare: next() < 0.5 ? a.volumeShare : b.volumeShare
  }
}

/** Such as "prior: margin 0–30 bps, placing 0–30 s; measured: payout 3–41 s". */
export const describe = (options: Options): string => {
  const all = Struct.keys(priors).map((name) => ({ name, ...supposed(options, name) }))
  return (["measured", "given", "prior"] as const)
    .flatMap((by) => {
      const texts = all
        .filter((each) => each.by === by)
        .map(({ name, range: [least, most] }) => {
          const { said, unit, text } = priors[name]
          const short = (value: number): string => `${Number((value / unit).toFixed(1))}`
          return `${said} ${least === most ? short(least) : `${short(least)}–${short(most)}`} ${text}`
        })
      return texts.length === 0 ? [] : [`${by}: ${texts.join(", ")}`]
    })
    .join("; ")
}
