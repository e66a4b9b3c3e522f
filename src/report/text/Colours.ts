/** Formats lines for a terminal: cut at its edge, coloured if it has colours, without characters that could repaint it. */
import { printable } from "../../domain/Text.ts"

const codes = { bold: 1, dim: 2, inverse: 7, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Colour = keyof typeof codes

export type ColouredLine = readonly [text: string, colour?: Colour | undefined]

export interface Style {
  readonly colours: boolean
  readonly columns: number
}

export const painted = ([text, colour]: ColouredLine, { colours, columns }: Style): string => {
  const visible = printable(text)
  const cut = visible.length > columns ? `${visible.slice(0, columns - 1)}…` : visible
  return colours && colour !== undefined ? `\u001B[${codes[colour]}m${cut}\u001B[0m` : cut
}

/** Matches a side or a signed figure, but not a share: "+0.64 %" may be a distance. */
const tonedWord = /(?<![\w/+−-])(?:BUY|SELL|[+−][\d,.]+)(?![\w/,.-]| %)/g

export const toned = (line: string): string =>
  line.replace(tonedWord, (word) => `\u001B[${/^[B+]/.test(word) ? codes.green : codes.red}m${word}\u001B[0m`)
