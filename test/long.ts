/**
 * What says once more what a test has said, of more seeds, deployments or accounts, is for `npm run test:long`: `npm test` takes the first
 * ones, so that it takes some five minutes, and CI runs both. Whoever adds such a list adds its file to the script.
 */
export const isLong = process.env["LIMITBOT_LONG"] !== undefined

/** The first so many of a list, and all of it in the long run. */
export const firstOf = <A>(count: number, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  isLong ? all : all.slice(0, count)

/** A campaign that a script of its own asks for by one of these variables runs for it as well. */
export const isAsked = (...names: ReadonlyArray<string>): boolean =>
  isLong || names.some((name) => process.env[name] !== undefined)
