/** A bot of an episode: what outlives its processes, and the one that runs. */
import type { HttpClient } from "effect/http"
import type { SimulatedBot } from "../world/bot/SimulatedBot.ts"

/** What a bot lives by while others act on it. */
export interface Seat {
  readonly name: string
  readonly journalFile: string
  readonly network: HttpClient.HttpClient
  process: SimulatedBot | undefined
  edit: number
  restartAt: number
  starts: number
  startedAt: number
  skewMillis: number
  /** Until the process ends. */
  isLeaseLost: boolean
  /** Since when this bot's own network has been out, and it could say so. */
  darkSince: number | undefined
}

type Beginning = Pick<Seat, "journalFile" | "name" | "network" | "skewMillis"> & { readonly at: number }

export const make = ({ at, ...seat }: Beginning): Seat => ({
  ...seat,
  process: undefined,
  edit: 0,
  restartAt: at,
  starts: 0,
  startedAt: at,
  isLeaseLost: false,
  darkSince: undefined
})
