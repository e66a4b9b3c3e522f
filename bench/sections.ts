/**
 * What is measured, by name: `npm run bench` shows each section, `bench/against.ts` runs its ways in two trees. A section is
 * one function of one file, and finds the program that it measures by `root`.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Row } from "./measure.ts"

/** What a section gets: the working tree that it measures, where to leave files, and where to show a row. */
export interface Bench {
  readonly root: string
  readonly folder: string
  readonly show: (result: Row | string) => void
}

export type Section = (bench: Bench) => Promise<void>

const files: Readonly<Record<string, string>> = {
  simulation: "simulation",
  kinds: "kinds",
  limits: "limits",
  own: "own",
  markets: "markets",
  csv: "csv",
  indicators: "indicators",
  sweep: "sweep",
  threads: "sweep",
  search: "search",
  scaling: "scaling",
  start: "program",
  typed: "typed",
  memory: "program",
  live: "live",
  life: "live",
  idle: "idle",
  fleet: "fleet",
  journal: "journal",
  peers: "peers/peers"
}

export const names = Object.keys(files)

/** `query` tells modules of one tree from those of another. */
export const loaded = async (name: string, query = ""): Promise<Section> => {
  const url = pathToFileURL(join(import.meta.dirname, `${files[name]}.ts`)).href
  const module: Readonly<Record<string, Section>> = await import(query === "" ? url : `${url}?tree=${query}`)
  const section = module[name]
  if (section === undefined) throw new Error(`bench/${files[name]}.ts has no section ${name}`)
  return section
}
