import { headOf } from '../render/cut-text.ts';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { findMappedSource } from '../stack/source-map.ts';
import { toFilePath } from '../stack/parse-stack.ts';

export interface SourceLines {
  file: string;
  /** Number of the first line, from 1. */
  first: number;
  text: string;
}

const LARGEST = 20_000_000;
/** Characters of the result; lines of bundles are cut. */
const CHARACTERS = 40_000;

/** Lines of a source file, or of a source that only a source map has. */
export function readSource(given: string, line: number, around = 10): SourceLines {
  const file = resolve(toFilePath(given));
  const text = findMappedSource(file) ?? findMappedSource(given) ?? readText(file);
  const lines = text.split('\n');
  const first = Math.min(Math.max(1, line - around), Math.max(1, lines.length));
  const shown = lines.slice(first - 1, line + around).map((one) => (one.length > 500 ? `${headOf(one, 500)}…` : one));
  return { file, first, text: headOf(shown.join('\n'), CHARACTERS) };
}

function readText(file: string): string {
  const { size } = statSync(file);
  if (size > LARGEST) throw new Error(`The file has ${size} bytes.`);
  return readFileSync(file, 'utf8');
}
