/**
 * An exact decimal number: `digits / 10^scale`. Prices, ratios and human amounts come from source text and go back to text without ever
 * being a float. Values are normalised (no trailing zero digits, `scale >= 0`), so equal numbers are structurally equal.
 */
export interface Decimal {
  readonly digits: bigint
  readonly scale: number
}

/** Longest accepted text. Longer input is an attack or a mistake, not a price. */
const maxLength = 100
const plainDecimal = /^[+-]?(?:\d+\.?\d*|\.\d+)$/

const powers = Array.from({ length: 100 }, (_, exponent) => 10n ** BigInt(exponent))

export const powerOfTen = (exponent: number): bigint => powers[exponent] ?? 10n ** BigInt(exponent)

const exactInteger = 2 ** 53

/** 10 to the 22nd is the last power of ten that is a double. */
const doublePowers = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))

/** `10 ** exponent`, not negative. The operator takes several times as long. */
export const doublePower = (exponent: number): number => doublePowers[exponent] ?? 10 ** exponent

/** Normalises a safe integer over a power of ten in doubles: nearly every price is such a number. */
export const fromShort = (short: number, scale: number, digits?: bigint): Decimal => {
  let rest = short
  let places = scale
  // The operator `%` takes several times as long.
  for (let tenth = rest / 10; places > 0 && Math.floor(tenth) === tenth; tenth = rest / 10) {
    rest = tenth
    places -= 1
  }
  return { digits: digits !== undefined && places === scale ? digits : BigInt(rest), scale: places }
}

export const make = (digits: bigint, scale = 0): Decimal => {
  if (scale === 0) return { digits, scale }
  if (scale < 0) return { digits: digits * powerOfTen(-scale), scale: 0 }
  const short = Number(digits)
  if (short < exactInteger && short > -exactInteger) return fromShort(short, scale, digits)
  let rest = digits
  let places = scale
  while (places > 0 && rest % 10n === 0n) {
    rest /= 10n
    places -= 1
  }
  return { digits: rest, scale: places }
}

export const zero: Decimal = { digits: 0n, scale: 0 }
export const one: Decimal = { digits: 1n, scale: 0 }
export const half: Decimal = { digits: 5n, scale: 1 }

/** Reads plain notation (`12`, `0.5`, `.5`, `-3.`); `undefined` for anything else, exponents included. */
export const parse = (text: string): Decimal | undefined => {
  if (text.length > maxLength || !plainDecimal.test(text)) return undefined
  const point = text.indexOf(".")
  const digits = BigInt(text.replace(".", "").replace(/^\+/, ""))
  return make(digits, point < 0 ? 0 : text.length - point - 1)
}

/** Plain notation without exponent and without trailing zeros; the inverse of `parse`. */
export const format = (value: Decimal): string => {
  const short = shortText(value)
  if (short !== undefined) return short
  const sign = value.digits < 0n ? "-" : ""
  const digits = (value.digits < 0n ? -value.digits : value.digits).toString()
  if (value.scale === 0) return sign + digits
  const padded = digits.padStart(value.scale + 1, "0")
  return `${sign}${padded.slice(0, -value.scale)}.${padded.slice(-value.scale)}`
}

/**
 * Two decimals of fifteen digits are never the same double, so the shortest text of the double is the text of the decimal. Doubles below a
 * millionth are written with an exponent.
 */
const shortText = ({ digits, scale }: Decimal): string | undefined => {
  const short = Number(digits)
  if (short >= 1e15 || short <= -1e15) return undefined
  if (scale === 0) return `${short}`
  const value = short / (doublePowers[scale] ?? Number.POSITIVE_INFINITY)
  return value >= 1e-6 || value <= -1e-6 ? `${value}` : undefined
}

const align = (a: Decimal, b: Decimal): readonly [bigint, bigint, number] => {
  if (a.scale === b.scale) return [a.digits, b.digits, a.scale]
  return a.scale > b.scale
    ? [a.digits, b.digits * powerOfTen(a.scale - b.scale), a.scale]
    : [a.digits * powerOfTen(b.scale - a.scale), b.digits, b.scale]
}

export const compare = (a: Decimal, b: Decimal): -1 | 0 | 1 => {
  const [x, y] = align(a, b)
  return x < y ? -1 : x > y ? 1 : 0
}

export const equals = (a: Decimal, b: Decimal): boolean => a.digits === b.digits && a.scale === b.scale
export const isLess = (a: Decimal, b: Decimal): boolean => compare(a, b) < 0
export const isGreater = (a: Decimal, b: Decimal): boolean => compare(a, b) > 0
export const isPositive = (a: Decimal): boolean => a.digits > 0n
export const min = (a: Decimal, b: Decimal): Decimal => (compare(a, b) <= 0 ? a : b)
export const max = (a: Decimal, b: Decimal): Decimal => (compare(a, b) >= 0 ? a : b)

export const add = (a: Decimal, b: Decimal): Decimal => {
  const [x, y, scale] = align(a, b)
  return make(x + y, scale)
}

export const subtract = (a: Decimal, b: Decimal): Decimal => {
  const [x, y, scale] = align(a, b)
  return make(x - y, scale)
}

export const multiply = (a: Decimal, b: Decimal): Decimal => make(a.digits * b.digits, a.scale + b.scale)

export const midpoint = (a: Decimal, b: Decimal): Decimal => multiply(add(a, b), half)

export type Rounding = "down" | "up"

/** `numerator / denominator` for a positive denominator, towards minus (`down`) or plus (`up`) infinity. */
export const divideInteger = (numerator: bigint, denominator: bigint, rounding: Rounding): bigint => {
  const quotient = numerator / denominator
  const remainder = numerator % denominator
  if (rounding === "up") return remainder > 0n ? quotient + 1n : quotient
  return remainder < 0n ? quotient - 1n : quotient
}

/** Divides an integer by a power of ten, rounded exactly. Returns `undefined` if doubles do not hold all digits of the result. */
export const shortQuotient = (integer: number, scale: number, rounding: Rounding): number | undefined => {
  const power = doublePowers[scale]
  if (power === undefined || !(integer >= 0 && integer < exactInteger)) return undefined
  // A quotient that is no integer is at least 1 / power below the next one, which is more than half of its last digit.
  const quotient = Math.floor(integer / power)
  return rounding === "up" && quotient * power < integer ? quotient + 1 : quotient
}

/** `a / b` to `places` decimal places. `b` must be positive. */
export const divide = (a: Decimal, b: Decimal, places: number, rounding: Rounding): Decimal => {
  const shift = places + b.scale - a.scale
  const numerator = a.digits * powerOfTen(Math.max(0, shift))
  const denominator = b.digits * powerOfTen(Math.max(0, -shift))
  return make(divideInteger(numerator, denominator, rounding), places)
}

/** The nearest multiple of `step`, which must be positive, at or below (`down`) or at or above (`up`) the value. */
export const roundToStep = (value: Decimal, step: Decimal, rounding: Rounding): Decimal => {
  const [x, y, scale] = align(value, step)
  return make(divideInteger(x, y, rounding) * y, scale)
}

/** The closest double: for charts, statistics and the backtest's search columns, never for money. */
export const toNumber = (value: Decimal): number => {
  const { digits, scale } = value
  const short = Number(digits)
  const power = doublePowers[scale]
  // Both operands are exact and IEEE 754 rounds a division once, so this result is the closest double.
  return power !== undefined && short < exactInteger && short > -exactInteger ? short / power : Number(format(value))
}

const maxShortPlaces = 8

/** At most one decimal of fifteen digits has a given double as its nearest, so a short decimal that converts back is the right one. */
const shortDecimal = (value: number): Decimal | undefined => {
  for (let scale = 0; scale <= maxShortPlaces; scale++) {
    const power = doublePowers[scale] ?? 1
    const digits = Math.round(value * power)
    if (digits >= 1e15 || digits <= 0) return undefined
    if (digits / power === value) return { digits: BigInt(digits), scale }
  }
  return undefined
}

/**
 * Rounds a finite double to `significantDigits`, at most 15. For computed levels whose exact value is irrational, as in geometric spacing.
 */
export const fromNumber = (value: number, significantDigits = 15): Decimal => {
  const shortForm = significantDigits === 15 ? shortDecimal(value) : undefined
  if (shortForm !== undefined) return shortForm
  const text = value.toExponential(significantDigits - 1)
  const end = text.indexOf("e")
  if (end < 0) throw new RangeError(`Not a finite number: ${value}`)
  // At most 15 digits, which a double holds exactly.
  const digits = Number(text.slice(0, end).replace(".", ""))
  return make(BigInt(digits), significantDigits - 1 - Number(text.slice(end + 1)))
}

/** Rounds a positive double down to twelve significant digits. Digits after the fifteenth are rounding noise. */
export const downFromNumber = (value: number): Decimal => {
  const { digits, scale } = fromNumber(value)
  const excess = Math.max(0, String(digits).length - 12)
  return make(digits / powerOfTen(excess), scale - excess)
}

/**
 * True if a double is so far from every integer that rounding errors of a few steps cannot have moved it across one. Rounding it to an
 * integer then gives the result of rounding the exact value.
 */
export const isSurelyBetween = (value: number): boolean =>
  value > 0 && value < 1e12 && Math.abs(value - Math.round(value)) > Math.max(1e-5, value * 1e-14)

export const upFromNumber = (value: number, places: number): Decimal => {
  const steps = value * (doublePowers[places] ?? Number.NaN)
  if (isSurelyBetween(steps)) return fromShort(Math.ceil(steps), places)
  return roundToStep(fromNumber(value), make(1n, places), "up")
}

/** Sums decimals as people write them, to the nearest double: 20 and 0.01 are 20.01, in any order. */
export const sumOf = (values: ReadonlyArray<number>): number =>
  toNumber(values.reduce((sum, value) => add(sum, fromNumber(value)), zero))

/** Text for display, not for calculation: at most `digits` significant digits. */
export const short = (value: Decimal, digits = 8): string => format(fromNumber(toNumber(value), digits))

export const percent = (ratio: Decimal): string => `${format(multiply(ratio, make(100n)))}%`
