'use strict';

// Loads the files of the bundle, copied to dist/code-cache.cjs. Node's own compile cache holds only what V8 compiles
// when a file is loaded. This one is made when the program ends, and so holds every function that ran: compiling
// them is a seventh of the CPU time of a short run. One file for each command, because commands run other functions.

const fs = require('node:fs');
const { basename, dirname, join } = require('node:path');
const { Script } = require('node:vm');
const { crc32 } = require('node:zlib');

/** Caches of other versions of Node, and of commands that are no longer used. */
const KEPT_MS = 30 * 86_400_000;
/** V8 reads the code at addresses that are multiples of this; otherwise it copies it. */
const ALIGNED = 8;
const NUMBER_BYTES = 4;
const USAGE_ERROR = 2;

/**
 * Loads `dist/main.cjs` and everything that it requires from dist/. Programs with several state folders share the folder
 * `dist/code`, where the user has made one.
 *
 * @param home Klaus's own state.
 * @param command First argument of the program.
 */
exports.start = function start(home, command) {
  const name = /^[a-z]{2,16}$/.test(command || '') ? command : 'run';
  const shared = join(__dirname, 'code');
  const isShared = isPrivate(shared);
  const folder = isShared ? shared : join(home, 'cache', 'code');
  const file = join(folder, `${name}-${process.version}-${process.arch}`);
  const known = isShared || isPrivate(home) ? read(file) : new Map();
  const loaded = new Map();
  const load = (path) => {
    const before = loaded.get(path);
    if (before) return before.module.exports;
    const filename = join(__dirname, path);
    const source = `(function (exports, require, module, __filename, __dirname) {${fs.readFileSync(filename, 'utf8')}\n})`;
    const checksum = crc32(source);
    const entry = known.get(path);
    // V8 compares only the length of the source.
    const cachedData = entry && entry.checksum === checksum ? entry.code : undefined;
    const script = new Script(source, { filename, cachedData });
    const module = { id: filename, filename, exports: {}, loaded: false };
    loaded.set(path, { module, script, checksum, isNew: !cachedData || script.cachedDataRejected === true });
    require.cache[filename] = module;
    const requireFrom = (id) => (id.startsWith('./') ? load(basename(id)) : require(id));
    Object.assign(requireFrom, require);
    script.runInThisContext()(module.exports, requireFrom, module, filename, __dirname);
    module.loaded = true;
    return module.exports;
  };
  process.on('exit', (code) => {
    if (code !== USAGE_ERROR && (isShared || isPrivate(home)) && [...loaded.values()].some(({ isNew }) => isNew))
      keep(file, known, loaded);
  });
  load('main.cjs');
};

/** Others must not be able to plant code. */
function isPrivate(folder) {
  try {
    const { uid, mode } = fs.statSync(folder);
    return uid === process.getuid() && (mode & 0o022) === 0;
  } catch {
    return false;
  }
}

/** The code of files by their names; empty where there is none, or where it is damaged. */
function read(file) {
  try {
    const bytes = fs.readFileSync(file);
    const end = bytes.length - NUMBER_BYTES;
    if (bytes.readUInt32LE(end) !== crc32(bytes.subarray(0, end))) return new Map();
    const tableEnd = end - NUMBER_BYTES;
    const rows = JSON.parse(bytes.toString('utf8', bytes.readUInt32LE(tableEnd), tableEnd));
    return new Map(
      rows.map(([name, checksum, at, length]) => [name, { checksum, code: bytes.subarray(at, at + length) }]),
    );
  } catch {
    return new Map();
  }
}

/**
 * Writes the code of all files, a table of it, the place of the table, and a checksum. What was not loaded this time
 * stays. A cache that cannot be written is made by a later program.
 */
function keep(file, known, loaded) {
  const entries = new Map([...known].filter(([name]) => fs.existsSync(join(__dirname, name))));
  for (const [name, { script, checksum, isNew }] of loaded)
    if (isNew) entries.set(name, { checksum, code: script.createCachedData() });
  const rows = [];
  const parts = [];
  let at = 0;
  for (const [name, { checksum, code }] of entries) {
    rows.push([name, checksum, at, code.length]);
    const length = Math.ceil(code.length / ALIGNED) * ALIGNED;
    parts.push(code, Buffer.alloc(length - code.length));
    at += length;
  }
  const body = Buffer.concat([...parts, Buffer.from(JSON.stringify(rows)), toBytes(at)]);
  const made = `${file}.${process.pid}`;
  try {
    const folder = dirname(file);
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    fs.writeFileSync(made, Buffer.concat([body, toBytes(crc32(body))]), { mode: 0o600 });
    fs.renameSync(made, file);
    sweep(folder);
  } catch {
    // A disk without room, or no folder to write to. What was begun is swept later.
  }
}

function toBytes(number) {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  bytes.writeUInt32LE(number, 0);
  return bytes;
}

/** Removes what no program needs any more. */
function sweep(folder) {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - fs.statSync(path).mtimeMs > KEPT_MS) fs.rmSync(path, { force: true });
  }
  // Node's own cache, of earlier versions of Klaus.
  fs.rmSync(join(folder, '..', 'compiled'), { recursive: true, force: true });
}
