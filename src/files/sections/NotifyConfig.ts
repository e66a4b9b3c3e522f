/** Reads `notify` and `heartbeat`. Addresses that are secrets (Slack, Discord) are references; a webhook's may be in the file. */
import { Effect, Redacted } from "effect"
import { isPrivate } from "../../control/Address.ts"
import { defaultTelegram, receivers, type Target } from "../../control/notify/channels.ts"
import type { Mailbox } from "../../control/notify/email.ts"
import type { HeartbeatOptions } from "../../control/notify/Heartbeat.ts"
import { daily, problemSeen, severities } from "../../control/notify/Notice.ts"
import * as Vapid from "../../control/push/Vapid.ts"
import { BotEvent } from "../../domain/BotEvent.ts"
import { minuteMillis } from "../../domain/Durations.ts"
import * as Program from "../../programs/Program.ts"
import * as Read from "../../strategy/Fields.ts"
import { type Report, report } from "../../strategy/Problem.ts"
import { readSecret, type SecretSource, secret, secretSource } from "../secrets/SecretSource.ts"

const shortestMillis = 1_000

const withoutSlash = (text: string): string => text.replace(/\/+$/, "")

const expected = "an address such as https://host/path (http only for this machine)"
const webAddress = Read.scalar(expected, (text) => (isPrivate(text) ? withoutSlash(text) : undefined))

const address = Read.either(webAddress, secretSource, Read.isMap)

/** Only kinds that exist are valid, because a misspelled kind would be an alert that never comes. */
const kind = Read.oneOf(...Object.keys(BotEvent.cases), ...daily, problemSeen)

const pushService = Read.scalar("the host of a push service, such as push.example.org", (text) =>
  /^[A-Za-z0-9.-]{1,253}(:\d{1,5})?$/.test(text) ? text.toLowerCase() : undefined
)
const texts = Read.plainList(Read.text)
const mailAddress = /^[^@\s]+@[^@\s]+$/

const target = Read.settingsReader({
  to: Read.required(Read.oneOf(...receivers)),
  url: Read.optional(Read.located(address), "where to; telegram needs none"),
  secret: Read.optional(
    secret,
    "signs a webhook; the token of a telegram bot or of ntfy; of push: 64 hexadecimal digits, its key"
  ),
  chat: Read.optional(Read.text, "of telegram"),
  least: Read.withDefault(Read.oneOf(...severities), "warn", "the least severity"),
  kinds: Read.optional(Read.plainList(kind), "events that are sent at any severity"),
  except: Read.optional(Read.plainList(kind), "events that are not sent"),
  commands: Read.optional(texts, "of telegram: chats that may command the bot, also to place orders (/order)"),
  from: Read.optional(Read.text, "of email: the sender's address; of push: your address for the push service"),
  recipients: Read.optional(texts, "of email: the recipients"),
  user: Read.optional(Read.text, "of email: the login at the server; its password is the secret"),
  command: Read.optional(texts, "of command: the program that is started for each message, and its arguments"),
  services: Read.optional(
    Read.plainList(pushService),
    "of push: hosts of more push services (those of Chrome, Firefox, Safari and Edge are built in)"
  )
})

export const notifyReader = Read.list(target)

export const heartbeat = Read.checked(
  {
    url: Read.required(Read.located(address), "pinged while all is well; with /start and /fail as healthchecks do"),
    every: Read.withDefault(Read.duration, minuteMillis)
  },
  ({ url, every }, at, to) =>
    every < shortestMillis
      ? report(to, at("every"), "a heartbeat comes at most every second")
      : { url, everyMillis: every }
)

type TargetFields = NonNullable<ReturnType<typeof target>>

export type TargetConfig = NonNullable<ReturnType<typeof targetOf>>

const targetOf = (
  { value, ...place }: Read.Located<TargetFields>,
  resolve: (path: string) => string,
  report_: Report
) => {
  const { chat, from, least, secret, to, url, user } = value
  const { commands = [], except = [], kinds = [], recipients = [], services = [] } = value
  if (to === undefined) return undefined
  const needs = (what: string, hint?: string) => report(report_, place, `${to} needs ${what}`, hint)
  if (to === "telegram" && (secret === undefined || chat === undefined)) return needs("secret and chat")
  const program = Program.programOf(value.command ?? [])
  if (to === "command" && program === undefined) return needs("command", "the program and its arguments: [./tell.sh]")
  if (to === "command" && (url ?? secret) !== undefined)
    return report(report_, url ?? place, "a command has neither url nor secret", "it must read its own secrets")
  if (to === "push" && (secret === undefined || from === undefined || !mailAddress.test(from)))
    return needs("secret and from", `its key (${Vapid.howToMakeOne}), and your address, for the push services`)
  if (to === "push" && url !== undefined) return report(report_, url, "push has no url", "each browser has its own")
  if (to !== "telegram" && to !== "command" && to !== "push" && url === undefined) return needs("url")
  if ((to === "slack" || to === "discord") && typeof url?.value === "string") {
    return report(report_, url, `the address of ${to} is a secret`, "write { env: NAME } or { file: PATH }")
  }
  const isMail = to === "email"
  if (isMail && (from === undefined || recipients.length === 0)) return needs("from and recipients")
  if (typeof url?.value === "string" && url.value.startsWith("smtp") !== isMail) {
    return report(report_, url, isMail ? "email needs smtps://host or smtp://host" : "expected an http(s) address")
  }
  const mailbox: Mailbox | undefined = from === undefined || !isMail ? undefined : { from, recipients, user }
  const push = to === "push" && from !== undefined ? { contact: from, services } : undefined
  const command = to === "command" && program !== undefined ? Program.located(program, resolve) : undefined
  const rule = { least, kinds: new Set(kinds), except: new Set(except) }
  return { to, url, secret, chat, rule, commands, mailbox, command, push }
}

export const hasMail = (read: ReadonlyArray<Read.Located<TargetFields>> | undefined): boolean =>
  (read ?? []).some(({ value }) => value.to === "email")

export const targetsOf = (
  read: ReadonlyArray<Read.Located<TargetFields>> | undefined,
  resolve: (path: string) => string,
  hasPage: boolean,
  to: Report
): ReadonlyArray<TargetConfig> => {
  const [first, second] = (read ?? []).filter(({ value }) => value.to === "push")
  if (second !== undefined) report(to, second, "only one receiver may be push", "a browser subscribes with one key")
  if (first !== undefined && !hasPage) report(to, first, "push needs `dashboard`", "browsers subscribe on its page")
  return (read ?? []).flatMap((each) => targetOf(each, resolve, to) ?? [])
}

const addressOf = Effect.fnUntraced(function* (given: Read.Located<string | SecretSource>, folder: string, to: Report) {
  const { value, ...place } = given
  if (typeof value === "string") return Redacted.make(value)
  const secret = yield* readSecret({ value, ...place }, folder, to)
  if (secret === undefined) return undefined
  const text = Redacted.value(secret)
  return isPrivate(text) ? Redacted.make(withoutSlash(text)) : report(to, place, `the secret there is not ${expected}`)
})

export const loadedTargets = Effect.fn("NotifyConfig.loadedTargets")(function* (
  targets: ReadonlyArray<TargetConfig>,
  folder: string,
  to: Report
) {
  const loaded: Array<Target> = []
  for (const { secret: source, to: receiver, url: place, ...rest } of targets) {
    const secret = source === undefined ? undefined : yield* readSecret(source, folder, to)
    const url = place === undefined ? Redacted.make(defaultTelegram) : yield* addressOf(place, folder, to)
    if (url === undefined) continue
    if (receiver === "push" && source !== undefined && secret !== undefined && Vapid.keyPairOf(secret) === undefined)
      report(to, source, "the secret there is not the 64 hexadecimal digits of a key", Vapid.howToMakeOne)
    loaded.push({ ...rest, to: receiver, url, secret })
  }
  return loaded
})

/** Prepares targets whose messages are written but not sent. They accept no commands. */
export const withoutSecrets = (target: TargetConfig): Target => ({
  ...target,
  url: Redacted.make("https://nobody.invalid/message"),
  secret: target.secret && Redacted.make("none"),
  commands: []
})

export const loadedHeartbeat = Effect.fn("NotifyConfig.loadedHeartbeat")(function* (
  { everyMillis, url: place }: NonNullable<ReturnType<typeof heartbeat>>,
  folder: string,
  to: Report
) {
  const url = yield* addressOf(place, folder, to)
  return url === undefined ? undefined : ({ url, everyMillis } satisfies HeartbeatOptions)
})
