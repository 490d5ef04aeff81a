import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode, Script } from '@klaus/sdk';
import { type Ended, runKlaus, startServer } from '../../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../../fixtures/test-home.ts';

/** One heading of docs/guides/troubleshooting.md, and how to provoke its message. */
export interface Case {
  /** The literal message, with `…` for variable parts. */
  heading: string;
  /** Makes the program print it. */
  provoke: (scene: Scene) => Promise<Ended>;
  code: number;
  /** The finding of `klaus doctor` about the same cause, with its status. */
  doctor?: { name: string; status: 'warn' | 'fail'; code?: ErrorCode; says: RegExp };
  /** Why it cannot be provoked on this machine; undefined if it can. */
  missing?: string;
}

/** The home and the environment of one case. */
export interface Scene {
  readonly place: TestHome;
  /** Environment variables of the program and of doctor. Default: a key that is accepted. */
  readonly env: Record<string, string>;
  /** Working directory of the programs. */
  cwd: string;
  /** Runs klaus to its end. */
  klaus(...words: string[]): Promise<Ended>;
  /** The same, with a scripted model. */
  play(script: Script, ...words: string[]): Promise<Ended>;
  /** Replaces the PATH by a folder with only these programs. */
  keepOnly(...programs: string[]): void;
}

const KEY = 'sk-ant-test-4f1c9b7e2a60';

export function createScene(): Scene & Disposable {
  const place = createTestHome();
  const env: Record<string, string> = { ANTHROPIC_API_KEY: KEY };
  const scene: Scene & Disposable = {
    place,
    env,
    cwd: place.workspace,
    klaus: (...words) => runKlaus(words, { place, env, cwd: scene.cwd }),
    async play(script, ...words) {
      await using server = await startServer(script);
      env['ANTHROPIC_BASE_URL'] = server.url;
      return await runKlaus(words, { place, env, cwd: scene.cwd });
    },
    keepOnly(...programs) {
      const folder = join(place.workspace, '..', 'bin');
      mkdirSync(folder);
      for (const program of programs) symlinkSync(pathOf(program), join(folder, program));
      env['PATH'] = folder;
    },
    [Symbol.dispose]: () => place[Symbol.dispose](),
  };
  return scene;
}

function pathOf(program: string): string {
  return spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim();
}

/** True if a text contains the parts of a heading in their order. */
export function hasWords(text: string, heading: string): boolean {
  let at = 0;
  for (const piece of toPieces(heading)) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return true;
}

/** The parts between the `…` of a heading. */
export function toPieces(heading: string): string[] {
  return heading.split('…').filter((piece) => piece.trim() !== '');
}
