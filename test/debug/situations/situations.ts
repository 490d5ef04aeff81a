export interface Situation {
  /** Why its frames have no variables. */
  missing?: string;
  /** A module that fails. */
  code: string;
  /** A frame that must be there, and what its variables must show. */
  sees: readonly { frame: string; of?: string; locals?: Readonly<Record<string, string>>; isAsync?: boolean }[];
}

/** The ways that an error takes from its throw to who looks at it. */
export const SITUATIONS: Readonly<Record<string, Situation>> = {
  'a throw in a function': {
    code: 'function f(a) { const b = a + 1; throw new Error(String(b)); } f(1);',
    sees: [{ frame: 'f', locals: { a: '1', b: '2' } }],
  },
  'a method, with `this` and private fields': {
    code: 'class Cart { #rate = 7; constructor(o) { this.orders = o; } total() { const n = this.orders.length; return n.foo.bar; } } new Cart([1, 2]).total();',
    sees: [{ frame: 'Cart.total', locals: { n: '2', this: 'Cart { #rate: 7, orders: [Array(2)] }' } }],
  },
  'a variable before its declaration': {
    code: 'function f() { const a = 1; if (a) b; const b = 2; return b; } f();',
    sees: [{ frame: 'f', locals: { a: '1', b: '<not initialized>' } }],
  },
  'a rejected object': {
    code: 'async function f() { const r = { code: 42 }; await Promise.reject(r); } await f();',
    sees: [{ frame: 'f', locals: { r: '{ code: 42 }' } }],
  },
  'a rejected undefined': {
    code: 'async function f() { const hint = "here"; await Promise.reject(undefined); } await f();',
    sees: [{ frame: 'f', locals: { hint: '"here"' } }],
  },
  'a thrown undefined': {
    code: 'function f() { const hint = "here"; throw undefined; } f();',
    sees: [{ frame: 'f', locals: { hint: '"here"' } }],
  },
  'a thrown text': {
    code: 'function f() { const hint = 1; throw "a text"; } f();',
    sees: [{ frame: 'f', locals: { hint: '1' } }],
  },
  'a thrown null': {
    code: 'function f() { const hint = 1; throw null; } f();',
    sees: [{ frame: 'f', locals: { hint: '1' } }],
  },
  'a frozen error': {
    code: 'function f() { const hint = 1; throw Object.freeze(new Error("x")); } f();',
    sees: [{ frame: 'f', locals: { hint: '1' } }],
  },
  'an error without a stack': {
    code: 'function f() { const hint = 1; const e = new Error("x"); delete e.stack; throw e; } f();',
    sees: [{ frame: 'f', locals: { hint: '1' } }],
  },
  'an error of an own class': {
    code: 'class Own extends Error { constructor(m, code) { super(m); this.code = code; } } function f(id) { throw new Own("x", id); } f(5);',
    sees: [{ frame: 'f', locals: { id: '5' } }],
  },
  'the errors of an AggregateError': {
    code: 'async function one(n) { await null; throw new TypeError("one " + n); } async function any() { await Promise.any([one(1), one(2)]); } await any();',
    sees: [
      { frame: 'one', of: 'error.errors[0]', locals: { n: '1' } },
      { frame: 'one', of: 'error.errors[1]', locals: { n: '2' } },
    ],
  },
  'a chain of causes': {
    code: 'function low(raw) { JSON.parse(raw); } function mid(p) { try { low(p + "x"); } catch (cause) { throw new Error("mid", { cause }); } } function high() { const q = 1; try { mid("{"); } catch (cause) { throw new Error("high", { cause }); } } high();',
    sees: [
      { frame: 'high', locals: { q: '1' } },
      { frame: 'mid', of: 'error.cause', locals: { p: '"{"' } },
      { frame: 'low', of: 'error.cause.cause', locals: { raw: '"{x"' } },
    ],
  },
  'a cause in an AggregateError': {
    code: 'function low(n) { throw new Error("low"); } async function f(n) { try { low(n); } catch (cause) { throw new Error("f", { cause }); } } await Promise.any([f(1)]);',
    sees: [{ frame: 'low', of: 'error.errors[0].cause', locals: { n: '1' } }],
  },
  'an error that is thrown again': {
    code: 'function low(a) { throw new Error("x"); } function f() { const hidden = 1; try { low(5); } catch (e) { throw e; } } f();',
    sees: [{ frame: 'low', locals: { a: '5' } }],
  },
  'a finally that runs after it': {
    code: 'function f(a) { let b = a; try { throw new Error("x"); } finally { b = 0; } } f(3);',
    sees: [{ frame: 'f', locals: { a: '3' } }],
  },
  'a context of node:vm': {
    code: 'import vm from "node:vm"; function run() { const own = 1; const c = vm.createContext({ x: 4 }); vm.runInContext("function f(a) { const b = a + x; null.foo; } f(3)", c); } run();',
    sees: [
      { frame: 'f', locals: { a: '3', b: '7' } },
      { frame: 'run', locals: { own: '1' } },
    ],
  },
  'a named import of node:vm': {
    code: 'import { createContext, runInContext } from "node:vm"; const c = createContext({}); runInContext("function f(a) { null.foo; } f(3)", c);',
    sees: [{ frame: 'f', locals: { a: '3' } }],
  },
  runInThisContext: {
    code: 'import vm from "node:vm"; vm.runInThisContext("(function f(a) { null.foo; })")(3);',
    sees: [{ frame: 'f', locals: { a: '3' } }],
  },
  'code of eval': {
    code: 'function run() { const own = 1; (0, eval)("(function f(a) { null.foo; })(3)"); } run();',
    sees: [
      { frame: 'f', locals: { a: '3' } },
      { frame: 'run', locals: { own: '1' } },
    ],
  },
  'new Function': {
    code: 'const f = new Function("a", "null.foo"); function run() { const own = 1; f(own); } run();',
    sees: [
      { frame: '', locals: { a: '1' } },
      { frame: 'run', locals: { own: '1' } },
    ],
  },
  'an await before the throw': {
    code: 'async function f(a) { await null; const b = a + 1; throw new Error("x"); } async function outer() { await f(1); } await outer();',
    sees: [
      { frame: 'f', locals: { a: '1', b: '2' } },
      { frame: 'outer', isAsync: true },
    ],
  },
  'a generator': {
    code: 'function* g(a) { const b = a + 1; yield b; throw new Error("x"); } function run() { const own = 1; for (const x of g(1)); } run();',
    sees: [
      { frame: 'g', locals: { a: '1', b: '2' } },
      { frame: 'run', locals: { own: '1' } },
    ],
  },
  'an asynchronous generator': {
    code: 'async function* g(a) { const b = a + 1; yield b; throw new Error("x"); } for await (const x of g(1));',
    sees: [{ frame: 'g', locals: { a: '1', b: '2' } }],
  },
  'a listener': {
    code: 'import { EventEmitter } from "node:events"; const e = new EventEmitter(); e.on("x", function onX(a) { null.foo; }); e.emit("x", 4);',
    sees: [{ frame: 'EventEmitter.onX', locals: { a: '4' } }],
  },
  'an event `error` that nothing hears': {
    code: 'import { EventEmitter } from "node:events"; function send(a) { new EventEmitter().emit("error", new Error("x")); } send(4);',
    sees: [{ frame: 'send', locals: { a: '4' } }],
  },
  'a timer': {
    code: 'setTimeout(function late(a) { null.foo; }, 1, 4); await new Promise(() => setTimeout(() => {}, 1000));',
    sees: [{ frame: 'Timeout.late', locals: { a: '4' } }],
  },
  'a microtask': {
    code: 'queueMicrotask(function late() { const a = 4; null.foo; }); await new Promise(() => setTimeout(() => {}, 1000));',
    sees: [{ frame: 'late', locals: { a: '4' } }],
  },
  'process.nextTick': {
    code: 'process.nextTick(function late(a) { null.foo; }, 4); await new Promise(() => setTimeout(() => {}, 1000));',
    sees: [{ frame: 'late', locals: { a: '4' } }],
  },
  'a stream': {
    code: 'import { Readable } from "node:stream"; import { pipeline } from "node:stream/promises"; await pipeline(Readable.from([1, 2]), async function* map(source) { for await (const chunk of source) { const n = chunk; n.foo.bar; } }, async (s) => { for await (const x of s); });',
    sees: [{ frame: 'map', locals: { n: '1' } }],
  },
  'a callback of an array': {
    code: 'function f(list) { return list.map(function each(item) { return item.a.b; }); } f([{}]);',
    sees: [
      { frame: 'each', locals: { item: '{}' } },
      { frame: 'f', locals: { list: '[ {} ]' } },
    ],
  },
  'a getter': {
    code: 'const o = { get x() { const a = 1; return a.b.c; } }; function f() { return o.x; } f();',
    sees: [{ frame: 'get x', locals: { a: '1' } }],
  },
  'a proxy': {
    code: 'const o = new Proxy({}, { get(t, key) { return key.a.b; } }); function f() { const own = 1; return o.x; } f();',
    sees: [
      { frame: 'Object.get', locals: { key: '"x"' } },
      { frame: 'f', locals: { own: '1' } },
    ],
  },
  'a rejection that is handled late': {
    code: 'async function f(a) { throw new Error("x"); } const p = f(3); process.removeAllListeners("unhandledRejection"); process.on("unhandledRejection", () => {}); await new Promise((r) => setTimeout(r, 5)); await p;',
    sees: [{ frame: 'f', locals: { a: '3' } }],
  },
  'a wrapper around a handler': {
    code: 'import { AsyncLocalStorage } from "node:async_hooks"; const s = new AsyncLocalStorage(); function handler(req) { return req.user.name; } s.run({ id: 1 }, () => handler({ url: "/" }));',
    sees: [{ frame: 'handler', locals: { req: '{ url: "/" }' } }],
  },
  'a domain': {
    code: 'import domain from "node:domain"; const d = domain.create(); function f(a) { null.foo; } const p = new Promise((_, reject) => d.on("error", reject)); d.run(() => setTimeout(f, 1, 3)); await p;',
    sees: [{ frame: 'Timeout.f', locals: { a: '3' } }],
  },
  'a promisified callback': {
    code: 'import { promisify } from "node:util"; function old(a, done) { done(new Error("x")); } async function f() { await promisify(old)(3); } await f();',
    sees: [{ frame: 'f' }],
  },
  'a symbol': {
    code: 'function f() { const hint = 1; throw Symbol("s"); } f();',
    sees: [{ frame: 'f', locals: { hint: '1' } }],
  },
  'an object with another prototype': {
    code: 'function f() { const o = JSON.parse("{\\"a\\":1}"); Object.setPrototypeOf(o, { evil: 1 }); throw new Error("x"); } f();',
    sees: [{ frame: 'f', locals: { o: '{ [[Prototype]]: [Object(1)], a: 1 }' } }],
  },
  'an accessor, which is not run': {
    code: 'let reads = 0; function f() { const o = { get b() { reads++; return 1; } }; throw new Error("x"); } f();',
    sees: [{ frame: 'f', locals: { o: '{ b: [Getter] }' } }],
  },
  'callers across an `await`': {
    missing: 'V8 does not give them: only position and name',
    code: 'async function f() { await null; throw new Error("x"); } async function outer(a) { await f(); } await outer(1);',
    sees: [{ frame: 'outer', isAsync: true }],
  },
  'a worker thread': {
    missing: 'the error is a copy: call `install()` or `investigate` in the thread',
    code: 'import { Worker } from "node:worker_threads"; const w = new Worker("function inside(a) { null.foo; } inside(3)", { eval: true }); await new Promise((_, reject) => w.on("error", reject));',
    sees: [{ frame: 'inside' }],
  },
  'an exhausted stack': {
    missing: 'nothing is left to read variables with',
    code: 'function f(a) { return f(a + 1); } f(1);',
    sees: [{ frame: 'f' }],
  },
  'an assertion': {
    code: 'import assert from "node:assert"; function check(n) { assert.strictEqual(n, 4); } check(3);',
    sees: [{ frame: 'check', locals: { n: '3' } }],
  },
};
