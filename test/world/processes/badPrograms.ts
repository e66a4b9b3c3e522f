/** Ten ways in which a program of somebody's goes wrong, as shell scripts, and what tests need to make programs. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { newFolder } from "./program.ts"

/** Names no key of anybody: what looks like one. */
export const looksLikeKey = `ed25519:${"3".repeat(87)}`

export const badScripts = {
  "prints garbage": "cat > /dev/null; head -c 900 /dev/urandom; echo",
  "prints without end": "cat > /dev/null; yes limitbot | head -c 3000000",
  "fails with code 1": "cat > /dev/null; echo starting >&2; echo the line is dead >&2; exit 1",
  hangs: "exec sleep 60",
  "never reads": "exit 0",
  "closes its input early": "exec 0<&-; sleep 0.2; exit 0",
  "leaves a child with its output": "cat > /dev/null; sleep 60 & exit 0",
  "prints a secret": `cat > /dev/null; echo "my key is ${looksLikeKey}" >&2; exit 0`,
  "is slow": "cat > /dev/null; sleep 5",
  "crashes by a signal": "cat > /dev/null; kill -SEGV $$"
} as const
export type Badness = keyof typeof badScripts

/** A program of its own in a folder of its own. */
export const program = (script: string): string => {
  const file = join(newFolder(), "program.sh")
  writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return file
}
