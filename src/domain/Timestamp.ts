/** Times as text and epoch milliseconds: as the service writes and signs them (RFC 3339 with a zone), and as people write them. */
const timestamp =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Rejects impossible days; JavaScript would shift them. */
const isDay = (date: string): boolean => {
  const millis = Date.parse(date)
  return !Number.isNaN(millis) && format(millis).startsWith(date)
}

export const parse = (text: string): number | undefined =>
  isDay(timestamp.exec(text)?.[1] ?? "") ? Date.parse(text) : undefined

export const format = (epochMillis: number): string => new Date(epochMillis).toISOString()

const iso = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/

/** Epoch milliseconds of an ISO date, with or without a time and an offset. Without an offset it is UTC. */
export const written = (text: string): number | undefined => {
  const [, date, hour = "0", minute = "0", second = "0", fraction = "0", zone = "Z"] = iso.exec(text) ?? []
  if (date === undefined || !isDay(date)) return undefined
  const time = ((+hour * 60 + +minute) * 60 + +second) * 1000 + Math.floor(Number(`0.${fraction}`) * 1000)
  const [, sign = "+", hours = 0, minutes = 0] = /([+-])(\d{2}):?(\d{2})/.exec(zone) ?? []
  const offsetMillis = Number(`${sign}1`) * (+hours * 60 + +minutes) * 60_000
  return +hour < 24 && +minute < 60 && +second < 61 ? Date.parse(date) + time - offsetMillis : undefined
}
