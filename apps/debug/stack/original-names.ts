import { readFileSync, statSync } from 'node:fs';
import type { SourceMap, SourceMapping } from 'node:module';
import type { CapturedFrame } from '../capture/capture.ts';
import { loadMap } from './source-map.ts';

const LARGEST = 20_000_000;
/** Places at which one name is looked up. */
const PLACES = 10;
/** Characters of a function that are searched. */
const CHARACTERS = 200_000;
const WORD = /[A-Za-z_$][\w$]*/g;

/**
 * A frame with the names of the source, as far as the map of its script has them: minifiers write the original name to
 * each place of a name. Names without one stay.
 */
export function toOriginalNames({ locals, ...frame }: CapturedFrame): CapturedFrame {
  const { range, filePath, sourceMapURL } = frame;
  const map = range && loadMap(filePath, sourceMapURL);
  if (!map || map.payload.names.length === 0) return { ...frame, locals };
  const lines = readLines(filePath);
  const finder = createFinder(map, lines, range);
  const functionName = finder(frame.functionName.split('.').at(-1)!, range.line) ?? frame.functionName;
  if (!locals) return { ...frame, functionName };
  const renamed = new Map<string, unknown>();
  for (const [name, value] of locals) {
    const original = name === 'this' ? undefined : finder(name);
    renamed.set(original !== undefined && !locals.has(original) && !renamed.has(original) ? original : name, value);
  }
  return { ...frame, functionName, locals: renamed };
}

type Range = NonNullable<CapturedFrame['range']>;

/** Finds the original name of a name in a range. `before`: only in the line in front of the range, for its function. */
function createFinder(map: SourceMap, lines: readonly string[], range: Range) {
  return (name: string, before?: number): string | undefined => {
    let left = CHARACTERS;
    let places = PLACES;
    for (let line = range.line; line <= range.endLine && left > 0; line++) {
      const text = lines[line] ?? '';
      const from = before !== undefined ? range.column - name.length - 1 : line === range.line ? range.column : 0;
      const to = before !== undefined ? range.column : line === range.endLine ? range.endColumn : text.length;
      for (const { 0: word, index } of text.slice(Math.max(0, from), to).matchAll(WORD)) {
        const column = Math.max(0, from) + index;
        if (word !== name || text[column - 1] === '.' || places <= 0) continue;
        places--;
        const entry = map.findEntry(line, column) as Partial<SourceMapping> & { name?: unknown };
        const isHere = entry.generatedColumn === column && entry.generatedLine === line;
        if (isHere && typeof entry.name === 'string' && entry.name !== '') return entry.name;
      }
      if (before !== undefined) return undefined;
      left -= to - from;
    }
    return undefined;
  };
}

function readLines(path: string): string[] {
  try {
    return statSync(path).size > LARGEST ? [] : readFileSync(path, 'utf8').split('\n');
  } catch {
    return [];
  }
}
