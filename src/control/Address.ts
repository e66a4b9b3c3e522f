/** Accepts addresses that may receive secrets and amounts of money: over TLS, or on this machine. */
import * as Read from "../strategy/Fields.ts"

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host)

/** SMTP begins without encryption and then requires it, except to this machine (`email.ts`). */
const encrypted: ReadonlySet<string> = new Set(["https:", "smtps:", "smtp:"])

export const isPrivate = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && (encrypted.has(url.protocol) || (url.protocol === "http:" && isLoopback(url.hostname)))
}

export const url: Read.Reader<string> = Read.scalar(
  "an address such as https://host/path (http only for this machine; no user, query or fragment)",
  (text) => {
    const parsed = URL.parse(text)
    if (parsed === null || parsed.username + parsed.password + parsed.search + parsed.hash !== "") return undefined
    return /^https?:$/.test(parsed.protocol) && isPrivate(text) ? text.replace(/\/+$/, "") : undefined
  }
)
