/**
 * The Merkle tree over a journal (RFC 6962), for people who do not have the journal. Its root stands for all events, and a path of a few
 * hashes proves that one event is below it. The chain alone would need every event in between.
 *
 * A leaf is the hash that an event has in the chain (`../Hash.ts`), so only that file defines the hash of an event. Appending computes
 * nothing here: a program that needs a root reads the hashes since the last one.
 */
import { hash } from "node:crypto"
import { genesis } from "../Hash.ts"

const sha256 = (...parts: ReadonlyArray<Uint8Array>): Buffer => hash("sha256", Buffer.concat(parts), "buffer")

/** Leaves and nodes have different hash prefixes, so that neither can pass for the other. */
const [ofLeaf, ofNode] = [Buffer.from([0]), Buffer.from([1])]

const leafOf = (chained: string): Buffer => sha256(ofLeaf, Buffer.from(chained, "hex"))
const nodeOf = (left: Uint8Array, right: Uint8Array): Buffer => sha256(ofNode, left, right)

/** A growing tree: the roots of its complete subtrees, largest first. There is one root for each binary digit 1 of its size. */
export interface Growing {
  size: number
  /** The newest hash of the journal's chain in the tree. */
  head: string
  readonly peaks: Array<Buffer>
}

export const make = (): Growing => ({ size: 0, head: genesis, peaks: [] })

export const add = (tree: Growing, chained: string): void => {
  let root = leafOf(chained)
  // Joins complete subtrees of equal height that end here, like carries when 1 is added to a binary number.
  for (let rest = tree.size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
    const leftNode = tree.peaks.pop()
    if (leftNode !== undefined) root = nodeOf(leftNode, root)
  }
  tree.peaks.push(root)
  tree.size += 1
  tree.head = chained
}

export const rootOf = ({ peaks }: Growing): string =>
  (peaks.length === 0 ? sha256() : peaks.reduceRight((right, left) => nodeOf(left, right))).toString("base64")

/** Returns for each leaf, counted from 0, the hashes in base64 that lead from it to the root. */
export const pathsOf = (
  chain: ReadonlyArray<string>,
  indexes: ReadonlyArray<number>
): ReadonlyArray<ReadonlyArray<string>> => {
  const paths = indexes.map((): Array<string> => [])
  let level = chain.map(leafOf)
  for (let height = 0; level.length > 1; height++) {
    for (const [place, index] of indexes.entries()) {
      const sibling = level[Math.floor(index / 2 ** height) ^ 1]
      if (sibling !== undefined) paths[place]?.push(sibling.toString("base64"))
    }
    level = paired(level)
  }
  return paths
}

/** The last of an odd number of hashes moves up unchanged. */
const paired = (level: ReadonlyArray<Buffer>): Array<Buffer> =>
  level.flatMap((left, index) => {
    if (index % 2 === 1) return []
    const right = level[index + 1]
    return [right === undefined ? left : nodeOf(left, right)]
  })
