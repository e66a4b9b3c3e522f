/**
 * A push service on loopback with browsers that subscribe to it: what it takes is decrypted as a browser does (RFC 8291), with nothing
 * of the library that encrypts, and who sent it is verified as a push service does (RFC 8292).
 */
import { execFileSync } from "node:child_process"
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto"
import { readFileSync } from "node:fs"
import type { IncomingHttpHeaders } from "node:http"
import { createServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert } from "@effect/vitest"

export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Browser {
  readonly keys: { readonly p256dh: string; readonly auth: string }
  readonly read: (body: Buffer) => string
}

const derived = (secret: Buffer, salt: Buffer, info: Buffer | string, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, salt, info, length))

/** With the keys of a browser that subscribes; those of the example of RFC 8291 when they are given. */
export const newBrowser = (privateKey?: string, auth = randomBytes(16).toString("base64url")): Browser => {
  const own = createECDH("prime256v1")
  if (privateKey === undefined) own.generateKeys()
  else own.setPrivateKey(privateKey, "base64url")
  const read = (body: Buffer): string => {
    const [salt, idLength] = [body.subarray(0, 16), body[20] ?? 0]
    const sender = body.subarray(21, 21 + idLength)
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), own.getPublicKey(), sender])
    const secret = derived(own.computeSecret(sender), Buffer.from(auth, "base64url"), info, 32)
    const key = derived(secret, salt, "Content-Encoding: aes128gcm\0", 16)
    const nonce = derived(secret, salt, "Content-Encoding: nonce\0", 12)
    const decipher = createDecipheriv("aes-128-gcm", key, nonce)
    const sealed = body.subarray(21 + idLength)
    decipher.setAuthTag(sealed.subarray(-16))
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
    const end = plain.lastIndexOf(2)
    assert.isTrue(plain.subarray(end + 1).every((byte) => byte === 0))
    return plain.subarray(0, end).toString("utf8")
  }
  return { keys: { p256dh: own.getPublicKey("base64url", "uncompressed"), auth }, read }
}

/** What the sender claims of itself, signed by the key that stands beside it. */
export const claimsOf = ({ authorization = "" }: IncomingHttpHeaders) => {
  const [, token = "", publicKey = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? []
  const [header = "", claims = "", signature = ""] = token.split(".")
  const point = Buffer.from(publicKey, "base64url")
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"))
  const key = createPublicKey({ key: { kty: "EC", crv: "P-256", x: x ?? "", y: y ?? "" }, format: "jwk" })
  const isSigned = verify(
    "sha256",
    Buffer.from(`${header}.${claims}`),
    { key, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url")
  )
  assert.isTrue(isSigned)
  assert.strictEqual(JSON.parse(Buffer.from(header, "base64url").toString()).alg, "ES256")
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url").toString())
  return { publicKey, aud, exp, sub }
}

export interface PushService {
  readonly origin: string
  readonly host: string
  /** By path. */
  readonly received: ReadonlyMap<string, ReadonlyArray<Received>>
  /** What a path is answered from now on, 201 when nothing is said. */
  readonly answer: (path: string, status: number) => void
  readonly close: () => void
}

/** Over TLS, with a certificate that this process trusts from now on. */
export const startPushService = async (folder: string): Promise<PushService> => {
  const [key, certificate] = [join(folder, "push-tls.key"), join(folder, "push-tls.pem")]
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
  const files = ["-keyout", key, "-out", certificate, "-days", "2", "-nodes"]
  execFileSync("openssl", ["req", "-x509", "-newkey", "ed25519", ...subject, ...files], { stdio: "ignore" })
  const pem = readFileSync(certificate, "utf8")
  setDefaultCACertificates([...getCACertificates("default"), pem])
  const received = new Map<string, Array<Received>>()
  const statuses = new Map<string, number>()
  const server = createServer({ key: readFileSync(key), cert: pem }, (request, response) => {
    const parts: Array<Buffer> = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.on("end", () => {
      const path = request.url ?? ""
      received.set(path, [...(received.get(path) ?? []), { headers: request.headers, body: Buffer.concat(parts) }])
      response.statusCode = statuses.get(path) ?? 201
      if (response.statusCode === 307) response.setHeader("location", `https://${request.headers.host}/elsewhere`)
      response.end()
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const host = `localhost:${(server.address() as AddressInfo).port}`
  return {
    origin: `https://${host}`,
    host,
    received,
    answer: (path, status) => void statuses.set(path, status),
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
