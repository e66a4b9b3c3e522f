/**
 * The profit curve of an account: its total at the end of each UTC day that has a report, and the present total. The account's row keeps
 * it, so a report reads no trades and the next runner continues it. A new curve begins at zero, the profit of a fresh budget, or at the
 * total that an earlier version reported.
 */
import { utcDay } from "../../domain/Durations.ts"
import type { ProfitReport } from "../../journal/ProfitReport.ts"
import type { FleetAccount } from "../../journal/postgres/Registry.ts"

const maxPoints = 30

/** Returns a function that adds the curves to each report. The curves continue those of the account's last report. */
export const after = (last: Pick<FleetAccount, "told" | "toldSecondsAgo"> | undefined, startedAt: number) => {
  const lastDay = utcDay(startedAt - (last?.toldSecondsAgo ?? 0) * 1_000)
  const curves = new Map(
    (last?.told?.profit ?? []).map(({ asset, curve, total }) => [
      asset,
      { curve: curve ?? [Number(total)], day: lastDay }
    ])
  )
  return (profit: ReadonlyArray<ProfitReport>, now: number): ReadonlyArray<ProfitReport> =>
    profit.map((each) => {
      const total = Number(each.total)
      // The total of an asset that is no longer configured is a text with its smallest units.
      if (!Number.isFinite(total)) return each
      const before = curves.get(each.asset) ?? { curve: [0], day: utcDay(now) }
      const isSameDay = before.day === utcDay(now) && before.curve.length > 1
      const curve = [...(isSameDay ? before.curve.slice(0, -1) : before.curve), total].slice(-maxPoints)
      curves.set(each.asset, { curve, day: utcDay(now) })
      return { ...each, curve }
    })
}
