/** Light or dark theme: the machine's setting until the reader chooses one. The browser keeps the choice. */
import { signal } from "@preact/signals"

const storageKey = "limitbot-theme"
const night = matchMedia("(prefers-color-scheme: dark)")
const root = document.documentElement

/** Counts the changes, because charts are painted and must read their colours again. */
export const themeChanges = signal(0)
const changed = (): void => {
  themeChanges.value += 1
}

export const followTheme = (): void => {
  const stored = localStorage.getItem(storageKey)
  if (stored !== null) root.dataset["theme"] = stored
  night.addEventListener("change", changed)
}

export const switchTheme = (): void => {
  const { theme } = root.dataset
  const isDark = theme === "dark" || (theme !== "light" && night.matches)
  root.dataset["theme"] = isDark ? "light" : "dark"
  localStorage.setItem(storageKey, root.dataset["theme"])
  changed()
}

/** Returns a colour of the style sheet in the form that a canvas accepts. */
export const colour = (name: string, opacity = 1): string => {
  const probe = document.createElement("i")
  probe.style.color = `var(--${name})`
  document.body.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return opacity === 1 ? color : color.replace("rgb(", "rgba(").replace(")", `, ${opacity})`)
}
