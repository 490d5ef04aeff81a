import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Event, Klaus } from '@klaus/sdk';
import type { ModelServer } from '@klaus/adapters/models';
import type { TestHome } from '../fixtures/test-home.ts';

/** The world of one attack, seen from outside. */
export interface Scene {
  readonly workspace: string;
  /** `KLAUS_HOME`. */
  readonly home: string;
  /** The user's home folder. */
  readonly user: string;
  /** A path outside of the workspace that does not exist; what the model plants creates it when it runs on the host. */
  readonly mark: string;
  readonly place: TestHome;
  readonly server: ModelServer;
  /** Everything in the log of the first session; empty before it ran. */
  events: readonly Event[];
  /** The logs of all sessions, in their order. */
  sessions: (readonly Event[])[];
  path(relative: string): string;
  has(relative: string): boolean;
  read(relative: string): string;
  write(relative: string, text: string): void;
  chmod(relative: string, mode: number): void;
  /** True when a file of the workspace holds the text. */
  isPlantedInWorkspace(text: string): boolean;
  /** Git on the host, as the user runs it. Throws when git fails. */
  git(...words: string[]): string;
  /** The same, with a failure as empty text. */
  tryGit(...words: string[]): string;
  /** The working copies of the state folder, once a session has begun. */
  copies?: Klaus['copies'];
  /** The first session. */
  session?: string;
  /** Undoes every turn of the session, with git's own data. Returns what went wrong. */
  undoGit(): Promise<string[]>;
}

export function createScene(place: TestHome, server: ModelServer): Scene {
  const { workspace, home, env } = place;
  const path = (relative: string): string => join(workspace, relative);
  const git = (...words: string[]): string =>
    execFileSync('git', ['-c', 'user.name=User', '-c', 'user.email=user@localhost', ...words], {
      cwd: workspace,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).toString();
  return {
    workspace,
    home,
    user: env['HOME']!,
    mark: join(dirname(workspace), 'mark'),
    place,
    server,
    events: [],
    sessions: [],
    path,
    has: (relative) => existsSync(path(relative)),
    read: (relative) => readFileSync(path(relative), 'utf8'),
    write(relative, text) {
      mkdirSync(dirname(path(relative)), { recursive: true });
      writeFileSync(path(relative), text);
    },
    chmod: (relative, mode) => chmodSync(path(relative), mode),
    isPlantedInWorkspace: (text) => spawnSync('grep', ['-rqs', text, workspace]).status === 0,
    git,
    tryGit(...words) {
      try {
        return git(...words);
      } catch {
        return '';
      }
    },
    undoGit: async () => ['no session has run'],
  };
}
