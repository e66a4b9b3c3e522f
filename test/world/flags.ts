/** Flags of the programs for campaigns: what means nothing ends them before they begin, instead of a campaign of nothing that passes. */

const refuse = (text: string): never => {
  process.stderr.write(`${text}\n`)
  process.exit(2)
}

export const figure = (flag: string, written: string, least: number): number => {
  const value = written.trim() === "" ? Number.NaN : Number(written)
  return value >= least ? value : refuse(`--${flag} ${written}: a number of ${least} or more`)
}

export const whole = (flag: string, written: string, least = 1): number => {
  const value = figure(flag, written, least)
  return Number.isSafeInteger(value) ? value : refuse(`--${flag} ${written}: a whole number of ${least} or more`)
}

export const oneOf = <const A extends string>(flag: string, written: string, choices: ReadonlyArray<A>): A =>
  choices.find((choice) => choice === written) ?? refuse(`--${flag} ${written}: one of ${choices.join(", ")}`)

/** Names with commas between; none where nothing is written. */
export const several = <const A extends string>(flag: string, written: string, choices: ReadonlyArray<A>) =>
  written === "" ? [] : written.split(",").map((name) => oneOf(flag, name, choices))
