/**
 * Shows the bot's notices on a phone while its page is closed. A browser runs this file unchanged and without the page: it keeps
 * nothing, answers no request, and has no token. `control/push/Sending.ts` encrypts each notice for this browser alone.
 */

addEventListener("install", () => self.skipWaiting())
addEventListener("activate", (event) => event.waitUntil(self.clients.claim()))

addEventListener("push", (event) => {
  const { at, severity, text, title } = event.data.json()
  const shown = self.registration.showNotification(title, {
    body: text,
    icon: "/assets/icon.svg",
    timestamp: at,
    // An alarm stays until a person closes it.
    requireInteraction: severity === "alarm"
  })
  event.waitUntil(shown)
})

const openPage = async () => {
  const [page] = await self.clients.matchAll({ type: "window" })
  return page === undefined ? self.clients.openWindow("/") : page.focus()
}

addEventListener("notificationclick", (event) => {
  event.notification.close()
  event.waitUntil(openPage())
})
