// Covers apps/debug/capture, apps/debug/stack: one script finds the faulting value of programs that fail.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StackFrame, ValueNode } from '../../../apps/debug/contract/index.ts';
import { installPackages } from './install-packages.fixture.ts';
import { UNREACHED } from './unreached.ts';

const root = join(import.meta.dirname, 'programs');
/** `KLENDATHU_CORPUS=all`: every program, with packages from the registry. Default: every fourth without packages. */
const isComplete = process.env['KLENDATHU_CORPUS'] === 'all';
const programs = ['data', 'async', 'modules', ...(isComplete ? ['packages'] : [])]
  .flatMap((folder) => readdirSync(join(root, folder)).map((file) => `${folder}/${file}`))
  .filter((_, index) => isComplete || process.env.KLENDATHU_CORPUS === 'own' || index % 4 === 0);

interface Seen {
  frames: StackFrame[];
  looks: { frame: string; values: ValueNode[] }[];
}

describe('corpus', () => {
  const reached: string[] = [];
  const missed: string[] = [];
  const folder = isComplete ? installPackages() : undefined;

  test.each(programs)('%s', (file) => {
    const path = file.startsWith('packages/') ? join(folder!, file) : join(root, file);
    const [, name, value, ...preview] = /^\/\/ Fault: (.*)$/m
      .exec(readFileSync(path, 'utf8'))![1]!
      .match(/(\S+) (\S+) (.*)/)!;
    const output = execFileSync(process.execPath, [join(import.meta.dirname, 'look.fixture.ts'), path], {
      encoding: 'utf8',
    });
    const { frames, looks } = JSON.parse(output.trim().split('\n').at(-1)!) as Seen;
    expect(frames.some(({ isUser }) => isUser)).toBe(true);
    expect(looks.length).toBeLessThanOrEqual(3);
    const isReached = looks.some(({ values }) => isSeen(values, value!, preview.join(' ')));
    (isReached ? reached : missed).push(file);
    if (!isReached) expect(UNREACHED[file], `${name}: ${output.slice(-3000)}`).toBeDefined();
  });

  test('at least 90 % are reached', () => {
    expect(reached.length).toBeGreaterThanOrEqual((reached.length + missed.length) * 0.9);
    if (isComplete) expect(reached.length + missed.length).toBeGreaterThanOrEqual(40);
  });
});

/** A node at the path (`a.b.0`) with the text. */
function isSeen(values: readonly ValueNode[], path: string, text: string): boolean {
  const [first, ...rest] = path.split('.');
  return values.some((node) => {
    const name = node.name.replaceAll(/^\[|\]$/g, '');
    if (name === first && rest.length === 0) return node.preview.replaceAll('"', '').includes(text.replaceAll('"', ''));
    if (name === first && node.children && isSeen(node.children, rest.join('.'), text)) return true;
    // A property that the program expected and that is not there.
    if (name === first && rest.length === 1 && text === 'undefined' && node.children)
      return !node.children.some((child) => child.name.replaceAll(/^\[|\]$/g, '') === rest[0]);
    return isSeen(node.children ?? [], path, text);
  });
}
