/**
 * Reads `account.wallet`, the payer of deposits on other chains: a person (the default), a program, or for experiments the ledger of the
 * sandbox. A program whose name has a slash is a path relative to the configuration file.
 */
import { Effect, Layer } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import * as WalletCommand from "../../engine/funding/WalletCommand.ts"
import * as Program from "../../programs/Program.ts"
import * as Read from "../../strategy/Fields.ts"
import { described, schemaOf } from "../../strategy/Fields.ts"
import { report } from "../../strategy/Problem.ts"

export type WalletConfig =
  | { readonly manual: true }
  | { readonly sandbox: true }
  | { readonly command: WalletCommand.WalletCommand }

const walletKeys = Read.section({
  manual: Read.optional(Read.trueOrFalse),
  sandbox: Read.optional(Read.trueOrFalse),
  command: Read.optional(Read.plainList(Read.text))
})

const howTo = "write { manual: true }, or { command: [program, argument, …] }"

const readWallet: Read.Reader<WalletConfig> = (node, to) => {
  const fields = walletKeys(node, to)
  if (fields === undefined) return undefined
  const program = Program.programOf(fields.command ?? [])
  const choices: ReadonlyArray<WalletConfig> = [
    ...(program === undefined ? [] : [{ command: { ...program, secretVariables: [] } }]),
    ...(fields.manual === true ? [{ manual: true } as const] : []),
    ...(fields.sandbox === true ? [{ sandbox: true } as const] : [])
  ]
  const [choice, ...others] = choices
  if (choice !== undefined && others.length === 0) return choice
  return report(to, node, "expected exactly one of manual, command and sandbox", howTo)
}

export const reader = described(readWallet, () => ({ ...schemaOf(walletKeys), minProperties: 1, maxProperties: 1 }))

/** The wallet program never sees them, even if this configuration does not use them. */
export const usualSecrets = [
  "LIMITBOT_API_KEY",
  "LIMITBOT_PARTNER_JWT",
  "LIMITBOT_ACCOUNT_KEY",
  "LIMITBOT_DATABASE_URL"
]

/** Resolves the program's path, and adds the variables that it must not see. */
export const resolved = (
  wallet: WalletConfig,
  resolve: (path: string) => string,
  secretVariables: ReadonlyArray<string>
): WalletConfig => {
  if (!("command" in wallet)) return wallet
  const secrets = [...new Set([...usualSecrets, ...secretVariables])]
  return { command: { ...Program.located(wallet.command, resolve), secretVariables: secrets } }
}

export const layer = (
  wallet: WalletConfig | undefined,
  venueUrl: string
): Layer.Layer<never, never, ChildProcessSpawner.ChildProcessSpawner> => {
  if (wallet === undefined || "manual" in wallet) return Layer.empty
  if ("command" in wallet) return WalletCommand.layer(wallet.command)
  // Loaded on demand, because every command reads the configuration, and few need this HTTP client.
  const loaded = Effect.promise(() =>
    Promise.all([import("@effect/platform-node/NodeHttpClient"), import("./SandboxWallet.ts")])
  )
  return Layer.unwrap(
    Effect.map(loaded, ([client, sandbox]) =>
      Layer.provide(sandbox.layer(venueUrl, "sandbox-wallet"), client.layerUndici)
    )
  )
}
