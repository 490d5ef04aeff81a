import type { ChangedFile } from '../changed-file.ts';
import { countTests, readTrusted, type CountedTests } from './count-tests.ts';
import { parseSource, type Node } from './source-tree.ts';

const SOURCE = /\.[cm]?[jt]sx?$/;

/** The assertions of JavaScript sources before and after. */
export interface LostAssertions {
  /** Sources that were compared; the others are in no language that can be parsed. */
  paths: Set<string>;
  before: number;
  after: number;
  /** Tests that kept their name and assert less, although none of it moved to another test. */
  emptied: string[];
  /** Tests that ran before and may be skipped now. */
  skipped: string[];
}

/** Compares what the tests of changed sources assert. Assertions may move from a test or a file to another. */
export async function findLostAssertions(files: readonly ChangedFile[]): Promise<LostAssertions> {
  const parsed: { path: string; before: Node | undefined; after: Node | undefined }[] = [];
  for (const { path, before, after } of files) {
    if (!SOURCE.test(path)) continue;
    const was = before === null ? undefined : await parseSource(before, path);
    const is = after === null ? undefined : await parseSource(after, path);
    if ((before === null || was) && (before !== null || is)) parsed.push({ path, before: was, after: is });
  }
  const trusted = new Set(parsed.flatMap(({ path, before }) => (before ? readTrusted(before, path) : [])));
  const counted = parsed.map(({ path, before, after }) => ({
    path,
    before: before && countTests(before, path, trusted),
    after: after && countTests(after, path, trusted),
  }));
  const sum = (side: 'before' | 'after', count: (tests: CountedTests) => number): number =>
    counted.reduce((total, file) => total + (file[side] ? count(file[side]) : 0), 0);
  const certain = { before: sum('before', countCertain), after: sum('after', countCertain) };
  const all = { before: sum('before', (tests) => tests.all), after: sum('after', (tests) => tests.all) };
  const skipped = counted.flatMap(({ before, after }) =>
    [...(after?.skipped ?? [])].filter((name) => before?.names.has(name) && !before.skipped.has(name)),
  );
  const worse = all.before - all.after > certain.before - certain.after ? all : certain;
  return { paths: new Set(parsed.map(({ path }) => path)), ...worse, emptied: findEmptied(counted), skipped };
}

function countCertain({ tests }: CountedTests): number {
  return [...tests.values()].reduce((total, texts) => total + texts.length, 0);
}

interface Counted {
  path: string;
  before: CountedTests | undefined;
  after: CountedTests | undefined;
}

function findEmptied(counted: readonly Counted[]): string[] {
  // How often each assertion is there more often than before.
  const added = new Map<string, number>();
  const add = (tests: CountedTests | undefined, sign: number): void => {
    for (const texts of tests?.tests.values() ?? [])
      for (const text of texts) added.set(text, (added.get(text) ?? 0) + sign);
  };
  const gone = new Map<string, number>();
  for (const { before, after } of counted) {
    add(before, -1);
    add(after, 1);
  }
  for (const [text, difference] of added) if (difference < 0) gone.set(text, -difference);
  return counted.flatMap(({ before, after }) =>
    [...(before?.tests ?? [])].flatMap(([name, was]) => {
      const is = after?.tests.get(name) ?? [];
      if (!after?.names.has(name) || is.length >= was.length) return [];
      const lost = was.filter((text) => gone.has(text)).length;
      const rewritten = is.filter((text) => !was.includes(text)).length;
      return lost > rewritten ? [name] : [];
    }),
  );
}
