/**
 * The button is shown only if the bot and this browser can do notices: over https or on this machine, on an iPhone only as an installed
 * app. A subscribed browser subscribes again at each opening, because the bot drops subscriptions of tokens that are no longer valid.
 */
import { signal } from "@preact/signals"
import { h } from "preact"
import * as Api from "./api.ts"
import { failed, toast } from "./dialog.ts"
import { Button } from "./parts.ts"
import { span } from "./tags.ts"

interface Offer {
  readonly worker: ServiceWorkerRegistration
  readonly key: string
  readonly isSubscribed: boolean
}
const offer = signal<Offer | undefined>(undefined)

const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0))

const isFor = ({ options: { applicationServerKey } }: PushSubscription, key: string): boolean =>
  applicationServerKey !== null && new Uint8Array(applicationServerKey).join() === bytesOf(key).join()

const say = async (path: "subscribe" | "unsubscribe", subscription: PushSubscription): Promise<string> => {
  const { endpoint, keys } = subscription.toJSON()
  const payload = path === "subscribe" ? { endpoint, keys } : { endpoint }
  return (await Api.post<{ readonly message: string }>(`push/${path}`, payload)).message
}

const begin = async ({ pushManager }: ServiceWorkerRegistration, key: string): Promise<string> => {
  if ((await Notification.requestPermission()) !== "granted")
    throw new Error("This browser blocks notifications of this page: allow them in its settings")
  const pushSubscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) })
  try {
    return await say("subscribe", pushSubscription)
  } catch (error) {
    await pushSubscription.unsubscribe()
    throw error
  }
}

const end = async (subscription: PushSubscription): Promise<string> => {
  const message = await say("unsubscribe", subscription)
  await subscription.unsubscribe()
  return message
}

const present = async ({ pushManager }: ServiceWorkerRegistration, key: string) => {
  const existingSubscription = await pushManager.getSubscription()
  if (existingSubscription === null || isFor(existingSubscription, key)) return existingSubscription
  await existingSubscription.unsubscribe()
  return null
}

export const offerAlerts = async (): Promise<void> => {
  if (!("serviceWorker" in navigator && "PushManager" in window)) return
  const { key } = await Api.get<{ readonly key: string | null }>("push")
  if (key === null) return
  await navigator.serviceWorker.register("/worker.js")
  const worker = await navigator.serviceWorker.ready
  const activeSubscription = await present(worker, key)
  if (activeSubscription !== null) await say("subscribe", activeSubscription).catch(failed)
  offer.value = { worker, key, isSubscribed: activeSubscription !== null }
}

const change = async ({ key, worker }: Offer): Promise<void> => {
  try {
    const latestSubscription = await present(worker, key)
    toast(latestSubscription === null ? await begin(worker, key) : await end(latestSubscription), "good")
    offer.value = { worker, key, isSubscribed: latestSubscription === null }
  } catch (error) {
    failed(error)
  }
}

export const AlertsButton = () => {
  const current = offer.value
  if (current === undefined) return null
  const { isSubscribed } = current
  const title = `${isSubscribed ? "This browser gets" : "Send this browser"} notices while the page is closed`
  const label = span({ title }, "Alerts")
  return h(Button, { id: "alerts", label, style: "quiet", isOn: isSubscribed, onClick: () => change(current) })
}
