import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** True where system calls can be recorded. */
export const hasStrace = spawnSync('strace', ['-qq', '-o', '/dev/null', 'true']).status === 0;

if (!hasStrace) console.warn('skipped here: tests that need strace');

/** A successful system call, at its end. */
export interface SystemCall {
  name: string;
  /** The process, for all of its threads. */
  process: number;
  args: Argument[];
  /** The result; for an open, with the path. */
  result: Argument;
  /** How many calls had ended when it began. */
  begun: number;
}

/** A number with the path of the descriptor where it is one, a string's bytes, or a word such as flags. */
export interface Argument {
  word: string;
  number: number;
  path?: string;
  bytes?: Buffer;
}

const CALLS =
  'openat,open,creat,write,pwrite64,writev,pwritev,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,link,linkat,' +
  'mkdir,mkdirat,rmdir,truncate,ftruncate,fallocate,copy_file_range,sendfile,lseek,dup,dup2,dup3,clone,clone3,fork,vfork';

/** Runs a program under strace, with its threads and children, and reports each call in order. */
export async function recordSystemCalls(
  command: readonly [string, ...string[]],
  options: { trace: string; env: NodeJS.ProcessEnv },
): Promise<{ calls: SystemCall[]; stdout: string }> {
  const words = [
    '-f',
    '-y',
    '-xx',
    '-qq',
    '-s',
    '1000000000',
    '--seccomp-bpf',
    '-e',
    `trace=${CALLS}`,
    '-o',
    options.trace,
  ];
  const stdout = await new Promise<string>((resolve, reject) => {
    execFile('strace', [...words, ...command], { env: options.env, maxBuffer: 1e8 }, (error, out, err) =>
      error ? reject(new Error(`${error.message}\n${err}`)) : resolve(out),
    );
  });
  return { calls: parseTrace(readFileSync(options.trace, 'latin1')), stdout };
}

function parseTrace(text: string): SystemCall[] {
  const calls: SystemCall[] = [];
  const unfinished = new Map<number, { text: string; begun: number }>();
  const processes = new Map<number, number>();
  for (const line of text.split('\n')) {
    const [, thread = '', rest = ''] = /^(\d+) +(.*)$/s.exec(line) ?? [];
    const id = Number(thread);
    if (rest.endsWith('<unfinished ...>')) {
      unfinished.set(id, { text: rest.slice(0, -'<unfinished ...>'.length).trimEnd(), begun: calls.length });
      continue;
    }
    let record = rest;
    let begun = calls.length;
    const resumed = /^<\.\.\. \w+ resumed>/.exec(rest);
    if (resumed) {
      const before = unfinished.get(id);
      if (!before) continue;
      unfinished.delete(id);
      record = before.text + rest.slice(resumed[0].length);
      ({ begun } = before);
    }
    const [, name, inner = '', result = ''] = /^(\w+)\((.*)\) += (-?\w+(?:<[^>]*>)?)/s.exec(record) ?? [];
    if (name === undefined || result.startsWith('-')) continue;
    const process = processes.get(id) ?? id;
    const call = { name, process, args: splitArguments(inner), result: toArgument(result), begun };
    if (/^(clone3?|v?fork)$/.test(name))
      processes.set(call.result.number, inner.includes('CLONE_THREAD') ? process : call.result.number);
    else calls.push(call);
  }
  return calls;
}

/** Strings and paths are in hexadecimal, so that they contain no comma. */
function splitArguments(text: string): Argument[] {
  return text.split(', ').map(toArgument);
}

function toArgument(text: string): Argument {
  const string = /"((?:\\x[0-9a-f]{2})*)"/.exec(text)?.[1];
  const path = /<((?:\\x[0-9a-f]{2})*)>/.exec(text)?.[1];
  return {
    word: text,
    number: Number.parseInt(text, text.startsWith('0x') ? 16 : 10),
    ...(string === undefined ? {} : { bytes: toBytes(string) }),
    ...(path === undefined ? {} : { path: toBytes(path).toString() }),
  };
}

function toBytes(escaped: string): Buffer {
  return Buffer.from(escaped.replaceAll('\\x', ''), 'hex');
}
