/**
 * Obeys operators in the listed chats; other chats get no answer. Commands and buttons from before this run are not obeyed: an old command
 * must not stop today's bot. Commands are carried out in the order of their messages; the kill switch waits for none of them.
 */
import { Clock, Effect, Redacted, Schedule, Schema, Semaphore } from "effect"
import { randomBytesUnsafe } from "effect/crypto/SecureRandom"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { elapsedMillis, monotonicMillis } from "../../domain/Durations.ts"
import { type CommandName, commandNames, commandOf } from "../api/OperatorCommands.ts"

export interface Chat {
  readonly url: Redacted.Redacted
  readonly token: Redacted.Redacted
  /** Ids of chats. Every member of a listed group may command. */
  readonly allowed: ReadonlySet<string>
}

type Confirmed = (by: string) => Effect.Effect<string>

export interface ChatCommands {
  status(): string
  readonly profit: Effect.Effect<string>
  readonly plan: Effect.Effect<string>
  explain(slot: string | undefined): Effect.Effect<string>
  /** `run` does what `text` announces (places, moves or cancels an order); absent if there is nothing to confirm. */
  order(by: string, words: ReadonlyArray<string>): Effect.Effect<{ readonly text: string; readonly run?: Confirmed }>
  obey(by: string, command: CommandName, target: string | undefined): Effect.Effect<string>
}

const From = Schema.Struct({ username: Schema.optionalKey(Schema.String) })
const Message = Schema.Struct({
  date: Schema.Int,
  chat: Schema.Struct({ id: Schema.Int }),
  /** Absent for messages of a channel. */
  from: Schema.optionalKey(From),
  text: Schema.optionalKey(Schema.String)
})
/** `data` is the button's command. `message` is the bot's message above the button; absent if it is too old. */
const Pressed = Schema.Struct({
  id: Schema.String,
  from: From,
  message: Schema.optionalKey(Message),
  data: Schema.optionalKey(Schema.String)
})
const Updates = Schema.Struct({
  result: Schema.Array(
    Schema.Struct({
      update_id: Schema.Int,
      message: Schema.optionalKey(Message),
      callback_query: Schema.optionalKey(Pressed)
    })
  )
})
type Message = typeof Message.Type

interface Reply {
  readonly text: string
  readonly buttons: ReadonlyArray<string>
}

const looks = ["/status", "/profit", "/plan", "/explain"]

/** Telegram holds a request open for this long until there is a message. */
const openSeconds = 50
const patience = "70 seconds"
const confirmMillis = 60_000
const pauses = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")])
const longest = 4_000

const inChats = commandNames.filter((name) => commandOf(name).isInChats === true)
const inWords = inChats.map((name) => `/${name}${commandOf(name).needs === "strategies" ? " [strategy]" : ""}`)
const help = `I understand ${["/status", "/profit", "/plan", "/explain [strategy/slot]", "/order", ...inWords.slice(0, -1)].join(", ")} and ${inWords.at(-1)}.`

const requestTo = ({ token, url }: Chat, method: string, body: unknown) =>
  HttpClientRequest.post(`${Redacted.value(url)}/bot${Redacted.value(token)}/${method}`).pipe(
    HttpClientRequest.bodyText(JSON.stringify(body), "application/json")
  )

const keyboardOf = (buttons: ReadonlyArray<string>) =>
  Array.from({ length: Math.ceil(buttons.length / 3) }, (_, row) =>
    buttons.slice(3 * row, 3 * row + 3).map((said) => ({
      text: said.slice(1).replace(/ yes .*/, " yes"),
      callback_data: said
    }))
  )

/** `button` confirms only this question; a typed `yes` confirms the latest one of its command. */
interface Question {
  readonly button: string
  readonly at: number
  readonly run: Confirmed
}

const replaced = "This plan is too old, or a later one has replaced it. Send the order again."

/** In groups the bot's name follows a command. */
const wordsOf = (text: string): readonly [string, ...ReadonlyArray<string>] => {
  const [word = "", ...rest] = text.trim().split(/\s+/)
  return [word.toLowerCase().replace(/@\w+$/, ""), ...rest]
}

const nameOf = (from: typeof From.Type | undefined): string =>
  from?.username === undefined ? "a user in the chat" : `@${from.username} in the chat`

/** Returns the start of this run. A clock that is set back later moves it back as well, so that new commands are obeyed. */
const runStart = Effect.gen(function* () {
  const [startedAt, begin] = [yield* Clock.currentTimeMillis, yield* monotonicMillis]
  return Effect.gen(function* () {
    const runMillis = (yield* monotonicMillis) - begin
    return Math.min(startedAt, (yield* Clock.currentTimeMillis) - runMillis)
  })
})

const plain = (text: string, buttons: ReadonlyArray<string> = looks): Reply => ({ text, buttons })

/** Answers messages of the chats that may command. It remembers the questions that wait for a `yes`. */
const answering = (commands: ChatCommands, startedAt: Effect.Effect<number>) => {
  const pending = new Map<string, Question>()
  return Effect.fnUntraced(function* ({ chat: { id }, date, from, text = "" }: Message) {
    const now = yield* Clock.currentTimeMillis
    if (date * 1000 < (yield* startedAt) - 1_000)
      return plain("I was not running when you sent this. Send it again if you still want it.")
    const [chatCommand, ...rest] = wordsOf(text)
    const argument = rest.join(" ") || undefined
    if (chatCommand === "/status")
      return plain(commands.status(), [...looks.slice(1), ...inChats.map((name) => `/${name}`)])
    if (chatCommand === "/profit") return plain(yield* commands.profit)
    if (chatCommand === "/plan") return plain(yield* commands.plan)
    if (chatCommand === "/explain") return plain(yield* commands.explain(argument))
    const by = nameOf(from)
    const key = `${id} ${chatCommand}`
    const question = pending.get(key)
    const isYes = argument === "yes" || argument === question?.button
    if (question !== undefined && isYes && elapsedMillis(question.at, now) < confirmMillis) {
      pending.delete(key)
      return plain(yield* question.run(by))
    }
    const ask = (text: string, button: string, run: Confirmed) =>
      Effect.map(Clock.currentTimeMillis, (at) => {
        pending.set(key, { button, at, run })
        const request = `Say “${chatCommand} yes” within a minute.`
        const excerpt = text.slice(0, longest - request.length - 1)
        return plain(`${excerpt} ${request}`, [`${chatCommand} ${button}`, "/status"])
      })
    if (chatCommand === "/order") {
      if (rest[0] === "yes") return plain(replaced)
      const { run, text } = yield* commands.order(by, rest)
      const button = `yes ${Buffer.from(randomBytesUnsafe(4)).toString("hex")}`
      return run === undefined ? plain(text) : yield* ask(text, button, run)
    }
    const name = inChats.find((each) => chatCommand === `/${each}`)
    if (name === undefined) return plain(help)
    const { confirm, means } = commandOf(name)
    return confirm === undefined
      ? plain(yield* commands.obey(by, name, argument))
      : yield* ask(means, "yes", (by) => commands.obey(by, name, undefined))
  })
}

/** Runs without end. If the service is down, polls again after growing pauses. */
export const listen = Effect.fn("TelegramCommands.listen")(function* (chat: Chat, commands: ChatCommands) {
  const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
  const answerTo = answering(commands, yield* runStart)
  const inOrder = yield* Semaphore.make(1)
  let offset = 0

  const post = (method: string, body: unknown) =>
    client.execute(requestTo(chat, method, body)).pipe(Effect.timeout(patience))

  const answer = Effect.fnUntraced(function* (message: Message) {
    if (!chat.allowed.has(String(message.chat.id))) {
      return yield* Effect.logWarning(`A chat that is not on the list wrote to the bot: ${message.chat.id}`)
    }
    const { buttons, text } = yield* answerTo(message)
    yield* Effect.ignore(
      post("sendMessage", {
        chat_id: message.chat.id,
        text: text.slice(0, longest),
        disable_web_page_preview: true,
        reply_markup: { inline_keyboard: keyboardOf(buttons) }
      })
    )
  })

  const hear = (message: Message) => {
    const reply = answer(message)
    const [chatCommand] = wordsOf(message.text ?? "")
    return Effect.forkScoped(chatCommand === "/kill" ? reply : inOrder.withPermit(reply))
  }

  /** A press counts as a command of the person who pressed, in the chat and at the time of the message above the button. */
  const press = Effect.fnUntraced(function* ({ data, from, id, message }: typeof Pressed.Type) {
    if (message !== undefined && data !== undefined) yield* hear({ ...message, from, text: data })
    yield* Effect.forkScoped(Effect.ignore(post("answerCallbackQuery", { callback_query_id: id })))
  })

  const once = Effect.gen(function* () {
    const response = yield* post("getUpdates", {
      offset,
      timeout: openSeconds,
      allowed_updates: ["message", "callback_query"]
    })
    const { result } = yield* HttpClientResponse.schemaBodyJson(Updates)(response)
    for (const { callback_query: pressed, message, update_id: id } of result) {
      // Acknowledged to Telegram before it is obeyed, so a command that fails halfway is not repeated.
      offset = Math.max(offset, id + 1)
      if (message !== undefined) yield* hear(message)
      if (pressed !== undefined) yield* press(pressed)
    }
  })
  return yield* Effect.forever(Effect.retry(once, pauses))
})
