import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findDaemons } from '../../test/roof/roof.ts';
import { createTestHome, type TestHome } from '../../test/fixtures/test-home.ts';
import { buildBundle } from '../program.ts';

export interface GuardedPlace extends Disposable {
  readonly place: TestHome;
  /** The settings file of Claude Code. */
  readonly settings: string;
  /** The command of PreToolUse in it. */
  readonly command: string;
}

/** A place with the guard of the packed Klaus in the settings, and its daemon. */
export function openGuarded(): GuardedPlace {
  const place = createTestHome();
  const [program, ...words] = buildBundle();
  const { status, stderr } = spawnSync(program!, [...words, 'guard', 'install'], { cwd: place.workspace, env: place.env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const settings = join(place.env['HOME']!, '.claude/settings.json');
  const { hooks } = JSON.parse(readFileSync(settings, 'utf8')) as {
    hooks: { PreToolUse: [{ hooks: [{ command: string }] }] };
  };
  return {
    place,
    settings,
    command: hooks.PreToolUse[0].hooks[0].command,
    [Symbol.dispose]() {
      for (const pid of findDaemons(place.home)) process.kill(pid, 'SIGKILL');
      place[Symbol.dispose]();
    },
  };
}
