// Covers apps/debug/capture, apps/debug/stack, python/klendathu: the frame and the variables of public bugs of packages.
// @module-tag long
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasPython, PYTHON_PACKAGE } from '../python.fixture.ts';
import type { Bug } from './bug.ts';
import { installFromNpm, installFromPypi, toAlias, type FindFolders } from './install.fixture.ts';
import { NPM_BUGS } from './npm-bugs.ts';
import { PYPI_BUGS } from './pypi-bugs.ts';
import { toPage, type Result } from './to-page.ts';

/** `KLENDATHU_BUGS=all`: every bug. Default: every fourth. */
const isComplete = process.env['KLENDATHU_BUGS'] === 'all';
const choose = (bugs: readonly Bug[]): Bug[] => bugs.filter((_, index) => isComplete || index % 4 === 0);
const FOLDER_MS = 900_000;

const folder = mkdtempSync(join(tmpdir(), 'klendathu-bugs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }), FOLDER_MS);

interface Frame {
  functionName?: string;
  locals: Record<string, string> | string[];
}

/** The frames of the error of a program: empty if it does not fail, undefined if the process was ended. */
type Frames = Frame[] | undefined;

let count = 0;

function startProgram(words: readonly [string, ...string[]], env = process.env): string | undefined {
  const [program, ...rest] = words;
  const { status, stdout } = spawnSync(program, rest, { encoding: 'utf8', env, stdio: ['ignore', 'pipe', 'ignore'] });
  return status === 0 ? stdout.trim().split('\n').at(-1) : undefined;
}

function lookInNode({ name, code }: Bug, version: string): Frames {
  const program = join(folder, `program-${(count += 1)}.mjs`);
  writeFileSync(program, code.replaceAll('LIB', toAlias(name, version)));
  const last = startProgram([process.execPath, join(import.meta.dirname, '../situations/look.fixture.ts'), program]);
  if (last === undefined || last === '') return last === '' ? [] : undefined;
  return (JSON.parse(last) as { frames: Frame[] }).frames;
}

function lookInPython({ code }: Bug, folders: readonly string[]): Frames {
  const program = join(folder, `program-${(count += 1)}.py`);
  writeFileSync(program, code);
  const env = { ...process.env, PYTHONPATH: [...folders, join(PYTHON_PACKAGE, 'src')].join(':') };
  const last = startProgram(['python3', join(import.meta.dirname, 'look.py'), program], env);
  return last === undefined ? undefined : (JSON.parse(last) as Frame[]);
}

/** The names of the variables in the frames of the bug. */
function findNames({ frame }: Bug, frames: Frames): string[] {
  const found = (frames ?? []).filter(({ functionName }) => (functionName ?? '').split('.').at(-1) === frame);
  return found.flatMap(({ locals }) => (Array.isArray(locals) ? locals : Object.keys(locals)));
}

interface Seen {
  /** Undefined: the process was ended. */
  fails: boolean | undefined;
  names: string[];
  isReached: boolean;
  fixed: Frames;
}

function look(bug: Bug, run: (version: string) => Frames, results: Result[]): Seen {
  const frames = run(bug.buggy);
  const names = findNames(bug, frames);
  const isReached = bug.variables.every((name) => names.includes(name));
  results.push({ bug, isReached });
  return { fails: frames && frames.length > 0, names, isReached, fixed: run(bug.fixed) };
}

/** A bug that is reached although it has a reason why not needs none any more. */
function toWanted({ variables, missed }: Bug): object {
  if (missed !== undefined) return { isReached: false, fixed: [] };
  return { fails: true, names: expect.arrayContaining([...variables]) as string[], fixed: [] };
}

const toCase = (bug: Bug): readonly [string, Bug] => [`${bug.name} ${bug.buggy}: ${bug.frame}`, bug];
const countReached = (results: readonly Result[]): number => results.filter(({ isReached }) => isReached).length;

describe('public bugs', () => {
  const fromNpm: Result[] = [];
  const fromPypi: Result[] = [];

  describe('npm', () => {
    const bugs = choose(NPM_BUGS);
    beforeAll(() => installFromNpm(bugs, folder), FOLDER_MS);
    test.each(bugs.map(toCase))('%s', { timeout: 120_000 }, (_title, bug) => {
      expect(look(bug, (version) => lookInNode(bug, version), fromNpm)).toMatchObject(toWanted(bug));
    });
  });

  describe.runIf(hasPython())('PyPI', () => {
    const bugs = choose(PYPI_BUGS);
    let findFolders: FindFolders;
    beforeAll(async () => void (findFolders = await installFromPypi(bugs, folder)), FOLDER_MS);
    test.each(bugs.map(toCase))('%s', { timeout: 120_000 }, (_title, bug) => {
      const run = (version: string): Frames => lookInPython(bug, findFolders(bug.name, version));
      expect(look(bug, run, fromPypi)).toMatchObject(toWanted(bug));
    });
  });

  test.runIf(isComplete && hasPython())('the page has the figures, 90 % of npm and 95 % of PyPI', async () => {
    expect(fromNpm.length).toBeGreaterThanOrEqual(40);
    expect(fromPypi.length).toBeGreaterThanOrEqual(40);
    expect(countReached(fromNpm)).toBeGreaterThanOrEqual(fromNpm.length * 0.9);
    expect(countReached(fromPypi)).toBeGreaterThanOrEqual(fromPypi.length * 0.95);
    const page = join(import.meta.dirname, '../../../docs/debugged-bugs.md');
    await expect(toPage(fromNpm, fromPypi)).toMatchFileSnapshot(page);
  });
});
