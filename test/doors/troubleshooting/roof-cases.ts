import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from '@klaus/sdk';
import type { Ended } from '../../fixtures/klaus.ts';
import type { Case, Scene } from './case.ts';

const HELLO: Script = { steps: [], fallback: { text: 'Hello.' } };

/** A new folder beside the workspace, in which the program then runs. */
function enter(scene: Scene, ...git: string[]): void {
  scene.cwd = join(dirname(scene.place.workspace), 'folder');
  mkdirSync(scene.cwd);
  if (git.length > 0) execFileSync('git', git, { cwd: scene.cwd, env: scene.place.env });
}

const startCopy = (scene: Scene): Promise<Ended> => scene.play(HELLO, 'run', '--worktree', 'go');

/** Messages of sessions in the background, of instances and of working copies. */
export const roof: Case[] = [
  {
    heading: 'Several sessions begin with "…": ….',
    code: 2,
    async provoke(scene) {
      await scene.play(HELLO, 'say hello');
      await scene.play(HELLO, 'say hello');
      return scene.klaus('status', '0');
    },
  },
  {
    heading: "The path of the daemon's socket is too long: …",
    code: 3,
    provoke(scene) {
      scene.env['KLAUS_HOME'] = join(scene.place.home, 'x'.repeat(100));
      return scene.klaus('start', 'klaus', 'go', '--detach');
    },
  },
  {
    heading: 'The path of the socket has … bytes, and at most … are possible: …',
    code: 3,
    provoke(scene) {
      scene.env['KLAUS_SOCKET_DIR'] = join(dirname(scene.place.workspace), 'x'.repeat(100));
      return scene.klaus('instance');
    },
  },
  {
    heading: 'No instance of this project runs.',
    code: 2,
    provoke: (scene) => scene.klaus('checkout'),
  },
  {
    heading: '… is in no repository.',
    code: 2,
    provoke(scene) {
      enter(scene);
      return startCopy(scene);
    },
  },
  {
    heading: '… is a bare repository, which has no files to work on.',
    code: 2,
    provoke(scene) {
      enter(scene, 'init', '-q', '--bare');
      return startCopy(scene);
    },
  },
  {
    heading: '… has no commit yet, so a working copy has nothing to start from.',
    code: 2,
    provoke(scene) {
      enter(scene, 'init', '-q');
      return startCopy(scene);
    },
  },
];

/** Those that need a second version, a second process or a full disk. They are provoked in `test/roof`. */
export const ROOF_SAID_BY: Readonly<Record<string, readonly [file: string, words: string]>> = {
  'The daemon runs in version … and works on …': ['apps/cli/daemon/ensure-daemon.ts', 'The daemon runs in version '],
  'klaus serve runs in version …, and this is version ….': [
    'apps/cli/daemon/ensure-daemon.ts',
    'klaus serve runs in version ',
  ],
  'The daemon did not start: …': ['apps/cli/daemon/start-daemon.ts', 'The daemon did not start: '],
  'The daemon does not answer.': ['apps/cli/daemon/ensure-daemon.ts', 'The daemon does not answer.'],
  'The disk of … is full.': ['apps/cli/daemon/start-daemon.ts', 'The disk of '],
  'Another process answers at ….': ['apps/cli/instance/socket-path.ts', 'Another process answers at '],
  'Several instances of this project match: ….': [
    'apps/cli/instance/find-instance.ts',
    'Several instances of this project match: ',
  ],
  'Its workspace … does not exist.': ['adapters/store/sqlite/queries/session-states.ts', 'Its workspace '],
  'The files of … cannot be checked out: …': ['adapters/workspace/copies/create-copy.ts', ' cannot be checked out: '],
  'The working copy started at a detached HEAD, so it has no branch to merge into.': [
    'adapters/workspace/copies/end-copy.ts',
    'The working copy started at a detached HEAD, so it has no branch to merge into.',
  ],
  'Nothing was merged into …: … with conflicts': ['apps/cli/commands/copies/merge.ts', 'Nothing was merged into '],
  'Conflicts are not solved yet: ….': ['adapters/workspace/copies/commit-work.ts', 'Conflicts are not solved yet: '],
  'Uncommitted changes in … overlap: ….': ['adapters/workspace/copies/publish.ts', 'Uncommitted changes in '],
  'A process works on session ….': ['sdk/copies/settle-copies.ts', 'A process works on session '],
};
