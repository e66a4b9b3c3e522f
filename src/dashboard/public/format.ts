/** Numbers and times for people. Exact decimals stay text; only their grouping is changed. */

const grouped = (whole: string): string => whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",")

/** "1234567.890100" as "1,234,567.8901". */
export const decimal = (text: string, places?: number): string => {
  const [whole = "0", fraction = ""] = text.split(".")
  const kept = places === undefined ? fraction : fraction.slice(0, places).padEnd(places, "0")
  return kept === "" ? grouped(whole) : `${grouped(whole)}.${kept}`
}

export const price = (text: string): string => {
  const value = Number(text)
  return decimal(text, value >= 1_000 ? 2 : value >= 1 ? 4 : 8)
}

export const signed = (value: number, places = 2): string =>
  `${value < 0 ? "−" : "+"}${decimal(Math.abs(value).toFixed(places))}`

export const percent = (share: number): string => `${share < 0 ? "−" : "+"}${Math.abs(share * 100).toFixed(2)} %`

export const age = (millis: number): string => {
  const seconds = Math.max(0, Math.round(millis / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`
}

/** "FundingSent" as "funding sent". */
export const spoken = (tag: string): string => tag.replace(/(?<=.)(?=[A-Z])/g, " ").toLowerCase()

export const clock = (at: number): string => new Date(at).toLocaleTimeString("en-GB")
export const stamp = (at: number): string => new Date(at).toISOString().slice(0, 19).replace("T", " ")
