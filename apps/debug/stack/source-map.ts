import { existsSync, readFileSync, statSync } from 'node:fs';
import { findSourceMap, SourceMap } from 'node:module';
import { dirname, resolve } from 'node:path';
import { toFilePath, type RawFrame } from './parse-stack.ts';

const LARGEST = 50_000_000;
const known = new Map<string, SourceMap | undefined>();

/** The position in the source that the user wrote; the frame itself without a source map. */
export function toOriginal<F extends RawFrame>(frame: F): F {
  if (frame.line === undefined || (!frame.filePath.startsWith('/') && !/^[a-z]:/i.test(frame.filePath))) return frame;
  const map = loadMap(frame.filePath);
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

/** The text of a source that exists only in a source map of a file that was asked for before. */
export function findMappedSource(path: string): string | undefined {
  for (const [file, map] of known) {
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

/** What the runtime has loaded, or the map that the file names. */
function loadMap(path: string): SourceMap | undefined {
  if (known.has(path)) return known.get(path);
  let map: SourceMap | undefined;
  try {
    map = findSourceMap(path) ?? readMap(path);
  } catch {
    // A broken map is no map.
    map = undefined;
  }
  known.set(path, map);
  return map;
}

function readMap(path: string): SourceMap | undefined {
  if (!existsSync(path) || statSync(path).size > LARGEST) return undefined;
  const text = readFileSync(path, 'utf8');
  const at = text.lastIndexOf('//# sourceMappingURL=');
  if (at < 0) return undefined;
  const url = /^\S+/.exec(text.slice(at + 21))?.[0] ?? '';
  const inline = /^data:application\/json[^,]*?(;base64)?,(.*)$/.exec(url);
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
