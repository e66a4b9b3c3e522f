/** Strings that programs stumble over: unusual text, numbers that are none, and pieces of the languages that text ends up in. */
const blanks = ["", " ", "\t", "\n", "\r\n", "\u00a0", "\u2003", "\u200b", "\ufeff", "\u2028", "\v\f"]
const controls = ["\u0000", "\u0007", "\b", "\u001b[2J", "\u001b]0;title\u0007", "\u007f", "\u0085", "\u009b31m"]
const letters = ["Ω≈ç√∫", "田中さん", "مرحبا", "שָׁלוֹם", "Ṱ̺̺̕o͞ ̷i̲̬͇̪͙n̝̗͕v̟̜̘̦͟o̶̙̰̠kè͚̮̺̪̹̱̤", "ﬁ", "ı", "İ", "ß", "ǆ", "🏳️‍🌈", "👩‍👩‍👧‍👦", "🇦🇽"]
const broken = ["\ud800", "\udfff", "a\ud83d", "\uffff", "\u202eabc", "\u2066abc\u2069", "e\u0301", "\u{10ffff}"]
const numbers = [
  "NaN",
  "Infinity",
  "-Infinity",
  "1e400",
  "1e-400",
  "0x10",
  "0b1",
  "0o17",
  "1_000",
  "1,000",
  "1.000,00",
  "-0",
  "+1",
  ".5",
  "5.",
  "١٢",
  "１２",
  "½",
  "1/0",
  "9".repeat(400),
  `0.${"0".repeat(400)}1`,
  "9007199254740993",
  "1e1000000000"
]
const words = [
  "null",
  "~",
  "true",
  "yes",
  "undefined",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "CON",
  "NUL",
  "-",
  "--help",
  "-rf"
]
const yaml = [
  "&a *a",
  "*a",
  "<<: *x",
  "!!js/function 'x'",
  "!!binary aaa",
  "---",
  "...",
  "%TAG ! x",
  "? x",
  "- x",
  "[",
  "{",
  "{[}",
  "|",
  ">-",
  "@x",
  "`x`",
  "a: b: c",
  "'",
  '"',
  '"\\u12"',
  "#",
  "a #b"
]
const code = [
  "$" + "{7*7}",
  "{{7*7}}",
  "$(reboot)",
  "`reboot`",
  "; reboot",
  "| reboot",
  "%s%n%x",
  "%00",
  "' OR 1=1 --",
  "'; DROP TABLE journal;--",
  "<script>alert(1)</script>",
  '" onload="x',
  "javascript:x",
  "<!--",
  "]]>",
  "&lt;",
  "=1+1",
  "=cmd|' /C x'!A0",
  "@SUM(1)",
  "(a+)+$",
  "\\",
  "\\\\",
  "\\u0000"
]
const paths = [
  "../../etc/passwd",
  "/dev/random",
  "C:\\x",
  "file:///etc/passwd",
  "http://127.0.0.1:1",
  "//x",
  "x\u0000.yaml"
]
const expressions = [
  "close close",
  "sma()",
  "sma(close, -1)",
  "sma(close, 1e9)",
  "close[99999999]",
  "1 / 0",
  "(".repeat(2_000),
  `${"not ".repeat(2_000)}close`,
  "close and",
  "a.b",
  "close = 1",
  "close; close",
  "() => 1"
]
const long = ["x".repeat(20_000), "é".repeat(20_000), "[".repeat(10_000), "a: ".repeat(5_000), "\n".repeat(20_000)]

const plain = [blanks, controls, letters, broken, numbers, words, yaml, code, paths, expressions].flat()

/** With `npm run fuzz` each also in the middle of a word and in quotes. */
export const naughty: ReadonlyArray<string> =
  process.env["LIMITBOT_FUZZ"] === undefined
    ? [...plain, ...long]
    : [...plain.flatMap((text) => [text, `a${text}b`, `"${text}"`]), ...long]
