import { closeSync, constants, existsSync, fstatSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { basename, dirname, join } from 'node:path';
import { listEntries } from '@klaus/adapters/system';
import type { HostFile, HostFiles } from '@klaus/core/agent';
import { unlessFailed } from '@klaus/core/protocol';

const MAX_BYTES = 256 * 1_024;
const MAX_CHANGED = 200;
const MAX_ENTRIES = 20_000;
/** Folders whose files come from elsewhere, or are written by tools. */
const SKIPPED =
  /^(?:node_modules|\.git|\.hg|\.svn|site-packages|\.venv|venv|\.tox|\.nox|__pycache__|\.cache|dist|build|target|coverage|\.next|\.nuxt|\.turbo|vendor|\.gradle|\.idea|\.terraform)$/;
const CODE =
  /\.(?:[cm]?[jt]sx?|py|pyw|rb|php|pl|pm|lua|go|rs|java|kts?|scala|groovy|gradle|cs|fs|swift|dart|exs?|erl|clj[sc]?|hs|ml|jl|r|R|tcl|c|cc|cpp|cxx|h|hpp|m|mm|zig|nim|cr|d|awk|cmake|bazel|bzl)$|^(?:Rakefile|Gemfile|conftest\.py|Jakefile|gulpfile|Gruntfile|BUILD|WORKSPACE)/;
const IMAGE_MS = 2_000;

export function createHostFiles(userHome: string): HostFiles {
  return {
    userHome,
    read,
    exists: existsSync,
    toReal,
    changedAt,
    listChanged,
    hasImage: (name) => hasImage(name).catch(() => false),
  };
}

function read(path: string): HostFile | undefined {
  let file: number;
  try {
    // Opening a pipe does not wait.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
  try {
    const state = fstatSync(file);
    if (!state.isFile() || state.size > MAX_BYTES) return undefined;
    const bytes = Buffer.alloc(state.size);
    const length = readSync(file, bytes, 0, state.size, 0);
    const text = bytes.subarray(0, length).toString('utf8');
    if (text.includes('\0')) return undefined;
    return {
      path: realpathSync.native(path),
      text,
      changedAt: Math.max(state.ctimeMs, state.mtimeMs),
    };
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

function listChanged(folder: string, since: number): HostFile[] {
  const found: HostFile[] = [];
  const queue = [folder];
  let entries = 0;
  for (let at = queue.shift(); at !== undefined && found.length < MAX_CHANGED; at = queue.shift()) {
    for (const entry of listEntries(at)) {
      if (++entries > MAX_ENTRIES) return found;
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        if (!SKIPPED.test(entry.name)) queue.push(path);
      } else if (entry.isFile() && CODE.test(entry.name) && changedAt(path) >= since) {
        const file = read(path);
        if (file) found.push(file);
      }
    }
  }
  return found;
}

function toReal(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(toReal(parent), basename(path));
  }
}

function changedAt(path: string): number {
  const state = statSync(path, { throwIfNoEntry: false });
  return state === undefined ? 0 : Math.max(state.ctimeMs, state.mtimeMs);
}

/** Asks the daemon at its usual socket. */
async function hasImage(name: string): Promise<boolean> {
  const given = process.env['DOCKER_HOST'];
  const socketPath = given === undefined ? '/var/run/docker.sock' : given.replace(/^unix:\/\//, '');
  if (!socketPath.startsWith('/') || !existsSync(socketPath)) return false;
  const status = await unlessFailed(
    () =>
      new Promise<number>((resolve, reject) => {
        const asked = request(
          {
            socketPath,
            path: `/images/${encodeURIComponent(name)}/json`,
            timeout: IMAGE_MS,
          },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        asked.once('error', reject).once('timeout', () => asked.destroy(new Error('time')));
        asked.end();
      }),
  );
  return status === 200;
}
