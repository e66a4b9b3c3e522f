/**
 * Control input that programs stumble over: strings in every place of a request where text goes, JSON that is none or almost
 * none, and heads of requests that no client writes. None of it is a command of anybody.
 */

import type { Asked } from "../world/processes/runningBot.ts"
import { naughty } from "../world/texts/naughty.ts"

export interface NaughtyRequest {
  readonly path: string
  readonly asked: Asked
}

const post = (path: string, body: string): NaughtyRequest => ({
  path,
  asked: {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) },
    body
  }
})
const get = (path: string): NaughtyRequest => ({ path, asked: {} })
/** Also of half a letter, which `encodeURIComponent` refuses. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

const places: ReadonlyArray<(text: string) => NaughtyRequest> = [
  (text) => get(`/api/v1/log?search=${encoded(text)}`),
  (text) => get(`/api/v1/log?limit=${encoded(text)}`),
  (text) => get(`/api/v1/log?before=${encoded(text)}&after=${encoded(text)}`),
  (text) => get(`/api/v1/fills?limit=${encoded(text)}&slot=${encoded(text)}`),
  (text) => get(`/api/v1/candles?market=${encoded(text)}&timeframe=${encoded(text)}`),
  (text) => get(`/api/v1/book?market=${encoded(text)}`),
  (text) => get(`/api/v1/explain?slot=${encoded(text)}`),
  (text) => get(`/api/v1/events?after=${encoded(text)}x`),
  (text) => get(`/api/v1/status?${encoded(text)}=${encoded(text)}`),
  (text) => get(`/api/v1/${encoded(text)}`),
  (text) => get(`/assets/${encoded(text)}`),
  (text) => post("/api/v1/pause", JSON.stringify({ strategy: `${text}?` })),
  (text) => post("/api/v1/cancel", JSON.stringify({ slot: text })),
  (text) => post("/api/v1/resolve", JSON.stringify({ placement: text, word: text, confirm: text })),
  (text) => post("/api/v1/kill", JSON.stringify({ confirm: `${text}?`, why: text })),
  (text) => post("/api/v1/check", JSON.stringify({ files: [{ file: "grid.yaml", text }] })),
  (text) => post("/api/v1/apply", JSON.stringify({ file: text, text, hash: text })),
  (text) => post("/api/v1/swap/quote", JSON.stringify({ amount: text, from: text, to: text })),
  (text) => post("/api/v1/swap", JSON.stringify({ quote: text, confirm: text })),
  (text) => post("/api/v1/kill", text.toWellFormed())
]

/** By what is wrong: the kinds of documents that test suites of JSON readers consist of. */
const documents: ReadonlyArray<string> = [
  ...[
    "",
    " ",
    "\ufeff{}",
    "nul",
    "truee",
    "TRUE",
    "NaN",
    "Infinity",
    "-",
    "+1",
    "01",
    "1.",
    ".1",
    "1e",
    "1e+",
    "0x1",
    "--1"
  ],
  ...["1 2", "{} {}", "{}x", "[1,]", "[,1]", "[1 2]", "[", "]", "[[", "{", "}", "{,}", "{1:1}", "{a:1}", "{'a':1}"],
  ...[
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{"a" 1}',
    '{"a":1 "b":2}',
    '{"a":1}}',
    '{"confirm":"kill",}',
    '{"confirm":"kill"}}'
  ],
  ...[
    '{"confirm":"kill" "why":"x"}',
    '{confirm:"kill"}',
    "{'confirm':'kill'}",
    '{"confirm":kill}',
    '/**/{"confirm":"kill"}'
  ],
  ...['"', '"\t"', '"\\x"', '"\\u12"', '"\\ud800"', '"\\u0000"', '"a\nb"', "'a'", '"\\"', "\u0000", '{"a":"\u0000"}'],
  ...["null", "true", "1", "[]", '"kill"', '["confirm","kill"]', '{"confirm":null}', '{"confirm":["kill"]}'],
  ...[
    '{"confirm":{"toString":"kill"}}',
    '{"__proto__":{"confirm":"kill"}}',
    '{"constructor":{"prototype":{"confirm":"kill"}}}'
  ],
  ...['{"Confirm":"kill"}', '{"confirm ":"kill"}', '{"confirm":"kill "}', '{"confirm":"KILL"}', '{"confirm":1e400}'],
  ...["[".repeat(100_000), '{"a":'.repeat(50_000), `{"confirm":"${"k".repeat(500_000)}"}`, `[${"1,".repeat(100_000)}1]`]
]

/** Heads as they go over the wire; each lacks what a command needs. */
export const heads = (host: string): ReadonlyArray<string> => [
  `GET /api/v1/status HTTP/1.1\r\n${host}X Y: z\r\n\r\n`,
  `GET /api/v1/status HTTP/1.1\r\n${host}: empty\r\n\r\n`,
  `GET /api/v1/status HTTP/1.1\r\n${host}X: a\u0000b\r\n\r\n`,
  `GET /api/v1/status HTTP/1.1\r\n${host}X: a\rb\r\n\r\n`,
  `GET /api/v1/status HTTP/1.1\r\n${host} folded: line\r\n\r\n`,
  `GET  /api/v1/status HTTP/1.1\r\n${host}\r\n`,
  `GET /api/v1/status HTTP/9.9\r\n${host}\r\n`,
  `GET /api/v1/status\r\n\r\n`,
  `GET http://evil.example/api/v1/status HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
  `GET /api/v1/status HTTP/1.1\r\nHost: evil.example\r\n${host}\r\n`,
  `GET /api/v1/log?search=\u0001 HTTP/1.1\r\n${host}\r\n`,
  `GET /%ff%fe%00 HTTP/1.1\r\n${host}\r\n`,
  `GET /%zz HTTP/1.1\r\n${host}\r\n`,
  `GET //evil.example/%2e%2e HTTP/1.1\r\n${host}\r\n`,
  `POST /api/v1/kill HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: -1\r\n\r\n{"confirm":"kill"}`,
  `POST /api/v1/kill HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 0x12\r\n\r\n{"confirm":"kill"}`,
  `POST /api/v1/kill HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 99999999999999999999\r\n\r\n{}`,
  `CONNECT evil.example:443 HTTP/1.1\r\n${host}\r\n`,
  `TRACE /api/v1/status HTTP/1.1\r\n${host}\r\n`,
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  `${"\r\n".repeat(50)}\u0000\u0000\u0000`
]

/** One in so many of the strings in each place; the others have their turn in other places. */
const share = process.env["LIMITBOT_FUZZ"] === undefined ? 60 : 1

export const naughtyRequests: ReadonlyArray<NaughtyRequest> = [
  ...places.flatMap((place, index) =>
    naughty.filter((text, number) => (number + index) % share === 0 && text.length < 15_000).map(place)
  ),
  ...documents.filter((_, number) => share === 1 || number % 3 === 0).map((body) => post("/api/v1/kill", body))
]
