/** Numbers and times for people. Exact decimals stay text; only their grouping is changed. */
const grouped = (whole: string): string => whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",")

interface Parts {
  readonly sign: string
  readonly whole: string
  readonly fraction: string
}

const partsOf = (text: string): Parts => {
  const sign = text.startsWith("-") ? "-" : ""
  const [whole = "0", fraction = ""] = text.slice(sign.length).split(".")
  return { sign, whole, fraction }
}

/** Rounds half a step away from zero; never cuts digits. */
const rounded = ({ sign, whole, fraction }: Parts, places: number): Parts => {
  if (fraction.length <= places) return { sign, whole, fraction: fraction.padEnd(places, "0") }
  const steps = BigInt(whole + fraction.slice(0, places)) + (fraction.charAt(places) >= "5" ? 1n : 0n)
  const digits = String(steps).padStart(places + 1, "0")
  const at = digits.length - places
  return { sign: steps === 0n ? "" : sign, whole: digits.slice(0, at), fraction: digits.slice(at) }
}

export const decimal = (text: string, places?: number): string => {
  const { fraction, sign, whole } = places === undefined ? partsOf(text) : rounded(partsOf(text), places)
  return fraction === "" ? `${sign}${grouped(whole)}` : `${sign}${grouped(whole)}.${fraction}`
}

export const cents = (text: string): string => decimal(text, 2)
export const gain = (text: string): string => `${Number(text) < 0 ? "−" : "+"}${cents(text).replace("-", "")}`

export const signed = (value: number, places = 2): string =>
  `${value < 0 ? "−" : "+"}${decimal(Math.abs(value).toFixed(places))}`

export const sum = (texts: ReadonlyArray<string>): string => {
  const parts = texts.map(partsOf)
  const places = Math.max(0, ...parts.map(({ fraction }) => fraction.length))
  const steps = parts.reduce(
    (total, { fraction, sign, whole }) => total + BigInt(`${sign}${whole}${fraction.padEnd(places, "0")}`),
    0n
  )
  const digits = String(steps < 0n ? -steps : steps).padStart(places + 1, "0")
  const at = digits.length - places
  const [whole, fraction] = [digits.slice(0, at), digits.slice(at).replace(/0+$/, "")]
  return `${steps < 0n ? "-" : ""}${fraction === "" ? whole : `${whole}.${fraction}`}`
}

export const price = (text: string): string => {
  const value = Number(text)
  return decimal(text, value >= 1_000 ? 2 : value >= 1 ? 4 : 8)
}

export const percent = (share: number): string => `${share < 0 ? "−" : "+"}${Math.abs(share * 100).toFixed(2)} %`

export const age = (millis: number): string => {
  const seconds = Math.max(0, Math.round(millis / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`
}

export const spoken = (tag: string): string => tag.replace(/(?<=.)(?=[A-Z])/g, " ").toLowerCase()

export const clock = (at: number): string => new Date(at).toLocaleTimeString("en-GB")
export const stamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ")
