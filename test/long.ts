/**
 * What says once more what a test has said, of more seeds, deployments or accounts or through started programs, is for
 * `npm run test:long`: `npm test` takes the first ones, so that it takes three minutes, and CI runs both. Files named `*.long.test.ts` are for the long run alone. Campaigns
 * with a script of their own take all of it as well.
 */
const asking = [
  "ATTACKS",
  "CATALOGUE",
  "CERTIFY",
  "COPIES",
  "EDITS",
  "EPISODES",
  "FLEET",
  "KILLS",
  "LIKE",
  "LONG",
  "MINUTES",
  "MODEL",
  "PARITY",
  "PROCESSES",
  "RECORD",
  "WEEK"
]

export const isLong = asking.some((name) => process.env[`LIMITBOT_${name}`] !== undefined)

/** The first so many of a list, and all of it in the long run. */
export const firstOf = <A>(count: number, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  isLong ? all : all.slice(0, count)
