import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createInterface } from 'node:readline';
import { inspect } from 'node:util';
import { startDebugServer } from '../../../apps/debug/server/debug-server.ts';

/** A program with state of every kind, which is looked at and attacked. Its state is a line for each line of input. */
class Account {
  #balance = 10;
  name = 'Ann';
  get balance() {
    return this.#balance;
  }
  get title() {
    return `${this.name}!`;
  }
  get counted() {
    return ++world.hits;
  }
  deposit(amount: number) {
    this.#balance += amount;
  }
  describe() {
    return `${this.name}: ${this.#balance}`;
  }
}

const cycle: Record<string, unknown> = { name: 'cycle' };
cycle['self'] = cycle;

/** The types of Node.js have none of it. */
const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Memory: new (options: object) => { buffer: ArrayBuffer };
    Table: new (options: object) => { get: (index: number) => unknown };
  };
};

const world = {
  hits: 0,
  name: 'Ann Example',
  list: [3, 1, 2],
  orders: [
    { id: 1, price: 10, tags: ['a', 'b'], at: new Date(0) },
    { id: 2, price: undefined as number | undefined, tags: [], at: new Date(86_400_000) },
    { id: 3, price: 30, tags: ['b'], at: new Date(2 * 86_400_000) },
  ],
  map: new Map<unknown, unknown>([
    ['k', 1],
    ['l', { deep: true }],
  ]),
  set: new Set(['x', 'y']),
  date: new Date(0),
  regexp: /a(?<rest>.)/g,
  bytes: new Uint8Array([1, 2, 3]),
  buffer: Buffer.from('hello'),
  text: 'The quick brown fox',
  json: '{"a":[1,2,{"b":null}]}',
  account: new Account(),
  cycle,
  big: 12n,
  wmem: new WebAssembly.Memory({ initial: 1 }),
  wtab: new WebAssembly.Table({ initial: 1, element: 'anyfunc' }),
  emitter: new EventEmitter(),
  settled: Promise.resolve({ status: 200 }),
  pending: new Promise<void>(() => {}),
  error: Object.assign(new Error('outer', { cause: new TypeError('inner') }), { code: 'E_TEST' }),
  mutate() {
    world.hits++;
  },
  async mutateLater() {
    await Promise.resolve();
    world.hits++;
  },
  *generate() {
    world.hits++;
    yield 1;
  },
  total: (orders: { price?: number }[]) => orders.reduce((sum, { price }) => sum + (price ?? 0), 0),
  fails: async () => {
    await Promise.resolve();
    throw new Error('rejected');
  },
};

const natives = [Array, Object, Map, Promise, Function, String, JSON, Math, Reflect].flatMap((holder) => [
  holder,
  'prototype' in holder ? holder.prototype : {},
]) as object[];
const functions = natives.flatMap((holder) =>
  Reflect.ownKeys(holder).map((key) => [holder, key, Reflect.getOwnPropertyDescriptor(holder, key)?.value] as const),
);

function readState(): string {
  const changed = functions.filter(
    ([holder, key, value]) => !Object.is(Reflect.getOwnPropertyDescriptor(holder, key)?.value, value),
  );
  const { settled: _settled, pending: _pending, ...rest } = world;
  const state = [
    inspect(rest, { depth: 12, showHidden: true, getters: false }),
    inspect(process.env),
    process.cwd(),
    process.eventNames().map((name) => [String(name), process.listenerCount(name)]),
    Reflect.ownKeys(globalThis).map(String),
    natives.map((holder) => [Reflect.ownKeys(holder).length, Object.isExtensible(holder)]),
    changed.map(([, key]) => String(key)),
    String(new Uint8Array(world.wmem.buffer).subarray(0, 16)),
    world.wtab.get(0) === null,
    process.exitCode,
    process.title,
    world.account.balance,
    world.emitter.listenerCount('x'),
  ];
  return createHash('sha256').update(JSON.stringify(state)).digest('hex');
}

const { error, ...context } = world;
const access = process.argv[2] === 'full' ? 'full' : 'read';
const server = await startDebugServer({ error, context: { ...context, world }, access, evalTimeoutMs: 5000 });
process.stdout.write(`${JSON.stringify({ url: server.url, token: server.token })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  // What probes left behind has a chance to run.
  await new Promise((resolve) => setTimeout(resolve, 5));
  if (line === 'end') break;
  process.stdout.write(`${readState()}\n`);
}
await server.close();
process.exit(0);
