/** Formats numbers and times. Rounds half a step away from zero and never cuts digits. What rounds to zero has no sign and no colour. */
const grouped = (whole: string): string => whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",")

type Parts = Readonly<Record<"sign" | "whole" | "fraction", string>>

const partsOf = (text: string): Parts => {
  const sign = text.startsWith("-") ? "−" : ""
  const [whole = "0", fraction = ""] = text.slice(sign.length).split(".")
  return { sign, whole, fraction }
}

const split = (steps: bigint, places: number) => {
  const digits = String(steps).padStart(places + 1, "0")
  const at = digits.length - places
  return { whole: digits.slice(0, at), fraction: digits.slice(at) }
}

const rounded = ({ sign, whole, fraction }: Parts, places: number): Parts => {
  const steps =
    BigInt(whole + fraction.padEnd(places, "0").slice(0, places)) + (fraction.charAt(places) >= "5" ? 1n : 0n)
  return { sign: steps === 0n ? "" : sign, ...split(steps, places) }
}

export const decimal = (text: string, places?: number): string => {
  const { fraction, sign, whole } = places === undefined ? partsOf(text) : rounded(partsOf(text), places)
  return fraction === "" ? `${sign}${grouped(whole)}` : `${sign}${grouped(whole)}.${fraction}`
}

const withPlus = (text: string): string => (text.startsWith("−") || !/[1-9]/.test(text) ? text : `+${text}`)

export const cents = (text: string): string => decimal(text, 2)
/** Shortens a sentence of the bot for the page: local times, and figures with at most eight decimal places, except amounts to pay. */
export const brief = (text: string): string =>
  text
    .replace(/(\d{4}-\d\d-\d\d)[T ]([\d:.]+)(?:Z| UTC)/g, (_, day, time) => moment(Date.parse(`${day}T${time}Z`)))
    .replace(/(?<!\bexactly +)\b\d+\.\d{9,}/g, (figure) => decimal(figure, 8).replace(/\.?0+$/, ""))
export const gain = (text: string): string => withPlus(cents(text))
export const signed = (value: number, places = 2): string => withPlus(decimal(value.toFixed(places), places))
export const percent = (share: number): string => `${signed(share * 100)} %`

/** The colour follows the rounded figure, as the reader sees it. */
export const toneOf = (text: string | null): "" | "up" | "down" => {
  const figure = text === null ? "" : gain(text)
  return figure.startsWith("+") ? "up" : figure.startsWith("−") ? "down" : ""
}

/** A share with its direction as a shape, so that colour is not needed to read it. */
export const trend = (share: number): string => percent(share).replace("+", "▲ ").replace("−", "▼ ")

export const sum = (texts: ReadonlyArray<string>): string => {
  const parts = texts.map(partsOf)
  const places = Math.max(0, ...parts.map(({ fraction }) => fraction.length))
  const steps = parts.reduce((total, { fraction, sign, whole }) => {
    const amount = BigInt(`${whole}${fraction.padEnd(places, "0")}`)
    return sign === "" ? total + amount : total - amount
  }, 0n)
  const { fraction, whole } = split(steps < 0n ? -steps : steps, places)
  return `${steps < 0n ? "-" : ""}${`${whole}.${fraction}`.replace(/\.?0*$/, "")}`
}

export const price = (text: string): string => {
  const value = Number(text)
  return decimal(text, value >= 1_000 ? 2 : value >= 1 ? 4 : 8)
}

/** For sentences and axes: no zeros at the end. */
export const shortPrice = (text: string): string => price(text).replace(/\.?0+$/, "")

/** The price at a pixel, to the digits that pixels can tell apart. */
export const pixelPrice = (value: number, perPixel: number): string => {
  const places = -Math.floor(Math.log10(perPixel))
  const step = 10 ** -places
  return (Math.round(value / step) * step).toFixed(Math.max(0, places))
}

/** At most eight decimal places, without zeros at the end. */
export const quantity = (value: number): string => decimal(value.toFixed(8).replace(/\.?0+$/, ""))

export const age = (millis: number): string => {
  const seconds = Math.max(0, Math.round(millis / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`
}

export const countText = (count: number, noun: string): string =>
  `${decimal(String(count))} ${noun}${count === 1 ? "" : "s"}`
export const spoken = (code: string): string => {
  const text = code.replaceAll("-", " ")
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

/** Empty for an order without fills. */
export const filledText = (filled: string): string => (filled === "" || filled === "0 %" ? "" : `${filled} filled`)

export const clock = (at: number): string => new Date(at).toLocaleTimeString("en-GB")
const day = (at: number): string => new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "short" })
const isToday = (at: number): boolean => day(at) === day(Date.now())
export const timeOrDay = (at: number): string => (isToday(at) ? clock(at).slice(0, 5) : day(at))
/** The time of day, with the date if it is not today. */
export const moment = (at: number): string => `${isToday(at) ? "" : `${day(at)} `}${clock(at).slice(0, 5)}`
export const date = (at: number): string =>
  new Date(at).toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" })
export const stamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ")
