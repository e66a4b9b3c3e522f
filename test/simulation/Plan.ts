/**
 * What an episode is made of, drawn from its seed: which features of the bad world it has and how bad each is. Every episode
 * has only some of them, because accidents hide each other. A failing one is made smaller by leaving features out.
 */
import { accidents, calm, levels, type Trouble } from "../../src/rehearsal/world/Trouble.ts"
import { randomFrom } from "../../src/rehearsal/world/World.ts"
import * as Seeded from "../../src/sandbox/Seeded.ts"
import type { Delay, SandboxSettings } from "../../src/sandbox/Settings.ts"

export const profiles = ["safety", "liveness", "hostile"] as const
export type Profile = (typeof profiles)[number]

export const features = [
  ...accidents,
  "outages",
  "rateLimits",
  "crashes",
  "suspensions",
  "botClock",
  "venueClock",
  "clockSteps",
  "recognition",
  "slowPayouts",
  "failedPayouts",
  "shortLives",
  "killSwitch",
  "secondBot",
  "edits",
  "fullDisk",
  "lies",
  "droppedMillis",
  "lostLease",
  "unhurried",
  "dust",
  "shortIntents",
  "pauses",
  "killsMidway",
  "signedQuotes",
  "tamperedQuotes",
  "wrongPrices",
  "risingEstimates",
  "absentFields",
  "oddSigner",
  "deployed",
  "rotatedSalts",
  "advancedSwaps"
] as const
export type Feature = (typeof features)[number]

export interface EpisodeOptions {
  readonly seed: number
  readonly profile: Profile
  /** How long things go wrong, virtual. */
  readonly minutes?: number
  readonly without?: ReadonlyArray<Feature>
  /** Features that it has whatever is drawn. */
  readonly including?: ReadonlyArray<Feature>
  /** From the switch to the cancels, once nothing is in its way. */
  readonly killWithinMillis?: number
  /** Whether errors say where they began. */
  readonly stacks?: boolean
}

export interface Plan {
  readonly seed: number
  readonly profile: Profile
  readonly chaosMillis: number
  readonly trouble: Trouble
  readonly recognitionMillis: Delay
  readonly payoutMillis: Delay
  readonly failedPayoutShare: number
  readonly orderLifetimeMillis: number
  /** Quotes are half of all requests; where a bot looks less often, an episode costs half as much. */
  readonly pollMinMillis: number
  readonly botSkewMillis: number
  readonly venueSkewMillis: number
  /** How far the clock of a bot jumps, now and then. */
  readonly clockStepMillis: number
  readonly hasKillSwitch: boolean
  readonly bots: number
  /** The venue keeps the deadlines of orders to the second. */
  readonly dropsMillis: boolean
  /** About one edit of the files in this time; zero for none. */
  readonly editEveryMillis: number
  /** About one rotation of the verifiers' salts in this time; zero for none. */
  readonly saltEveryMillis: number
  /** Somebody removes the file of a lease, now and then. */
  readonly losesLease: boolean
  readonly hasFullDisk: boolean
  /** A lively market where orders fill in slices with time between them; files refuse small orders: so rests become dust. */
  readonly market: Pick<SandboxSettings, "speed"> & Partial<Pick<SandboxSettings, "partialFillShare" | "stepMillis">>
  /** By the number of the edit, in turns: what was enough becomes too little, and what was too little enough. */
  readonly leastOrders: ReadonlyArray<number>
  /** How long a payload can be executed. Short ones expire unanswered, and their payments are in doubt. */
  readonly intentMillis: Delay
  readonly lies: number
  readonly strategy: string
  readonly has: ReadonlySet<Feature>
}

const second = 1_000
const minute = 60 * second
const hour = 60 * minute

const recognitions: ReadonlyArray<Delay> = [
  [50, 400],
  [2 * minute, 10 * minute],
  [30 * minute, 3 * hour],
  [240 * hour, 240 * hour]
]
const skews: ReadonlyArray<number> = [0.5 * second, -3 * second, 25 * second, 40 * second, 130 * second, -90 * second]
const smallSkews: ReadonlyArray<number> = [0.5 * second, -3 * second, 20 * second, -20 * second]
const steps: ReadonlyArray<number> = [-2 * second, 45 * second, -hour, hour]

/** Features of the profiles: `liveness` has none that keep money away, or wait for a word, for longer than the end of an episode. */
const excluded: Readonly<Record<Profile, ReadonlyArray<Feature>>> = {
  safety: ["lies", "failedPayouts"],
  liveness: ["lies", "fullDisk", "failedPayouts", "secondBot", "shortIntents", "advancedSwaps"],
  hostile: []
}

/** How often they come; they have dice of their own, so that older seeds stay what they were. */
const youngest: Partial<Record<Feature, number>> = {
  droppedMillis: 0.3,
  lostLease: 0.3,
  unhurried: 0.7,
  dust: 0.3,
  shortIntents: 0.4,
  pauses: 0.2,
  killsMidway: 0.2,
  signedQuotes: 0.3,
  tamperedQuotes: 0.15,
  wrongPrices: 0.2,
  risingEstimates: 0.15,
  absentFields: 0.15,
  oddSigner: 0.15,
  deployed: 0.15,
  rotatedSalts: 0.5,
  advancedSwaps: 0.25
}

/** Only a service like the deployed one has them. */
const ofDeployed: ReadonlyArray<Feature> = ["rotatedSalts", "advancedSwaps"]

const unfilling = ["recognition", "killSwitch", "rateLimits", "outages", "suspensions"] as const

export const draw = ({ including = [], minutes = 4, profile, seed, without = [] }: EpisodeOptions): Plan => {
  const random = randomFrom(seed * 3 + profiles.indexOf(profile))
  random()
  const pick = <T>(among: readonly [T, ...ReadonlyArray<T>] | ReadonlyArray<T>, otherwise: T): T =>
    among[Math.floor(random() * among.length)] ?? otherwise
  const has = new Set<Feature>()
  for (const feature of features) {
    const own = youngest[feature]
    const isDrawn =
      own !== undefined
        ? Seeded.fraction(seed, feature) < own
        : random() < (feature === "secondBot" || feature === "fullDisk" ? 0.25 : 0.6)
    const isIn = including.includes(feature) || (isDrawn && !excluded[profile].includes(feature))
    if (isIn && !without.includes(feature)) has.add(feature)
  }
  // Who does not know the venue's key believes whatever a quote says.
  if (has.has("tamperedQuotes")) has.add("signedQuotes")
  // Dust needs fills, so these episodes have less of what keeps orders from them.
  if (has.has("dust")) for (const feature of unfilling) if (!including.includes(feature)) has.delete(feature)
  if (including.some((feature) => ofDeployed.includes(feature))) has.add("deployed")
  if (!has.has("deployed")) for (const feature of ofDeployed) has.delete(feature)
  const skewed = profile === "liveness" ? smallSkews : skews
  const recognitionsNow = profile === "liveness" ? recognitions.slice(0, 2) : recognitions
  const drawn = {
    recognition: pick(recognitionsNow, [50, 400] as const),
    botSkew: pick(skewed, 0),
    venueSkew: pick(skewed, 0),
    step: pick(profile === "liveness" ? steps.slice(0, 1) : steps, 0),
    lies: 0.15 + random() * 0.5,
    scale: 0.3 + random() * 1.5,
    strategy: pick(
      Object.keys(strategies).filter((name) => name !== "scalper" && name !== "advanced"),
      "grid"
    ),
    life: 2 * minute + random() * 5 * minute
  }
  const trouble: Record<keyof Trouble, Trouble[keyof Trouble]> = { ...calm }
  for (const accident of accidents) if (has.has(accident)) trouble[accident] = levels.high[accident] * drawn.scale
  const span = minutes * minute
  return {
    seed,
    profile,
    chaosMillis: span,
    trouble: {
      ...calm,
      ...Object.fromEntries(accidents.map((accident) => [accident, trouble[accident]])),
      lateMillis: 30 * second,
      staleMillis: 2 * minute,
      outageEveryMillis: has.has("outages") ? span / 2 : 0,
      outageMillis: minute,
      requestsPerSecond: has.has("rateLimits") ? [1, 20] : calm.requestsPerSecond,
      crashEveryMillis: has.has("crashes") ? span / 4 : 0,
      downMillis: 20 * second,
      suspendEveryMillis: has.has("suspensions") ? span / 3 : 0,
      suspendMillis: 3 * minute
    },
    recognitionMillis: has.has("recognition") ? drawn.recognition : [50, 400],
    payoutMillis: has.has("slowPayouts") ? [10 * second, 2 * minute] : [300, 1500],
    failedPayoutShare: has.has("failedPayouts") ? 0.2 : 0,
    orderLifetimeMillis: has.has("shortLives") ? drawn.life : 7 * 24 * hour,
    pollMinMillis: has.has("unhurried") ? 3 * second : second,
    botSkewMillis: has.has("botClock") ? drawn.botSkew : 0,
    venueSkewMillis: has.has("venueClock") ? drawn.venueSkew : 0,
    clockStepMillis: has.has("clockSteps") ? drawn.step : 0,
    hasKillSwitch: has.has("killSwitch"),
    bots: has.has("secondBot") ? 2 : 1,
    dropsMillis: has.has("droppedMillis"),
    editEveryMillis: has.has("dust") ? span / 5 : has.has("edits") ? span / 4 : 0,
    saltEveryMillis: has.has("rotatedSalts") ? span / 2 : 0,
    losesLease: has.has("lostLease"),
    hasFullDisk: has.has("fullDisk"),
    market: has.has("dust") ? { speed: 240, partialFillShare: 1, stepMillis: 5 * second } : { speed: 60 },
    intentMillis: has.has("shortIntents") ? [8 * second, 30 * second] : [2 * minute, 5 * minute],
    leastOrders: has.has("dust") ? [40, 280] : [],
    lies: has.has("lies") ? drawn.lies : 0,
    strategy: has.has("advancedSwaps") ? "advanced" : drawn.strategy,
    has
  }
}

const swaps = `kind: rules
limits: { budget: { quote: 1200 } }
rules:
  timeframe: 1m
  orders:
    in-and-out:
      when: mid > 1
      side: buy
      by: swap
      price: mid * (1 + 1%)
      size: { base: SIZE }
      pause: 5s
      times: 6
      then: { price: entry * (1 - 2%), by: swap }`

/** `SIZE` is what an edit changes. The market starts near 60000. Every bot has a scalper beside what its plan draws. */
export const strategies: Readonly<Record<string, string>> = {
  grid: `kind: grid
limits: { budget: { base: 0.03, quote: 2000 } }
grid: { lower: 59600, upper: 60400, levels: 5, size: { base: SIZE } }`,
  scalper: `kind: grid
limits: { budget: { base: 0.02, quote: 1500 } }
grid: { lower: 59700, upper: 60300, levels: 7, size: { base: SIZE } }`,
  ladder: `kind: ladder
limits: { budget: { quote: 1500 } }
ladder: { side: buy, from: 59990, to: 59500, rungs: 3, total: { base: SIZE0 }, takeProfit: 0.3% }`,
  dca: `kind: dca
limits: { budget: { quote: 1500 } }
dca: { every: 20s, size: { base: SIZE }, times: 5, reach: 0.1% }`,
  rebalance: `kind: rebalance
limits: { budget: { base: 0.02, quote: 1200 } }
rebalance: { target: 50%, band: 0.2% }`,
  bracket: `kind: bracket
limits: { budget: { quote: 1300 } }
bracket: { side: buy, size: { base: SIZE }, entry: 59990, takeProfit: 60300, stop: 59700, reach: 1% }`,
  swaps,
  advanced: `terms: { confidentiality: advanced }
${swaps}`,
  maker: `kind: market-making
limits: { budget: { base: 0.02, quote: 1200 }, maxPriceDeviation: 5% }
market-making: { levels: 1, spread: 0.2%, step: 0.2%, size: SIZE, requote: 0.2%, maxInventory: 0.02 }`
}

/** The text of a strategy file; `edit` numbers its versions. */
export const fileOf = (name: string, kind: string, edit: number, leastOrders: ReadonlyArray<number> = []): string => {
  const leastOrder = leastOrders[edit % leastOrders.length]
  // A whole order is never less than the least.
  const sizes = leastOrder === undefined ? ["0.005", "0.004", "0.006", "0.003"] : ["0.005", "0.006"]
  const size = sizes[edit % sizes.length] ?? "0.005"
  const section = (strategies[kind] ?? "").replaceAll("SIZE0", `${size.slice(0, 3)}1${size.slice(4)}`)
  const limited =
    leastOrder === undefined ? section : section.replace("limits: {", `limits: { minOrder: ${leastOrder},`)
  return `name: ${name}\nmarket: BTC/USDC\n${limited.replaceAll("SIZE", size)}\n`
}
