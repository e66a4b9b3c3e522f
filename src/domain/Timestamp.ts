/**
 * Times as the service writes them and as they are signed: RFC 3339 text with a zone, and epoch milliseconds here.
 */
const timestamp =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const daysInMonth = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** RFC 3339 date-time with a zone, to epoch milliseconds. Impossible days are refused; JavaScript would shift them. */
export const parse = (text: string): number | undefined => {
  const parts = timestamp.exec(text)
  if (parts === null) return undefined
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  const millis = Date.parse(text)
  return Number.isNaN(millis) ? undefined : millis
}

/** UTC with milliseconds; the inverse of `parse`. */
export const format = (epochMillis: number): string => new Date(epochMillis).toISOString()
