/**
 * A runner's part of a credential's rate, renewed in the fleet's database every two seconds, and at once after a refusal. A refusal of one
 * runner slows all. A part is lowered in this process before it is lowered in the database, and raised here only after the database has it.
 * So no two runners count on the same part, even if a renewal fails. Without the database, a runner keeps its part until its lease ends,
 * then the careful part, which is enough to follow its orders. Once the others have removed it, it has the least rate. A *lesson* is a
 * refusal that halves the whole rate (see `RateDivision`).
 */
import { Duration, Effect, Queue } from "effect"
import { monotonicMillis } from "../../../domain/Durations.ts"
import { leaseMillis, RateRows, silenceMillis } from "../../../journal/postgres/RateRows.ts"
import { type RateRenewal, type RateTold, renew } from "../../../venue/http/RateDivision.ts"
import { halved, RateSettings, RateShare, type Rates } from "../../../venue/http/RateShare.ts"

const beatMillis = 2_000
/** Renewal interval while other runners must first give up a part of their share. */
const soonMillis = 500
/** A database that does not answer within this time counts as unreachable. */
const patienceMillis = 4_000
/** Another runner may write between our read and our write, so the renewal is retried. */
const maxTries = 8
/** The demand is high enough to clear the waiting requests within this number of seconds. */
const waitingSeconds = 2
/** Share of the demand that is kept at the next beat, so that a runner with irregular requests keeps its part. */
const demandShare = 0.7

/** Renews the part until the scope ends, then returns it. `credential` is a hash. */
export const make = Effect.fn("FleetRate.make")(function* (runner: string, credential: string) {
  const rows = yield* RateRows
  const settings = yield* RateSettings
  const bell = yield* Queue.sliding<void>(1)
  const grown = yield* Queue.sliding<void>(1)
  const part = partOf(settings)
  const meter = meterFrom(yield* monotonicMillis)

  const tryOnce = Effect.gen(function* () {
    const now = yield* monotonicMillis
    const refusal = part.refusal()
    const { holdings, version, ...learnt } = yield* rows.read(credential, settings.initial)
    const others = holdings.filter((holding) => holding.runner !== runner)
    const usage = meter.read(now)
    const next = renew(learnt, others, { ...usage, refusedAfterLessons: refusal?.afterLessons }, settings)
    part.lower(next)
    const { careful, lessons, rate, share } = next
    const { demand } = usage
    const isWritten = yield* rows.write(credential, { version, rate, lessons, runner, share, careful, demand })
    if (!isWritten) return false
    meter.told(now, usage)
    if (learnt.lessons > part.lessons()) part.taught(yield* monotonicMillis)
    part.hold({ ...next, renewedAt: now }, refusal)
    yield* Queue.offer(grown, undefined)
    return true
  })
  const renewal = tryOnce.pipe(
    Effect.repeat({ until: (isWritten) => isWritten, times: maxTries }),
    Effect.timeoutOption(patienceMillis),
    Effect.orElseSucceed(() => undefined)
  )
  const beat = Effect.flatMap(Effect.exit(renewal), () =>
    Effect.timeoutOption(Queue.take(bell), Duration.millis(part.isWaiting() ? soonMillis : beatMillis))
  )

  yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeoutOption(rows.leave(credential, runner), patienceMillis)))
  yield* renewal
  yield* Effect.forkScoped(Effect.forever(beat))

  return RateShare.of({
    rate: part.rate,
    came: meter.came,
    went: meter.went,
    accepted: meter.accepted,
    throttled: (now) => {
      const isLesson = part.refused(now)
      if (isLesson) Queue.offerUnsafe(bell, undefined)
      return isLesson
    },
    grown: Queue.take(grown)
  })
})

interface Held extends RateRenewal {
  /** Measured by our own clock from before the renewal, so our lease ends before the database's. */
  readonly renewedAt: number
}

interface Refusal {
  /** Lessons known at the refusal. If there are more by now, the refused request was sent before the newest lesson. */
  readonly afterLessons: number
}

const partOf = (settings: Rates) => {
  let rateHolding: Held | undefined
  let taughtAt = Number.NEGATIVE_INFINITY
  let untold: Refusal | undefined

  const rate = (now: number): number => {
    if (rateHolding === undefined) return settings.min
    const silentForMillis = now - rateHolding.renewedAt
    if (silentForMillis < leaseMillis) return rateHolding.share * rateHolding.rate
    const careful = rateHolding.careful * rateHolding.rate
    return silentForMillis < leaseMillis + silenceMillis ? careful : Math.min(careful, settings.min)
  }

  return {
    rate,
    lessons: () => rateHolding?.lessons ?? Number.POSITIVE_INFINITY,
    refusal: () => untold,
    isWaiting: () => rateHolding?.isWaiting ?? true,
    lower: ({ careful, rate, share }: RateRenewal) => {
      if (rateHolding === undefined) return
      rateHolding = {
        ...rateHolding,
        rate: Math.min(rateHolding.rate, rate),
        share: Math.min(rateHolding.share, share),
        careful: Math.min(rateHolding.careful, careful)
      }
    },
    /** Records a lesson from another runner. A refusal soon afterwards concerns a request sent before we knew of the lesson. */
    taught: (now: number) => {
      taughtAt = Math.max(taughtAt, now)
    },
    hold: (next: Held, told: Refusal | undefined) => {
      if (untold === told || untold?.afterLessons !== next.lessons) untold = undefined
      rateHolding = untold === undefined ? next : { ...next, rate: Math.min(next.rate, rateHolding?.rate ?? next.rate) }
    },
    refused: (now: number): boolean => {
      if (now - taughtAt < settings.lessonMillis) return false
      taughtAt = now
      if (rateHolding === undefined) return true
      untold = { afterLessons: rateHolding.lessons }
      rateHolding = { ...rateHolding, rate: halved(rateHolding.rate, settings) }
      return true
    }
  }
}

interface Reading extends Pick<RateTold, "accepted" | "demand"> {
  readonly arrived: number
}

const meterFrom = (startedAt: number) => {
  let [accepted, arrived, waiting] = [0, 0, 0]
  let since = startedAt
  let demand = 0
  return {
    came: () => {
      arrived += 1
      waiting += 1
    },
    went: () => {
      waiting -= 1
    },
    accepted: () => {
      accepted += 1
    },
    read: (now: number): Reading => {
      const seconds = Math.max(soonMillis, now - since) / 1000
      return { arrived, accepted, demand: Math.max(arrived / seconds + waiting / waitingSeconds, demand * demandShare) }
    },
    told: (now: number, reading: Reading) => {
      accepted -= reading.accepted
      arrived -= reading.arrived
      demand = reading.demand
      since = now
    }
  }
}
