/** Light or dark theme: the machine's setting until the reader chooses one. The browser keeps the choice. */
import { byId } from "./dom.ts"

const storageKey = "limitbot-theme"
const night = matchMedia("(prefers-color-scheme: dark)")

const isDark = (): boolean => {
  const { theme } = document.documentElement.dataset
  return theme === "dark" || (theme !== "light" && night.matches)
}

const choose = (theme: string): void => {
  document.documentElement.dataset["theme"] = theme
}

/** Charts are painted, not styled: `paint` is called when the colours change. */
export const followTheme = (paint: () => void): void => {
  const stored = localStorage.getItem(storageKey)
  if (stored !== null) {
    choose(stored)
    paint()
  }
  night.addEventListener("change", paint)
  byId("theme").addEventListener("click", () => {
    const next = isDark() ? "light" : "dark"
    localStorage.setItem(storageKey, next)
    choose(next)
    paint()
  })
}
