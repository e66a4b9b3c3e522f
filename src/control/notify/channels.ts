/**
 * Formats notices for each kind of receiver; `docs/plug-ins.md` lists the fields of the body for programs. The webhook's header
 * `x-limitbot-signature` is `t=<seconds>,v1=<hex>`: the HMAC-SHA256 of `<seconds>.<body>` under the shared secret, as proof of sender and
 * time.
 */
import { createHmac } from "node:crypto"
import { Redacted } from "effect"
// Imported directly, because every command reads the configuration, and the rest of that module is for servers.
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { utc } from "../../domain/Text.ts"
import type { Program } from "../../programs/Program.ts"
import type { PhoneMessage } from "../push/Sending.ts"
import type { PushSettings } from "../push/Vapid.ts"
import type { Mailbox } from "./email.ts"
import type { Notice, NoticeRule, Severity } from "./Notice.ts"

export const receivers = ["webhook", "slack", "discord", "telegram", "ntfy", "email", "command", "push"] as const
export type Receiver = (typeof receivers)[number]

export interface Target {
  readonly to: Receiver
  readonly rule: NoticeRule
  /** For Telegram, the address of the bot API, which has a default. */
  readonly url: Redacted.Redacted
  /** A webhook's signing key, a Telegram bot's token, ntfy's access token, a mail password, or the private key for push services. */
  readonly secret: Redacted.Redacted | undefined
  readonly chat: string | undefined
  readonly commands: ReadonlyArray<string>
  readonly mailbox: Mailbox | undefined
  readonly command: Program | undefined
  readonly push: PushSettings | undefined
}

export const defaultTelegram = "https://api.telegram.org"

const longest = {
  email: 100_000,
  slack: 3_000,
  discord: 1_900,
  telegram: 4_000,
  ntfy: 3_500,
  // With the title, fits into the 4,096 bytes of a push message, whatever letters the text has.
  push: 900,
  webhook: 100_000
} as const

const lineOf = ({ at, subject, text }: Notice): string => `${utc(at).slice(11, 19)} ${subject}: ${text}`

const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)

const gravest = (notices: ReadonlyArray<Notice>): Severity =>
  notices.some(({ severity }) => severity === "alarm")
    ? "alarm"
    : notices.some(({ severity }) => severity === "warn")
      ? "warn"
      : "good"

export const title = (bot: string, notices: ReadonlyArray<Notice>): string =>
  `${gravest(notices) === "alarm" ? "ALARM " : ""}limitbot ${bot}`

const plain = (text: string): string =>
  text.replace(/[<>&@]/g, (found) => ({ "<": "‹", ">": "›", "&": "+", "@": "(at)" })[found] ?? "")

export const textFor = (to: keyof typeof longest, bot: string, notices: ReadonlyArray<Notice>): string =>
  cut([title(bot, notices), ...notices.map(lineOf)].join("\n"), longest[to])

export const bodyOf = (bot: string, notices: ReadonlyArray<Notice>, now: number): string => {
  const text = notices.map(lineOf).join("\n")
  return JSON.stringify({
    version: 1,
    bot,
    sentAt: now,
    severity: gravest(notices),
    title: title(bot, notices),
    text,
    notices
  })
}

export const phoneMessage = (bot: string, notices: ReadonlyArray<Notice>, now: number): PhoneMessage => ({
  title: title(bot, notices),
  text: cut(notices.map(lineOf).join("\n"), longest.push).replace(/[^\P{Cc}\n]/gu, " "),
  severity: gravest(notices),
  at: now
})

export const requestFor = (
  { chat, secret, to, url }: Target & { readonly to: Exclude<Receiver, "email" | "command" | "push"> },
  bot: string,
  notices: ReadonlyArray<Notice>,
  now: number
): HttpClientRequest.HttpClientRequest => {
  const address = Redacted.value(url)
  const text = textFor(to, bot, notices)
  const json = (body: unknown, at = address) =>
    HttpClientRequest.post(at).pipe(HttpClientRequest.bodyText(JSON.stringify(body), "application/json"))
  switch (to) {
    case "webhook": {
      const body = bodyOf(bot, notices, now)
      const seconds = Math.floor(now / 1000)
      const request = HttpClientRequest.post(address).pipe(HttpClientRequest.bodyText(body, "application/json"))
      if (secret === undefined) return request
      const mac = createHmac("sha256", Redacted.value(secret)).update(`${seconds}.${body}`).digest("hex")
      return HttpClientRequest.setHeader(request, "x-limitbot-signature", `t=${seconds},v1=${mac}`)
    }
    case "slack":
      return json({ text: plain(text) })
    case "discord":
      return json({ content: text, allowed_mentions: { parse: [] } })
    case "telegram": {
      const token = secret === undefined ? "" : Redacted.value(secret)
      return json({ chat_id: chat, text, disable_web_page_preview: true }, `${address}/bot${token}/sendMessage`)
    }
    case "ntfy": {
      const request = HttpClientRequest.post(address).pipe(
        HttpClientRequest.bodyText(text, "text/plain"),
        HttpClientRequest.setHeaders({ title: title(bot, notices), priority: gravest(notices) === "alarm" ? "5" : "3" })
      )
      return secret === undefined ? request : HttpClientRequest.bearerToken(request, secret)
    }
  }
}
