/** The screen we write to: whether a person sits there, how tall it is, and how to redraw it in place. */
import { Context, Effect, Layer } from "effect"

export class Terminal extends Context.Service<
  Terminal,
  {
    readonly isInteractive: boolean
    readonly rows: () => number
    redraw(lines: ReadonlyArray<string>): Effect.Effect<void>
  }
>()("limitbot/cli/Terminal") {
  /** `stream` is the process's standard output. */
  static readonly layer = (stream: {
    readonly isTTY?: boolean
    readonly rows?: number
    readonly columns?: number
    write(text: string): unknown
  }) =>
    Layer.succeed(
      Terminal,
      Terminal.of({
        isInteractive: stream.isTTY === true,
        rows: () => stream.rows ?? 40,
        redraw: (lines) =>
          Effect.sync(() => {
            const width = stream.columns ?? 120
            // Home, each line cleared to its end, then everything below cleared: no flicker.
            stream.write(`\u001B[H${lines.map((line) => `${cut(line, width)}\u001B[K`).join("\n")}\n\u001B[J`)
          })
      })
    )
}

/** Cuts a line to the width, not counting colour codes. */
const cut = (line: string, width: number): string => {
  let visible = 0
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colour codes that we wrote ourselves
  return line.replace(/\u001B\[\d+m|[^\u001B]/gu, (part) =>
    part.startsWith("\u001B") ? part : ++visible > width ? "" : part
  )
}
