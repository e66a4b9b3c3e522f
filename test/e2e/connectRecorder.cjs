/** Loaded before the program: notes every address that it connects to, and every name that it looks up, a line each. */
const { appendFileSync } = require("node:fs")
const dns = require("node:dns")
const net = require("node:net")

const file = process.env.LIMITBOT_CONNECTIONS
const note = (what) => appendFileSync(file, `${what}\n`)

const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...words) {
  const [first] = Array.isArray(words[0]) ? words[0] : words
  const {
    host = "localhost",
    path,
    port
  } = typeof first === "object" && first !== null ? first : { port: first, host: words[1] }
  note(path === undefined ? `${host}:${port}` : path)
  return connect.apply(this, words)
}

for (const name of ["lookup", "resolve", "resolve4", "resolve6"]) {
  const original = dns[name]
  dns[name] = (host, ...rest) => {
    note(`name ${host}`)
    return original(host, ...rest)
  }
}
const { send } = require("node:dgram").Socket.prototype
require("node:dgram").Socket.prototype.send = function (...words) {
  note(`datagram ${words.slice(1).filter((word) => typeof word !== "function")}`)
  return send.apply(this, words)
}
