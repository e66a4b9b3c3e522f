/** Times as text and epoch milliseconds: as the service writes and signs them (RFC 3339 with a zone), and as people write them. */
const timestamp =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const daysInMonth = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Rejects impossible days; JavaScript would shift them. */
const isDay = (year: number, month: number, day: number): boolean =>
  month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)

export const parse = (text: string): number | undefined => {
  const parts = timestamp.exec(text)
  if (parts === null) return undefined
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  if (!isDay(year, month, day)) return undefined
  const millis = Date.parse(text)
  return Number.isNaN(millis) ? undefined : millis
}

export const format = (epochMillis: number): string => new Date(epochMillis).toISOString()

const iso = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/

/** Epoch milliseconds of an ISO date, with or without a time and an offset. Without an offset it is UTC. */
export const written = (text: string): number | undefined => {
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "0", zone = "Z"] = iso.exec(text) ?? []
  if (year === undefined || month === undefined || day === undefined) return undefined
  const time = Date.UTC(+year, +month - 1, +day, +hour, +minute, +second, Math.floor(Number(`0.${fraction}`) * 1000))
  const offset = /([+-])(\d{2}):?(\d{2})/.exec(zone)
  const offsetMinutes =
    offset === null ? 0 : (Number(offset[2]) * 60 + Number(offset[3])) * (offset[1] === "-" ? -1 : 1)
  const real = isDay(+year, +month, +day) && +hour < 24 && +minute < 60 && +second < 61
  return real ? time - offsetMinutes * 60_000 : undefined
}
