/**
 * One QuickJS machine. Code in it sees no object of Node, no clock and no chance; it reaches one function of the host, which takes and returns
 * numbers and texts. An image is the memory of a machine at one time. The owner restores it before each decision, so a decision cannot
 * leave anything behind, and a machine that a decision broke is whole again.
 */
import { OwnCodeFailed } from "./OwnCodeFailed.ts"
import { prelude } from "./Prelude.ts"
import { pageBytes, quickJs } from "./QuickJs.ts"

const limits = {
  /** Counts turns of loops, calls of functions and steps of patterns. */
  steps: 1_000_000,
  megabytes: 64,
  /** QuickJS then finds that a recursion is too deep before the stack of Node is full. */
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
/** The stack lies below this address. An image needs only its pointer. */
const imageFrom = 2 ** 20
const badDescriptor = 8
const notSupported = 52

type Ask = (question: string, name: string) => number | string

export interface Image {
  readonly parts: ReadonlyArray<{ readonly at: number; readonly bytes: Uint8Array }>
  readonly pages: number
}

interface Handles {
  readonly functions: ReadonlyMap<string, number>
  readonly decideArguments: number
  readonly nothing: number
}

export interface MachineState {
  readonly image: Image
  readonly handles: Handles
}

let firstChangedByte: number | undefined

/** QuickJS never writes to bytes below this: they are tables that are equal in each machine. */
const constantsEnd = (used: Uint8Array): number => {
  if (firstChangedByte !== undefined) return firstChangedByte
  const imports: Record<string, Record<string, () => number>> = {}
  for (const { module, name } of WebAssembly.Module.imports(quickJs())) {
    imports[module] ??= {}
    imports[module][name] = () => 0
  }
  const fresh = new Uint8Array(memoryOf(new WebAssembly.Instance(quickJs(), imports)).buffer)
  let at = imageFrom
  while (at < fresh.length && fresh[at] === used[at]) at += 1
  firstChangedByte = at - (at % 4_096)
  return firstChangedByte
}

const memoryOf = ({ exports }: WebAssembly.Instance): WebAssembly.Memory => {
  const { memory } = exports
  if (memory instanceof WebAssembly.Memory) return memory
  throw new Error("quickjs.wasm exports no memory")
}

export class Machine {
  readonly #instance: WebAssembly.Instance
  readonly #memory: WebAssembly.Memory
  readonly #stackPointer: WebAssembly.Global
  readonly #emptyStack: number
  readonly #ask: Ask
  #bytes = Buffer.alloc(0)
  #words = new DataView(new ArrayBuffer(0))
  #polls = 0
  #handles: Handles = { functions: new Map(), decideArguments: 0, nothing: 0 }

  constructor(ask: Ask, snapshot?: MachineState) {
    this.#ask = ask
    this.#instance = new WebAssembly.Instance(quickJs(), this.#imports())
    this.#memory = memoryOf(this.#instance)
    const { __stack_pointer: pointer } = this.#instance.exports
    if (!(pointer instanceof WebAssembly.Global)) throw new Error("quickjs.wasm exports no stack pointer")
    this.#stackPointer = pointer
    this.#call("_initialize")
    if (snapshot === undefined) this.#start()
    else this.#resume(snapshot)
    this.#emptyStack = Number(pointer.value)
  }

  #start(): void {
    if (this.#call("qjs_init2", intrinsics) !== 0) throw new Error("QuickJS does not start")
    this.#call("qjs_set_memory_limit", limits.megabytes * 2 ** 20)
    this.#call("qjs_set_max_stack_size", limits.stackBytes)
    // Without a threshold the cycle collector never runs within a decision.
    this.#call("qjs_set_gc_threshold", -1)
    this.#call("qjs_set_interrupt_handler", 1)
    const ask = this.#call("qjs_new_host_function", ...this.#write("ask"), 2)
    const host = this.#apply(this.#evaluate(prelude, "own-prelude", asScript), ask)
    const names = ["failure", "adopt", "begin", "share", "decide"]
    const functions = new Map(names.map((name) => [name, this.#property(host, name)]))
    this.#handles = { ...this.#handles, functions }
  }

  #resume({ handles, image }: MachineState): void {
    this.#memory.grow(image.pages - this.pages)
    this.#refresh()
    for (const { at, bytes } of image.parts) this.#bytes.set(bytes, at)
    this.#handles = handles
  }

  get pages(): number {
    return this.#memory.buffer.byteLength / pageBytes
  }

  adopt(code: string): string {
    const promise = this.#evaluate(code, "own-strategy", asModule)
    const state = this.#call("qjs_promise_state", promise)
    const result = this.#call("qjs_promise_result", promise)
    if (state === 2) return this.#run("failure", result)
    if (state === 0) throw new OwnCodeFailed("a decision waits for nothing: it awaits outside of functions")
    return this.#run("adopt", this.#property(result, "default"))
  }

  begin(settings: string, market: string): string {
    return this.#run("begin", this.#newString(settings), this.#newString(market))
  }

  /** Shares `doubles` numbers with the code, beyond the end of all images. Returns their address and the answer of `share`. */
  share(doubles: number, timeframes: string): { readonly at: number; readonly answer: string } {
    this.#call("wasm_free", this.#call("wasm_malloc", freeBytes + slackBytes))
    const at = this.#memory.buffer.byteLength
    this.#memory.grow(Math.ceil((8 * doubles) / pageBytes))
    const context = this.#call("qjs_get_context_ptr")
    // A value of QuickJS itself has 64 bits, and is passed in a box.
    const buffer = BigInt(this.#exported("JS_NewArrayBuffer")(context, at, 8 * doubles, 0, 0, 0))
    const boxed = this.#call("wasm_malloc", 8)
    this.#refresh()
    this.#words.setBigInt64(boxed, buffer, true)
    const answer = this.#run("share", boxed, this.#newString(timeframes))
    this.#handles = {
      ...this.#handles,
      decideArguments: this.#call("wasm_malloc", 8),
      nothing: this.#call("qjs_get_undefined")
    }
    return { at, answer }
  }

  decide(memory: string): string {
    const { decideArguments, functions, nothing } = this.#handles
    this.#setWord(decideArguments, this.#newString(memory))
    const answer = this.#call("qjs_call", functions.get("decide") ?? 0, nothing, 1, decideArguments)
    const text = this.#call("qjs_get_string_len", this.#checked(answer), decideArguments)
    return this.#slice(text, this.#word(decideArguments))
  }

  snapshot(): MachineState {
    this.#refresh()
    const bytes = Uint8Array.prototype.slice.call(this.#bytes, imageFrom)
    return { image: { parts: [{ at: imageFrom, bytes }], pages: this.pages }, handles: this.#handles }
  }

  /** Copies the memory below `end` without its free parts, which is ten times as fast to restore. */
  snapshotBelow(end: number): MachineState {
    const free = this.#call("wasm_malloc", freeBytes)
    this.#call("wasm_free", free)
    this.#refresh()
    if (free === 0 || free > end) throw new Error("the free memory of the machine lies elsewhere")
    const part = (at: number, to: number) => ({ at, bytes: Uint8Array.prototype.slice.call(this.#bytes, at, to) })
    // The free block at the top reaches to the end of the heap, whose foot belongs to the allocator.
    const parts = [part(constantsEnd(this.#bytes), free + 256), part(end - 1_024, end)]
    return { image: { parts, pages: this.pages }, handles: this.#handles }
  }

  /** Only for an image of this machine, or of the one that it was made from. Steps count from zero again. */
  restore({ parts }: Image): void {
    this.#refresh()
    for (const { at, bytes } of parts) this.#bytes.set(bytes, at)
    this.#stackPointer.value = this.#emptyStack
    this.#polls = 0
  }

  /** Valid until the memory grows. */
  doubles(at: number, count: number): Float64Array {
    return new Float64Array(this.#memory.buffer, at, count)
  }

  get buffer(): ArrayBuffer {
    return this.#memory.buffer
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
          const answer = this.#ask(this.#textOf(this.#word(args)), this.#textOf(this.#word(args + 4)))
          return typeof answer === "number" ? this.#call("qjs_new_number", answer) : this.#newString(answer)
        },
        host_promise_rejection: none,
        host_module_normalize: none,
        host_module_load: none,
        host_get_timezone_offset: none
      },
      wasi_snapshot_preview1: {
        clock_time_get: (_id: number, _precision: bigint, at: number) => {
          this.#refresh()
          this.#words.setBigUint64(at, 0n, true)
          return 0
        },
        random_get: (at: number, count: number) => {
          this.#refresh()
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

  #refresh(): void {
    if (this.#bytes.buffer === this.#memory.buffer) return
    this.#bytes = Buffer.from(this.#memory.buffer)
    this.#words = new DataView(this.#memory.buffer)
  }

  #word(at: number): number {
    this.#refresh()
    return this.#words.getUint32(at, true)
  }

  #setWord(at: number, value: number): void {
    this.#refresh()
    this.#words.setUint32(at, value, true)
  }

  #write(text: string): readonly [address: number, length: number] {
    const address = this.#call("wasm_malloc", 3 * text.length + 1)
    if (address === 0) throw new OwnCodeFailed("it has no memory left")
    this.#refresh()
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

  #slice(at: number, length: number): string {
    this.#refresh()
    return this.#bytes.toString("utf8", at, at + length)
  }

  #textOf(value: number): string {
    const size = this.#call("wasm_malloc", 4)
    const at = this.#call("qjs_get_string_len", value, size)
    const length = this.#word(size)
    const text = at === 0 ? "" : this.#slice(at, length)
    this.#call("qjs_free_cstring", at)
    this.#call("wasm_free", size)
    return text
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
    for (const [index, value] of args.entries()) this.#setWord(list + 4 * index, value)
    const result = this.#call("qjs_call", callee, this.#call("qjs_get_undefined"), args.length, list)
    this.#call("wasm_free", list)
    return this.#checked(result)
  }

  #checked(value: number): number {
    if (this.#call("qjs_is_exception", value) === 0) {
      // Code may catch the end of its steps as the failure of a promise.
      if (this.#isOverSteps()) throw new OwnCodeFailed(`it takes more than ${limits.steps} steps`)
      return value
    }
    const mistake = this.#call("qjs_get_exception")
    if (this.#call("qjs_is_uncatchable_error", mistake) !== 0) throw this.#overLimit(mistake)
    const describe = this.#handles.functions.get("failure")
    throw new OwnCodeFailed(
      describe === undefined ? this.#textOf(mistake) : this.#textOf(this.#apply(describe, mistake)).slice(1)
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
