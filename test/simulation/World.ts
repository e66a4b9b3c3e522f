/**
 * A deterministic world for Effect programs: one virtual clock and one queue of runnable tasks, both driven step by step.
 * A domain is a "process": killing it drops its tasks and timers, and no finalizer runs, as with kill -9. The same seed
 * gives the same steps, so any failure is replayed from its number.
 */
import { type Clock, Context, Duration, Effect, Exit, type Fiber, Random, References, type Scheduler } from "effect"
import { Clock as ClockReference } from "effect/Clock"

interface Task {
  readonly domain: Domain
  readonly run: () => void
}

interface Timer extends Task {
  readonly at: number
  readonly order: number
}

export class World {
  now: number
  steps = 0
  private readonly ready: Array<Task> = []
  private timers: Array<Timer> = []
  private timersMade = 0

  constructor(now: number) {
    this.now = now
  }

  schedule(task: Task): void {
    this.ready.push(task)
  }

  wakeAt(domain: Domain, at: number, run: () => void): Timer {
    this.timersMade += 1
    const timer = { domain, at: Math.max(at, this.now), order: this.timersMade, run }
    const index = this.timers.findLastIndex((other) => other.at <= timer.at)
    this.timers.splice(index + 1, 0, timer)
    return timer
  }

  forget(timer: Timer): void {
    this.timers = this.timers.filter((other) => other !== timer)
  }

  /** Runs until `stop` is true, asked before each step. Returns false when nothing is left to do. */
  drive(stop: () => boolean): boolean {
    while (!stop()) {
      const task = this.ready.shift() ?? this.nextTimer()
      if (task === undefined) return false
      this.steps += 1
      if (task.domain.isAlive) task.run()
    }
    return true
  }

  private nextTimer(): Task | undefined {
    const timer = this.timers.shift()
    if (timer !== undefined) this.now = timer.at
    return timer
  }
}

/** xorshift: enough to choose what goes wrong. */
export const randomFrom = (seed: number): (() => number) => {
  let state = (seed * 2_654_435_761) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

export class Domain {
  isAlive = true
  private readonly world: World
  private readonly seed: number

  constructor(world: World, seed: number) {
    this.world = world
    this.seed = seed
  }

  kill(): void {
    this.isAlive = false
  }

  /** Runs an effect in this domain under its clock, its scheduler and its own random numbers. */
  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    const random = randomFrom(this.seed)
    const service: typeof Random.Random.Service = {
      nextDoubleUnsafe: random,
      nextIntUnsafe: () => Math.trunc(random() * 2 ** 31)
    }
    const context = Context.make(ClockReference, this.clock).pipe(
      Context.add(Random.Random, service),
      Context.add(References.MinimumLogLevel, "None")
    )
    return Effect.runForkWith(context)(effect, { scheduler: this.scheduler })
  }

  private readonly scheduler: Scheduler.Scheduler = {
    executionMode: "async",
    shouldYield: (fiber) => fiber.currentOpCount >= 2048,
    makeDispatcher: () => ({
      scheduleTask: (run) => this.world.schedule({ domain: this, run }),
      flush: () => undefined
    })
  }

  readonly clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => this.world.now,
    currentTimeMillis: Effect.sync(() => this.world.now),
    currentTimeNanosUnsafe: () => BigInt(this.world.now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(this.world.now) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(this.world.now) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(this.world.now) * 1_000_000n),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const wakeAt = this.world.now + Math.ceil(Duration.toMillis(duration))
        const timer = this.world.wakeAt(this, wakeAt, () => resume(Exit.void))
        return Effect.sync(() => this.world.forget(timer))
      })
  }
}

/** Runs an effect to its end in a domain of its own: for looking at things between the acts. */
export const runIn = <A, E>(world: World, effect: Effect.Effect<A, E>): A => {
  let exit: Exit.Exit<A, E> | undefined
  new Domain(world, 1).fork(effect).addObserver((ended) => {
    exit = ended
  })
  world.drive(() => exit !== undefined)
  if (exit === undefined) throw new Error("An effect left the simulation: it waits for something outside of it")
  return Effect.runSync(exit)
}
