import { toNearest, headOf } from '../../protocol/index.ts';
import type { ToolSpec } from '../ports/model.ts';

const MAX_FOUND = 5;
/** Maximum words of a query that are used. */
const MAX_WORDS = 20;
/** Score of a word by the field that contains it. */
const WORTH = { name: 6, description: 2, input: 1 } as const;
const EMPTY = new Set(['a', 'an', 'and', 'for', 'in', 'of', 'on', 'or', 'the', 'to', 'tool', 'tools', 'use', 'with']);

interface Indexed {
  spec: ToolSpec;
  words: Record<keyof typeof WORTH, readonly string[]>;
}

/** The best first: by names, then by descriptions, then by inputs. A rare word counts more. Else a similar name. */
export function searchTools(query: string, specs: readonly ToolSpec[]): ToolSpec[] {
  const wanted = [...new Set(toWords(query))].filter((word) => !EMPTY.has(word)).slice(0, MAX_WORDS);
  const all = specs.map(toIndexed);
  const worth = wanted.map((word) => {
    const having = all.filter((tool) => toBest(word, tool) > 0).length;
    return having === 0 ? 0 : Math.log(1 + all.length / having);
  });
  // A query can contain several complete names.
  const named = new Set(query.toLowerCase().split(/[^a-z0-9_.-]+/));
  const scored = all.map((tool) => ({
    spec: tool.spec,
    score:
      (named.has(tool.spec.name.toLowerCase()) ? 1_000 : 0) +
      wanted.reduce((sum, word, index) => sum + toBest(word, tool) * worth[index]!, 0),
  }));
  const found = scored.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
  if (found.length > 0) return found.slice(0, MAX_FOUND).map(({ spec }) => spec);
  const near = toNearest(
    headOf(query.trim(), 100),
    specs.map(({ name }) => name),
  );
  return specs.filter(({ name }) => name === near);
}

function toIndexed(spec: ToolSpec): Indexed {
  const { name, description, inputSchema } = spec;
  const input = toWords(JSON.stringify(inputSchema));
  return { spec, words: { name: toWords(name), description: toWords(description), input } };
}

/** `type-check` is found as `type`, `check` and `typecheck`. */
function toWords(text: string): string[] {
  const spaced = text.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const joined = [...spaced.matchAll(/\p{L}+(?:-\p{L}+)+/gu)].map(([word]) => word.replaceAll('-', ''));
  return [...spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== ''), ...joined];
}

function toBest(word: string, { words }: Indexed): number {
  for (const field of ['name', 'description', 'input'] as const) {
    const fit = words[field].reduce((best, other) => Math.max(best, toFit(word, other)), 0);
    if (fit > 0) return WORTH[field] * fit;
  }
  return 0;
}

/** 1 for the same word, less for one that begins with the other: `lint` and `linting`. */
function toFit(word: string, other: string): number {
  if (word === other) return 1;
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  return short.length >= 3 && long.startsWith(short) ? 0.6 : 0;
}
