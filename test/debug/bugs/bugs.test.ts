// Covers apps/debug/capture, apps/debug/stack, python/klendathu: the frame and the variables of public bugs of packages.
// @module-tag long
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { npm } from '../../fixtures/npm.ts';
import { hasPython, installPackages, PYTHON_PACKAGE } from '../python.fixture.ts';
import { NPM_BUGS, PYPI_BUGS, type Bug } from './bugs.ts';

const folder = mkdtempSync(join(tmpdir(), 'klendathu-bugs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Frame {
  functionName?: string;
  locals: Record<string, string> | string[];
}

const toTitle = ({ name, buggy, frame }: Bug): [string] => [`${name} ${buggy}: ${frame}`];
let count = 0;

/** The frames of a program that uses one version; empty if it does not fail. */
type Look = (bug: Bug, version: string) => Promise<Frame[]> | Frame[];

function lookInNode({ name, code }: Bug, version: string): Frame[] {
  const alias = `${name}-${version.replaceAll('.', '-')}`;
  npm(
    ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', `${alias}@npm:${name}@${version}`],
    folder,
  );
  const program = join(folder, `program-${(count += 1)}.mjs`);
  writeFileSync(program, code.replaceAll('LIB', alias));
  const fixture = join(import.meta.dirname, '../situations/look.fixture.ts');
  const output = execFileSync(process.execPath, [fixture, program], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const last = output.trim().split('\n').at(-1)!;
  return last === '' ? [] : (JSON.parse(last) as { frames: Frame[] }).frames;
}

async function lookInPython({ name, code }: Bug, version: string): Promise<Frame[]> {
  const packages = join(folder, `${name}-${version}`);
  await installPackages(packages, [`${name}==${version}`]);
  const program = join(folder, `program-${(count += 1)}.py`);
  writeFileSync(program, code);
  const env = { ...process.env, PYTHONPATH: [packages, join(PYTHON_PACKAGE, 'src')].join(':') };
  const output = execFileSync('python3', [join(import.meta.dirname, 'look.py'), program], { encoding: 'utf8', env });
  return JSON.parse(output.trim().split('\n').at(-1)!) as Frame[];
}

async function check(bug: Bug, look: Look): Promise<void> {
  const frames = await look(bug, bug.buggy);
  const found = frames.filter(({ functionName }) => (functionName ?? '').split('.').at(-1) === bug.frame);
  const names = found.flatMap(({ locals }) => (Array.isArray(locals) ? locals : Object.keys(locals)));
  expect(names, JSON.stringify(frames).slice(0, 3000)).toEqual(expect.arrayContaining([...bug.variables]));
  expect(await look(bug, bug.fixed)).toEqual([]);
}

describe('packages of npm', () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  test.each(NPM_BUGS.map((bug) => [...toTitle(bug), bug] as const))('%s', { timeout: 120_000 }, async (_title, bug) => {
    await check(bug, lookInNode);
  });
});

describe.runIf(hasPython())('packages of PyPI', () => {
  test.each(PYPI_BUGS.map((bug) => [...toTitle(bug), bug] as const))(
    '%s',
    { timeout: 120_000 },
    async (_title, bug) => {
      await check(bug, lookInPython);
    },
  );
});
