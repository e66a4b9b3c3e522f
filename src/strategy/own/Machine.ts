/**
 * One QuickJS machine. Code in it sees no object of Node, no clock and no randomness. It reaches one function of the host, which takes and
 * returns numbers and texts. An image is the memory of a machine at one time. The owner restores it before each decision, so a decision
 * leaves nothing behind, and a machine that a decision broke works again.
 */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { OwnCodeFailed } from "./OwnCodeFailed.ts"
import { prelude } from "./Prelude.ts"

/** The hash of QuickJS-ng as WebAssembly, from the package `quickjs-wasi`. Its memory gets a limit, because it has none itself. */
const pinned = "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363"
export const pageBytes = 65_536
/** The memory section of the pinned file: at least 18 pages. Nothing else in the file has these bytes. */
const memorySection = Buffer.of(5, 3, 1, 0, 18)
/** A section for at most 2,048 pages, which is 128 MB (WebAssembly core specification, section 5.5.8). */
const limitedSection = Buffer.of(5, 5, 1, 1, 18, 128, 16)
/** The pinned file never writes between the stack, which ends at 1 MB, and this address: there are tables. */
export const constantsEnd = 1_163_264

/** The build copies the file to the folder of the program. */
const fileOfQuickJs = (): string => {
  const { dirname, filename, url } = import.meta
  return filename.endsWith(".mjs")
    ? join(dirname, "quickjs.wasm")
    : createRequire(url).resolve("quickjs-wasi/quickjs.wasm")
}

let compiled: WebAssembly.Module | undefined

/** About 80 ms at the first call. Throws if the file is not the pinned one. */
export const quickJs = (): WebAssembly.Module => {
  if (compiled !== undefined) return compiled
  const file = fileOfQuickJs()
  const code = readFileSync(file)
  const hash = createHash("sha256").update(code).digest("hex")
  if (hash !== pinned) throw new Error(`${file} is not the QuickJS of this version: install the packages again`)
  const at = code.indexOf(memorySection)
  const after = code.subarray(at + memorySection.length)
  compiled = new WebAssembly.Module(Buffer.concat([code.subarray(0, at), limitedSection, after]))
  return compiled
}

const limits = {
  /** Counts turns of loops, calls of functions and steps of patterns. */
  steps: 1_000_000,
  megabytes: 64,
  answerBytes: 1_000_000,
  /** QuickJS then reports too deep a recursion before the stack of Node is full. */
  stackBytes: 64 * 1_024
} as const

const stepsPerPoll = 10_000
/** All but Date (1), Proxy (16), and higher bits, such as WeakRef and performance. */
const intrinsics = 2 | 4 | 8 | 32 | 64 | 128
const asScript = 0
const asModule = 1
/** Free memory in an image, in bytes, so that few decisions make the memory grow. */
const freeBytes = 2 ** 20
const slackBytes = 24 * 1_024
const badDescriptor = 8
const notSupported = 52

/** Answers the question with this number. Its arguments count from 1. */
export type HostCall = (question: number, numberAt: At<number>, textAt: At<string>) => number | string
type At<A> = (index: number) => A

interface Handles {
  readonly functions: ReadonlyMap<string, number>
  readonly context: number
  /** Eight bytes for an argument or for the length of a result. */
  readonly box: number
  readonly nothing: number
}

export interface Image {
  readonly parts: ReadonlyArray<{ readonly at: number; readonly bytes: Uint8Array }>
  readonly pages: number
  readonly handles: Handles
}

export class Machine {
  readonly #instance: WebAssembly.Instance
  readonly #memory: WebAssembly.Memory
  readonly #stackPointer: WebAssembly.Global
  readonly #emptyStack: number
  readonly #ask: HostCall
  #view = Buffer.alloc(0)
  #polls = 0
  #handles: Handles = { functions: new Map(), context: 0, box: 0, nothing: 0 }

  constructor(ask: HostCall, image?: Image) {
    this.#ask = ask
    this.#instance = new WebAssembly.Instance(quickJs(), this.#imports())
    const { memory, __stack_pointer: pointer } = this.#instance.exports
    if (!(memory instanceof WebAssembly.Memory && pointer instanceof WebAssembly.Global))
      throw new Error("quickjs.wasm exports no memory or no stack pointer")
    this.#memory = memory
    this.#stackPointer = pointer
    this.#call("_initialize")
    if (image === undefined) this.#start()
    else this.#resume(image)
    this.#emptyStack = Number(pointer.value)
  }

  #start(): void {
    if (this.#call("qjs_init2", intrinsics) !== 0) throw new Error("QuickJS does not start")
    this.#call("qjs_set_memory_limit", limits.megabytes * 2 ** 20)
    this.#call("qjs_set_max_stack_size", limits.stackBytes)
    // Without a threshold the cycle collector never runs within a decision.
    this.#call("qjs_set_gc_threshold", -1)
    this.#call("qjs_set_interrupt_handler", 1)
    const [box, context] = [this.#call("wasm_malloc", 8), this.#call("qjs_get_context_ptr")]
    this.#handles = { ...this.#handles, box, context, nothing: this.#call("qjs_get_undefined") }
    const ask = this.#call("qjs_new_host_function", ...this.#write("ask"), 1)
    const host = this.#apply(this.#evaluate(prelude, "own-prelude", asScript), ask)
    const names = ["failure", "adopt", "begin", "share", "decide"]
    const functions = new Map(names.map((name) => [name, this.#property(host, name)]))
    this.#handles = { ...this.#handles, functions }
  }

  #resume({ handles, pages, parts }: Image): void {
    this.#memory.grow(pages - this.pages)
    for (const { at, bytes } of parts) this.#bytes.set(bytes, at)
    this.#handles = handles
  }

  get pages(): number {
    return this.#memory.buffer.byteLength / pageBytes
  }

  adopt(code: string): string {
    const promise = this.#evaluate(code, "own-strategy", asModule)
    const state = this.#call("qjs_promise_state", promise)
    const result = this.#call("qjs_promise_result", promise)
    if (state === 2) throw new OwnCodeFailed(this.#run("failure", result))
    if (state === 0) throw new OwnCodeFailed("a decision waits for nothing: it awaits outside of functions")
    return this.#run("adopt", this.#property(result, "default"))
  }

  begin(settings: string, market: string): string {
    return this.#run("begin", this.#newString(settings), this.#newString(market))
  }

  /** Shares `doubles` numbers with the code, beyond the end of all images. Returns their address. */
  share(doubles: number, timeframes: string): number {
    this.#call("wasm_free", this.#call("wasm_malloc", freeBytes + slackBytes))
    const at = this.#memory.buffer.byteLength
    this.#memory.grow(Math.ceil((8 * doubles) / pageBytes))
    // A value of QuickJS has 64 bits, and is passed in a box.
    const buffer = BigInt(this.#exported("JS_NewArrayBuffer")(this.#handles.context, at, 8 * doubles, 0, 0, 0))
    const boxed = this.#call("wasm_malloc", 8)
    this.#bytes.writeBigInt64LE(buffer, boxed)
    this.#run("share", boxed, this.#newString(timeframes))
    return at
  }

  /** The bytes are for a `valueReader`, and valid until the next call. */
  decide(memory: string): Buffer {
    const { box, context, functions, nothing } = this.#handles
    this.#bytes.writeUInt32LE(this.#newString(memory), box)
    const answer = this.#checked(this.#call("qjs_call", functions.get("decide") ?? 0, nothing, 1, box))
    const at = this.#exported("JS_WriteObject")(context, box, this.#bytes.readBigInt64LE(answer), 0)
    if (at === 0) throw new OwnCodeFailed(`its answer is not like JSON: ${this.#mistake().message}`)
    return this.#answerAt(at)
  }

  /** A name that is built into QuickJS. */
  nameOf(atom: number): string {
    return this.#textAt(this.#call("JS_AtomToCStringLen", this.#handles.context, this.#handles.box, atom))
  }

  /** Copies the memory below `end`, or all of it. Leaves out its free parts, so that it restores ten times as fast. */
  snapshot(end?: number): Image {
    const free = this.#call("wasm_malloc", freeBytes)
    this.#call("wasm_free", free)
    const foot = end ?? this.#memory.buffer.byteLength
    if (free === 0 || free > foot) throw new Error("the free memory of the machine lies elsewhere")
    // The free block at the top reaches to the end of the heap, whose last bytes belong to the allocator.
    const part = (at: number, to: number) => ({ at, bytes: Uint8Array.prototype.slice.call(this.#bytes, at, to) })
    const parts = [part(constantsEnd, free + 256), part(foot - 1_024, foot)]
    return { parts, pages: this.pages, handles: this.#handles }
  }

  /** Only for an image of this machine, or of the one from which it was made. Steps count from zero again. */
  restore({ parts }: Image): void {
    for (const { at, bytes } of parts) this.#bytes.set(bytes, at)
    this.#stackPointer.value = this.#emptyStack
    this.#polls = 0
  }

  /** Valid until the memory grows. */
  doubles(at: number, count: number): Float64Array {
    return new Float64Array(this.#memory.buffer, at, count)
  }

  #imports(): WebAssembly.Imports {
    const none = () => 0
    return {
      env: {
        host_interrupt: () => {
          this.#polls += 1
          return this.#isOverSteps() ? 1 : 0
        },
        host_call: (_name: number, _length: number, _self: number, _count: number, args: number) => {
          const valueAt = (index: number) => this.#bytes.readUInt32LE(args + 4 * index)
          const numberAt = (index: number) => this.#call("qjs_get_float64", valueAt(index))
          const answer = this.#ask(numberAt(0), numberAt, (index) => this.#textOf(valueAt(index)))
          return typeof answer === "number" ? this.#call("qjs_new_number", answer) : this.#newString(answer)
        },
        host_promise_rejection: none,
        host_module_normalize: none,
        host_module_load: none,
        host_get_timezone_offset: none
      },
      wasi_snapshot_preview1: {
        clock_time_get: (_id: number, _precision: bigint, at: number) => {
          this.#bytes.writeBigUInt64LE(0n, at)
          return 0
        },
        random_get: (at: number, count: number) => {
          this.#bytes.fill(0, at, at + count)
          return 0
        },
        fd_close: () => notSupported,
        fd_fdstat_get: () => badDescriptor,
        fd_seek: () => notSupported,
        fd_write: () => badDescriptor
      }
    }
  }

  #exported(name: string) {
    const exported = this.#instance.exports[name]
    if (typeof exported !== "function") throw new Error(`quickjs.wasm exports no ${name}`)
    return exported
  }

  #call(name: string, ...args: ReadonlyArray<number>): number {
    return this.#exported(name)(...args)
  }

  /** Memory that grows gets a new buffer. */
  get #bytes(): Buffer {
    if (this.#view.buffer !== this.#memory.buffer) this.#view = Buffer.from(this.#memory.buffer)
    return this.#view
  }

  #write(text: string): readonly [address: number, length: number] {
    const address = this.#call("wasm_malloc", 3 * text.length + 1)
    if (address === 0) throw new OwnCodeFailed("it has no memory left")
    const length = this.#bytes.write(text, address, "utf8")
    this.#bytes[address + length] = 0
    return [address, length]
  }

  #newString(text: string): number {
    const [address, length] = this.#write(text)
    const value = this.#call("qjs_new_string", address, length)
    this.#call("wasm_free", address)
    return value
  }

  #textOf(value: number): string {
    const at = this.#call("qjs_get_string_len", value, this.#handles.box)
    const text = this.#textAt(at)
    this.#call("qjs_free_cstring", at)
    return text
  }

  #textAt(at: number): string {
    return at === 0 ? "" : this.#answerAt(at).toString("utf8")
  }

  #answerAt(at: number): Buffer {
    const length = this.#bytes.readUInt32LE(this.#handles.box)
    if (length > limits.answerBytes)
      throw new OwnCodeFailed(`its answer has more than ${limits.answerBytes} bytes, memory included`)
    return this.#bytes.subarray(at, at + length)
  }

  #property(of: number, name: string): number {
    const [address] = this.#write(name)
    return this.#call("qjs_get_prop_string", of, address)
  }

  #evaluate(code: string, file: string, flags: number): number {
    const [name] = this.#write(file)
    return this.#checked(this.#call("qjs_eval", ...this.#write(code), name, flags))
  }

  #run(name: string, ...args: ReadonlyArray<number>): string {
    return this.#textOf(this.#apply(this.#handles.functions.get(name) ?? 0, ...args))
  }

  #apply(callee: number, ...args: ReadonlyArray<number>): number {
    const list = this.#call("wasm_malloc", 4 * Math.max(1, args.length))
    for (const [index, value] of args.entries()) this.#bytes.writeUInt32LE(value, list + 4 * index)
    const result = this.#call("qjs_call", callee, this.#handles.nothing, args.length, list)
    this.#call("wasm_free", list)
    return this.#checked(result)
  }

  #checked(value: number): number {
    if (this.#call("qjs_is_exception", value) === 0) {
      // Code may catch the end of its steps as the failure of a promise.
      if (this.#isOverSteps()) throw new OwnCodeFailed(`it takes more than ${limits.steps} steps`)
      return value
    }
    throw this.#mistake()
  }

  #mistake(): OwnCodeFailed {
    const mistake = this.#call("qjs_get_exception")
    if (this.#call("qjs_is_uncatchable_error", mistake) !== 0) return this.#overLimit(mistake)
    const describe = this.#handles.functions.get("failure")
    return new OwnCodeFailed(
      describe === undefined ? this.#textOf(mistake) : this.#textOf(this.#apply(describe, mistake))
    )
  }

  #isOverSteps(): boolean {
    return this.#polls * stepsPerPoll > limits.steps
  }

  #overLimit(mistake: number): OwnCodeFailed {
    const line = /own-strategy:(\d+)/.exec(this.#textOf(this.#property(mistake, "stack")))?.[1]
    const limit = this.#isOverSteps() ? `${limits.steps} steps` : `${limits.megabytes} MB of memory`
    return new OwnCodeFailed(
      `it takes more than ${limit}${line === undefined ? "" : ` in the function of line ${line}`}`
    )
  }
}
