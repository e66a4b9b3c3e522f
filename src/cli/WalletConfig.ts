/**
 * `account.wallet` of the configuration: who pays deposits on other chains. Either a person (`{ manual: true }`) or a program
 * (`{ command: [program, arguments…] }`), whose path is relative to the configuration file when it has a slash in it.
 */
import type { Layer } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { Wallet } from "../engine/Wallet.ts"
import * as WalletCommand from "../engine/WalletCommand.ts"
import * as Read from "../strategy/Fields.ts"
import { report } from "../strategy/Problem.ts"

export type WalletConfig = { readonly manual: true } | { readonly command: WalletCommand.WalletCommand }

const walletFields = Read.fields({
  manual: Read.optional(Read.trueOrFalse),
  command: Read.optional(Read.list(Read.text))
})

const howTo = "write { manual: true }, or { command: [program, argument, …] }"

export const reader: Read.Reader<WalletConfig> = (node, to) => {
  const read = walletFields(node, to)
  if (read === undefined) return undefined
  const [program, ...args] = read.command?.value.map(({ value }) => value) ?? []
  if (program !== undefined && read.manual === undefined) return { command: { program, args } }
  if (program === undefined && read.manual?.value === true) return { manual: true }
  return report(to, node, "expected one of manual and command", howTo)
}

/** The program's path as the process needs it. */
export const resolved = (wallet: WalletConfig, resolve: (path: string) => string): WalletConfig =>
  "command" in wallet && wallet.command.program.includes("/")
    ? { command: { ...wallet.command, program: resolve(wallet.command.program) } }
    : wallet

/** Without a setting a person pays. */
export const layer = (
  wallet: WalletConfig | undefined
): Layer.Layer<Wallet, never, ChildProcessSpawner.ChildProcessSpawner> =>
  wallet !== undefined && "command" in wallet ? WalletCommand.layer(wallet.command) : Wallet.layerManual
