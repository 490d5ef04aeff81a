import { existsSync, readFileSync, statSync } from 'node:fs';
import { findSourceMap, SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { toFilePath, type RawFrame } from './parse-stack.ts';

const LARGEST = 50_000_000;
const known = new Map<string, SourceMap | undefined>();

/**
 * The position in the source that the user wrote; the frame itself without a source map.
 *
 * @param url The map that the script names, if it is known. Default: what the runtime or the file has.
 */
export function toOriginal<F extends RawFrame>(frame: F, url?: string): F {
  if (frame.line === undefined || (!frame.filePath.startsWith('/') && !/^[a-z]:/i.test(frame.filePath))) return frame;
  const map = loadMap(frame.filePath, url);
  if (!map) return frame;
  try {
    const entry = map.findEntry(frame.line - 1, (frame.column ?? 1) - 1);
    if (!('originalSource' in entry) || !entry.originalSource) return frame;
    const source = toFilePath(entry.originalSource);
    return {
      ...frame,
      filePath: /^[a-z]+:\/\//.test(source) ? source : resolve(dirname(frame.filePath), source),
      line: entry.originalLine + 1,
      column: entry.originalColumn + 1,
    };
  } catch {
    return frame;
  }
}

/**
 * {@link toOriginal} for a frame of the text of a stack. What the runtime, or a loader that compiles, knows the map of is
 * printed at its place in the source already. If the source has the path of the code, only that distinguishes the two: a
 * second time would give a wrong line.
 */
export function toPrintedOriginal<F extends RawFrame>(frame: F): F {
  const original = toOriginal(frame);
  const isMapped = process.sourceMapsEnabled || typeof Error.prepareStackTrace === 'function';
  return isMapped && original.filePath === frame.filePath ? frame : original;
}

/** The text of a source that exists only in a source map of a file that was asked for before. */
export function findMappedSource(path: string): string | undefined {
  for (const [key, map] of known) {
    const [file = ''] = key.split('\n');
    const payload = map?.payload;
    if (!payload) continue;
    const index = payload.sources.findIndex((source) => resolveSource(file, payload.sourceRoot, source) === path);
    const content = payload.sourcesContent?.[index];
    if (typeof content === 'string') return content;
  }
  return undefined;
}

function resolveSource(file: string, root: string | undefined, source: string): string {
  const path = toFilePath(source);
  return /^[a-z]+:\/\//.test(path) ? path : resolve(dirname(file), root ?? '', path);
}

/** The map of a file, or the one that its script names. */
export function loadMap(path: string, url?: string): SourceMap | undefined {
  const key = url === undefined ? path : `${path}\n${url.length} ${url.slice(-200)}`;
  if (known.has(key)) return known.get(key);
  let map: SourceMap | undefined;
  try {
    map = url === undefined ? (findSourceMap(path) ?? readMap(path)) : toMap(path, url);
  } catch {
    // A broken map is no map.
    map = undefined;
  }
  known.set(key, map);
  return map;
}

/** The map that the file names. */
function readMap(path: string): SourceMap | undefined {
  if (!existsSync(path) || statSync(path).size > LARGEST) return undefined;
  const text = readFileSync(path, 'utf8');
  const at = text.lastIndexOf('//# sourceMappingURL=');
  return at < 0 ? undefined : toMap(path, /^\S+/.exec(text.slice(at + 21))?.[0] ?? '');
}

function toMap(path: string, url: string): SourceMap {
  const inline = /^data:application\/json[^,]*?(;base64)?,(.*)$/s.exec(url);
  const json = inline
    ? Buffer.from(inline[2]!, inline[1] ? 'base64' : 'utf8').toString()
    : readFileSync(resolve(dirname(path), decodeURIComponent(url)), 'utf8');
  const payload = JSON.parse(json) as SourceMap['payload'];
  if (payload.sourceRoot) {
    payload.sources = payload.sources.map((source) => resolveSource(path, payload.sourceRoot, source));
    payload.sourceRoot = '';
  }
  return new SourceMap(payload);
}
