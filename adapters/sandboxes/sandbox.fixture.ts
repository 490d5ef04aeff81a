import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { removeFolder } from './home/remove-folder.ts';

/** A temporary project and state folder. */
export interface SandboxFixture extends Disposable {
  root: string;
  workspace: string;
  home: string;
}

export function createSandboxFixture(): SandboxFixture {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-sandbox-')));
  const place = { root, workspace: join(root, 'project'), home: join(root, 'state') };
  mkdirSync(place.workspace);
  mkdirSync(place.home);
  return { ...place, [Symbol.dispose]: () => removeFolder(root) };
}

/** Ids of live processes that have the text in their command line. */
export function findProcesses(text: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

/** Looks until the condition is true, for what sends no event: the kernel, and other processes. False after the last try. */
export async function eventually(isTrue: () => boolean | Promise<boolean>, tries = 1_500): Promise<boolean> {
  for (let attempt = 0; attempt < tries; attempt++) {
    if (await isTrue()) return true;
    await sleep(20);
  }
  return false;
}
