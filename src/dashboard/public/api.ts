/** The control API for the page. The token is in a header of every request and in the storage of this tab, nowhere else. */

const storageKey = "limitbot-token"

export const token = (): string | null => sessionStorage.getItem(storageKey)
export const setToken = (text: string): void => sessionStorage.setItem(storageKey, text)
export const forgetToken = (): void => sessionStorage.removeItem(storageKey)

/** Moves the token from the address's fragment to the storage of this tab, so that it does not stay in the browser's history. */
export const takeToken = (): boolean => {
  const hashToken = /^#token=([\w-]+)$/.exec(location.hash)?.[1]
  if (hashToken === undefined) return false
  setToken(hashToken)
  history.replaceState(null, "", location.pathname)
  return true
}

export const whereToken = async (): Promise<string> => {
  const { where }: { readonly where: string } = await (await fetch("/login")).json()
  return where
}

export class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const headers = (): Record<string, string> => ({ authorization: `Bearer ${token() ?? ""}` })

const answer = async <A>(response: Response): Promise<A> => {
  if (response.ok) return response.json()
  const body: { readonly message?: string } = await response.json().catch(() => ({}))
  throw new Refused(response.status, body.message ?? `The bot answered ${response.status}`)
}

const patienceMillis = 20_000

export const get = async <A>(path: string, withinMillis = patienceMillis): Promise<A> =>
  answer(await fetch(`/api/v1/${path}`, { headers: headers(), signal: AbortSignal.timeout(withinMillis) }))

/** `key`: a request that is repeated with the same key never places a second order. */
export const post = async <A>(path: string, payload: unknown, key = ""): Promise<A> =>
  answer(
    await fetch(`/api/v1/${path}`, {
      method: "POST",
      headers: { ...headers(), "content-type": "application/json", ...(key !== "" && { "idempotency-key": key }) },
      body: JSON.stringify(payload)
    })
  )

export interface Told {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface Listener {
  readonly told: (told: Told) => void
  readonly gap: () => void
  readonly state: (state: "live" | "gone" | "refused") => void
}

/** The bot sends something at least every five seconds. */
const silentMillis = 12_000
const pauseMillis = 1_500

const messages = (text: string): { readonly found: ReadonlyArray<Told>; readonly rest: string } => {
  const blocks = text.split("\n\n")
  const rest = blocks.pop() ?? ""
  const serverEvents = blocks.flatMap((block) => {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1] ?? ""
    const data = field("data")
    return data === "" ? [] : [{ event: field("event"), data: JSON.parse(data) }]
  })
  return { found: serverEvents, rest }
}

/** Listens without end, from the event after `sequence`, over any number of connections. */
export const listen = (sequence: number, listener: Listener): void => {
  let last = sequence

  const take = (told: Told): void => {
    const { sequence: number } = told.data
    if (typeof number === "number") {
      if (told.event === "Event") {
        if (number > last + 1) listener.gap()
        last = Math.max(last, number)
        // More events than can be on their way, so some are missing.
      } else if (number > last + 500) {
        last = number
        listener.gap()
      }
    }
    listener.told(told)
  }

  const readStream = async (): Promise<void> => {
    const abort = new AbortController()
    let timer = setTimeout(() => abort.abort(), silentMillis)
    try {
      const response = await fetch(`/api/v1/events?after=${last}`, { headers: headers(), signal: abort.signal })
      if (!response.ok || response.body === null) {
        listener.state(response.status === 401 ? "refused" : "gone")
        return
      }
      listener.state("live")
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      let rest = ""
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        clearTimeout(timer)
        timer = setTimeout(() => abort.abort(), silentMillis)
        const batch = messages(rest + value)
        rest = batch.rest
        for (const serverEvent of batch.found) take(serverEvent)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  const again = (): void => {
    readStream()
      .catch(() => undefined)
      .then(() => {
        listener.state("gone")
        setTimeout(again, pauseMillis)
      })
  }
  again()
}
