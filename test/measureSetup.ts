import { appendFileSync, readFileSync } from "node:fs"
import { afterAll, beforeAll, expect } from "vitest"

const stat = () => {
  const f = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ")
  return [Number(f[11]) + Number(f[12]), Number(f[13]) + Number(f[14])]
}
const begun = stat()
const at = Date.now()
let file = ""
beforeAll(() => {
  file = expect.getState().testPath ?? ""
})
afterAll(() => {
  const now = stat()
  appendFileSync(
    "/tmp/h/measured.txt",
    `${file.replace(/.*\/test\//, "")}\t${(now[0]! - begun[0]!) / 100}\t${(now[1]! - begun[1]!) / 100}\t${(Date.now() - at) / 1000}\n`
  )
}, 60_000)
