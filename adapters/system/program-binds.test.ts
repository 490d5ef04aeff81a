import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { toProgramBinds } from './program-binds.ts';

function createFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-binds-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function write(path: string, text = ''): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

test('a script of a package is shown with all packages, a compiled program without the others', () => {
  const folder = createFolder();
  const modules = join(folder, 'lib/node_modules');
  write(join(modules, 'compiled/package.json'), '{}');
  const compiled = join(modules, 'compiled/bin/program');
  mkdirSync(dirname(compiled));
  copyFileSync('/bin/sh', compiled);
  write(join(modules, 'scripted/package.json'), '{}');
  const script = write(join(modules, 'scripted/cli.js'), '#!/usr/bin/env node');
  const link = join(modules, '.bin/program');
  mkdirSync(dirname(link));
  symlinkSync(compiled, link);
  const paths = (...command: string[]) => toProgramBinds(command, { workspace: '/none' }).map(({ path }) => path);
  expect(paths(script)).toEqual([modules]);
  expect(paths(compiled)).toEqual([join(modules, 'compiled')]);
  expect(paths(link)).toEqual([link, join(modules, 'compiled')]);
});

test('what the sandbox shows in any case is not mounted again', () => {
  const folder = createFolder();
  const file = write(join(folder, 'workspace/tool.js'));
  const alone = write(join(folder, 'tool.js'));
  const binds = toProgramBinds(['/usr/bin/env', 'NAME=value', file, alone, '-v'], {
    workspace: join(folder, 'workspace'),
  });
  expect(binds).toEqual([{ path: alone, writable: false }]);
});
