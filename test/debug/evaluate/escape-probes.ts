/** What evaluated code leaves for the program to read: getters, methods and traps that would run in it, without a limit. */
const HANGS = 'for (;;) {}';
/** `sort` needs a copy of the values: there the code may change its own realm. The copy is frozen, so it throws. */
const ON_COPY = 'try { list.sort(); } catch {}';

const LEFT = [
  ...['error', 'isThrown', 'value', 'level', 'values', 'length', 'message', 'name', 'stack', 'constructor'].map(
    (key) => `Object.defineProperty(Object.prototype, "${key}", { get() { ${HANGS} }, configurable: true });`,
  ),
  ...['map', 'join', 'push', 'slice', 'forEach', 'some', 'includes'].flatMap((name) => [
    `Array.prototype.${name} = () => { ${HANGS} }; console.log(1);`,
    `Array.prototype.${name} = (...found) => { for (const one of found) try { one.constructor("return process")().exit(9); } catch {} }; console.log({ a: [1] });`,
  ]),
  `Array.prototype[Symbol.iterator] = function* () { ${HANGS} }; console.log(1);`,
  `Array.prototype.push = function (line) { this[0] = new Proxy({}, { getOwnPropertyDescriptor() { ${HANGS} }, get() { ${HANGS} } }); this.length = 1; }; console.log(1);`,
  `Array.prototype.push = function (line) { line.values = new Proxy([], { getOwnPropertyDescriptor() { ${HANGS} } }); this[0] = line; }; console.log(1);`,
  `Array.prototype.push = function (line) { line.level = { toString() { ${HANGS} } }; this[0] = line; }; console.log(1);`,
  `Array.prototype.push = function () { this.length = 2 ** 32 - 1; }; console.log(1);`,
  `Array.prototype.push = function () { Object.defineProperty(this, "0", { get() { ${HANGS} } }); }; console.log(1);`,
  `Object.setPrototypeOf(Object.prototype, null); Object.setPrototypeOf(Array.prototype, new Proxy({}, { get() { ${HANGS} }, getOwnPropertyDescriptor() { ${HANGS} } })); console.log([1]);`,
  `console.log(new Proxy({}, { ownKeys() { ${HANGS} }, get() { ${HANGS} }, getPrototypeOf() { ${HANGS} } }));`,
  `String.prototype.slice = () => { ${HANGS} }; String.prototype.replace = () => { ${HANGS} }; console.log("x");`,
  `Symbol.prototype[Symbol.toPrimitive] = () => { ${HANGS} }; console.log({ [Symbol("x")]: 1 });`,
  `Date.prototype.toISOString = () => { ${HANGS} }; RegExp.prototype.toString = () => { ${HANGS} }; console.log(new Date(0), /x/);`,
  `Function.prototype.toString = () => { ${HANGS} }; console.log(() => 1, class A { static get name() { ${HANGS} } });`,
];
const VALUES = [
  `new Proxy({}, { get() { ${HANGS} }, getPrototypeOf() { ${HANGS} }, ownKeys() { ${HANGS} } })`,
  `({ get x() { ${HANGS} }, get constructor() { ${HANGS} }, get [Symbol.toStringTag]() { ${HANGS} } })`,
  `Object.setPrototypeOf({}, new Proxy({}, { getOwnPropertyDescriptor() { ${HANGS} }, getPrototypeOf() { ${HANGS} } }))`,
];
/** One call that nothing can stop. */
const SIZES = [
  'new Array(1e9).fill(0).length',
  '"x".repeat(5e8).split("").length',
  '[].constructor(1e9).fill(0).length',
  'Array.from({ length: 1e9 })',
  '"x".padEnd(5e8)',
  'new Uint8Array(3e9).fill(1).length',
  'Uint8Array.from({ length: 3e9 })',
  'new ArrayBuffer(3e9)',
  '[...Array(1e9)]',
  'new Array(1e9).join("x")',
];

export const ESCAPE_PROBES: readonly string[] = [
  ...LEFT.flatMap((code) => [`${code} ${ON_COPY}; 1`, `${code} list.sort(); 1`]),
  ...VALUES.map((value) => `${ON_COPY}; ${value}`),
  ...VALUES.map((value) => `${ON_COPY}; throw ${value}`),
  ...VALUES,
  ...SIZES,
  ...SIZES.map((code) => `${ON_COPY}; ${code}`),
];
