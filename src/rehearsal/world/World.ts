/**
 * A deterministic world for Effect programs in virtual time: the same seed gives the same steps, so any failure can be replayed. A domain
 * is a process: killing it drops its tasks and timers without running finalizers, as with kill -9. Its wall clock can be wrong; waiting
 * uses monotonic time, which is always right.
 */
import { type Clock, Context, Duration, Effect, Exit, type Fiber, Random, References, type Scheduler } from "effect"
import { Clock as ClockReference } from "effect/Clock"

interface Task {
  readonly domain: Domain
  readonly run: () => void
}

interface Timer extends Task {
  readonly at: number
  isForgotten: boolean
}

export class World {
  now: number
  steps = 0
  /** Recording call sites of errors and effects takes a twentieth of the time, and is useful only after a failure. */
  notesCallSites = false
  private readonly ready: Array<Task> = []
  private taken = 0
  private readonly timers: Array<Timer> = []

  constructor(now: number) {
    this.now = now
  }

  get waiting(): { readonly tasks: number; readonly timers: number } {
    return {
      tasks: this.ready.length - this.taken,
      timers: this.timers.filter(({ isForgotten, domain }) => !isForgotten && domain.isAlive).length
    }
  }

  schedule(task: Task): void {
    this.ready.push(task)
  }

  /** Timers of the same time fire in the order in which they were set. */
  wakeAt(domain: Domain, at: number, run: () => void): Timer {
    const timer = { domain, at: Math.ceil(Math.max(at, this.now)), run, isForgotten: false }
    const index = this.timers.findLastIndex((other) => other.at <= timer.at)
    this.timers.splice(index + 1, 0, timer)
    return timer
  }

  /** Runs until `stop` is true; it is checked before each step. Returns false if nothing is left to do. */
  drive(stop: () => boolean): boolean {
    const { stackTraceLimit } = Error
    if (!this.notesCallSites) Error.stackTraceLimit = 0
    try {
      return this.steer(stop)
    } finally {
      Error.stackTraceLimit = stackTraceLimit
    }
  }

  private steer(stop: () => boolean): boolean {
    while (!stop()) {
      const task = this.nextTask() ?? this.nextTimer()
      if (task === undefined) return false
      const { domain } = task
      if (!domain.isAlive) continue
      if (domain.suspendedUntil > this.now) {
        this.wakeAt(domain, domain.suspendedUntil, task.run)
        continue
      }
      this.steps += 1
      task.run()
    }
    return true
  }

  private nextTask(): Task | undefined {
    const task = this.ready[this.taken]
    if (task === undefined) return undefined
    this.taken += 1
    if (this.taken > 1024) {
      this.ready.splice(0, this.taken)
      this.taken = 0
    }
    return task
  }

  private nextTimer(): Task | undefined {
    for (;;) {
      const timer = this.timers.shift()
      if (timer === undefined) return undefined
      if (timer.isForgotten || !timer.domain.isAlive) continue
      this.now = timer.at
      return timer
    }
  }
}

/** xorshift, not `Seeded`, because the seeds of known failures depend on its numbers. */
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
  suspendedUntil = Number.NEGATIVE_INFINITY
  /** Milliseconds by which its wall clock is ahead of the world's time. */
  skewMillis = 0
  private readonly world: World
  private readonly seed: number

  constructor(world: World, seed: number) {
    this.world = world
    this.seed = seed
  }

  kill(): void {
    this.isAlive = false
  }

  /** Stops the domain as SIGSTOP does. Never shortens a suspension: tasks that wait for its end would sleep on while others run. */
  suspend(millis: number): void {
    this.suspendedUntil = Math.max(this.suspendedUntil, Math.ceil(this.world.now + millis))
  }

  fork<A, E>(effect: Effect.Effect<A, E>): Fiber.Fiber<A, E> {
    const random = randomFrom(this.seed)
    const service: typeof Random.Random.Service = {
      nextDoubleUnsafe: random,
      nextIntUnsafe: () => Math.trunc(random() * 2 ** 31)
    }
    const context = Context.make(ClockReference, this.clock).pipe(
      Context.add(Random.Random, service),
      Context.add(References.MinimumLogLevel, "None"),
      // Spans have no reader here, and they take a fifth of the time.
      Context.add(References.TracerEnabled, false)
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

  private wallMillis(): number {
    return Math.trunc(this.world.now + this.skewMillis)
  }

  readonly clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => this.wallMillis(),
    currentTimeMillis: Effect.sync(() => this.wallMillis()),
    currentTimeNanosUnsafe: () => BigInt(this.wallMillis()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(this.wallMillis()) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => BigInt(Math.trunc(this.world.now)) * 1_000_000n,
    monotonicTimeNanos: Effect.sync(() => BigInt(Math.trunc(this.world.now)) * 1_000_000n),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const wakeAt = this.world.now + Math.ceil(Duration.toMillis(duration))
        const timer = this.world.wakeAt(this, wakeAt, () => resume(Exit.void))
        return Effect.sync(() => {
          timer.isForgotten = true
        })
      })
  }
}

export const runIn = <A, E>(world: World, effect: Effect.Effect<A, E>): A => {
  let exit: Exit.Exit<A, E> | undefined
  new Domain(world, 1).fork(effect).addObserver((ended) => {
    exit = ended
  })
  world.drive(() => exit !== undefined)
  if (exit === undefined) throw new Error("An effect left the simulation: it waits for something outside of it")
  return Effect.runSync(exit)
}
