/**
 * The current time of a run in one market, and one alarm for each slot. Time only moves forward. A new alarm replaces the slot's last one.
 */
import * as TimeAxis from "../../../../candles/TimeAxis.ts"

interface Alarm {
  readonly bar: number
  readonly slot: number
}

export class Clock {
  declare private readonly time: TimeAxis.TimeAxis
  nextBar = 0
  /** The bar that the run is at: at its opening, within it, or at its close. */
  momentBar = 0
  private isClose = false
  private isWithin = false
  private readonly alarms: Array<Alarm> = []
  private readonly alarmOfSlot: Array<number> = []

  constructor(time: TimeAxis.TimeAxis) {
    this.time = time
  }

  get now(): number {
    const opening = TimeAxis.openTime(this.time, this.momentBar)
    if (!this.isClose) return opening
    return opening + this.time.stepMillis - (this.isWithin ? 1 : 0)
  }

  /** Bar of the next alarm; the number of bars if there is none. */
  get alarmBar(): number {
    const first = this.alarms[0]
    return first === undefined ? this.time.bars : Math.min(first.bar, this.time.bars)
  }

  open(bar: number): void {
    this.momentBar = bar
    this.isClose = false
    this.isWithin = false
    this.nextBar = bar
  }

  close(bar: number): void {
    this.momentBar = bar
    this.isClose = true
    this.isWithin = false
    this.nextBar = bar + 1
  }

  /** Moves to a time within the bar, before its last candle closes. Nothing waits there: every pending action ends within the bar. */
  stand(bar: number): void {
    this.close(bar)
    this.isWithin = true
  }

  waits(millis: number): boolean {
    return millis > 0 && !this.isWithin
  }

  /** Returns the bar that opens `millis` from now, and never before the next bar. Counts on beyond the end of the data. */
  barAfter(millis: number): number {
    if (!this.waits(millis)) return this.nextBar
    const { time } = this
    const bar = TimeAxis.firstBarFrom(time, this.now + millis)
    if (bar < time.bars) return Math.max(this.nextBar, bar)
    return bar + Math.ceil((this.now + millis - TimeAxis.closeTime(time, bar - 1)) / time.stepMillis)
  }

  setAlarm(slot: number, millis: number): void {
    const bar = this.barAfter(millis)
    this.alarmOfSlot[slot] = bar
    let at = this.alarms.length
    while (at > 0 && (this.alarms[at - 1]?.bar ?? 0) > bar) at--
    this.alarms.splice(at, 0, { bar, slot })
  }

  isDue(slot: number, bar: number): boolean {
    return this.alarmOfSlot[slot] === bar
  }

  /** Takes all due alarms at once, so an alarm that is set while these are handled waits for the next opening. */
  takeAlarms(bar: number): ReadonlySet<number> {
    const due = new Set<number>()
    while (this.alarmBar <= bar && this.alarms.length > 0) {
      const alarm = this.alarms.shift()
      if (alarm !== undefined && this.alarmOfSlot[alarm.slot] === bar) due.add(alarm.slot)
    }
    return due
  }
}
