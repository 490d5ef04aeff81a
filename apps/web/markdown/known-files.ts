import { useEffect, useState } from 'react';
import { client } from '../state/client.ts';

/** Most paths of one request, and most characters of them. */
const MAX_PATHS = 100;
const MAX_CHARACTERS = 12_000;
/** Milliseconds for which paths are collected. */
const COLLECTED_MS = 50;
/** Milliseconds after which a file that did not exist is asked for again. */
const MISSING_MS = 15_000;
const MAX_CACHED = 5_000;

interface Known {
  /** Undefined: it does not exist. */
  path: string | undefined;
  at: number;
}

/** By session and path. */
const known = new Map<string, Known>();
/** Paths to ask for by session, with who waits. */
const wanted = new Map<string, Map<string, Set<() => void>>>();
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * The path of a file relative to the workspace of a session; undefined if it does not exist, and until that is known.
 * The paths of all visible texts are asked for in one request.
 */
export function useKnownFile(session: string | undefined, path: string): string | undefined {
  const [, setRound] = useState(0);
  const key = `${session}\n${path}`;
  useEffect(() => {
    if (session === undefined) return undefined;
    const before = known.get(key);
    if (before && (before.path !== undefined || Date.now() - before.at < MISSING_MS)) return undefined;
    const update = () => setRound((at) => at + 1);
    return want(session, path, update);
  }, [key]);
  return session === undefined ? undefined : known.get(key)?.path;
}

function want(session: string, path: string, update: () => void): () => void {
  let paths = wanted.get(session);
  if (!paths) wanted.set(session, (paths = new Map()));
  let waiting = paths.get(path);
  if (!waiting) paths.set(path, (waiting = new Set()));
  waiting.add(update);
  timer ??= setTimeout(() => void askAll(), COLLECTED_MS);
  return () => waiting.delete(update);
}

async function askAll(): Promise<void> {
  timer = undefined;
  const all = [...wanted];
  wanted.clear();
  for (const [session, paths] of all) for (const part of toRequests(paths)) await ask(session, part);
}

type Wanted = [path: string, waiting: Set<() => void>][];

function toRequests(paths: Map<string, Set<() => void>>): Wanted[] {
  const requests: Wanted[] = [];
  let length = 0;
  for (const each of paths) {
    const last = requests.at(-1);
    length += each[0].length + 1;
    if (last && last.length < MAX_PATHS && length < MAX_CHARACTERS) last.push(each);
    else {
      requests.push([each]);
      length = each[0].length;
    }
  }
  return requests;
}

async function ask(session: string, paths: Wanted): Promise<void> {
  const query = { session, paths: paths.map(([path]) => path).join('\n') };
  // Without the server, paths are text.
  const answer = await client.existingFiles({ query }).catch(() => undefined);
  if (!answer) return;
  const found = new Map(answer.files.map(({ given, path }) => [given, path]));
  const at = Date.now();
  if (known.size > MAX_CACHED) known.clear();
  for (const [path, waiting] of paths) {
    known.set(`${session}\n${path}`, { path: found.get(path), at });
    if (found.has(path)) for (const update of waiting) update();
  }
}
