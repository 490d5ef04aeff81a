import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { type Ended, runKlaus, startServer } from '../../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../../fixtures/test-home.ts';

/** One heading of docs/guides/troubleshooting.md, and how a user comes to see it. */
export interface Case {
  /** The literal message, `…` for what differs. */
  heading: string;
  /** Makes the program print it. */
  provoke: (scene: Scene) => Promise<Ended>;
  code: number;
  /** The line of `klaus doctor` that finds the same on the scene as it is then, with its status. */
  doctor?: { name: string; status: 'warn' | 'fail'; says: RegExp };
  /** Why it cannot be provoked on this machine. Undefined: it can. */
  missing?: string | undefined;
}

/** A place of its own with what a case sets there. */
export interface Scene {
  readonly place: TestHome;
  /** Variables that both the program and doctor get. Default: a key that is accepted. */
  readonly env: Record<string, string>;
  /** Where the programs are started. */
  cwd: string;
  /** Runs klaus to its end. */
  klaus(...words: string[]): Promise<Ended>;
  /** The same, with the model playing a script. */
  play(script: Script, ...words: string[]): Promise<Ended>;
  /** Writes the PATH anew, of these programs and no others. */
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

/** True when a text has the pieces of a heading, in their order. */
export function hasWords(text: string, heading: string): boolean {
  let at = 0;
  for (const piece of toPieces(heading)) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return true;
}

/** What stands between the `…` of a heading. */
export function toPieces(heading: string): string[] {
  return heading.split('…').filter((piece) => piece.trim() !== '');
}
