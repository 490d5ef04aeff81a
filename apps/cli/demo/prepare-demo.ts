import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '@klaus/sdk/message-of';
import { UsageError } from '../program/cli-error.ts';
import { demoFiles } from './files.ts';

/** The model of the demo. */
export const DEMO_MODEL = 'scripted/demo';

/** Short enough to be the title of the session, so that no title is requested from the model. */
export const DEMO_PROMPT = 'The tests fail. Find the bug, fix it, run them again.';

/** A copy of the demo project, committed to its own repository. */
export async function prepareDemo(): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-demo-')));
  cpSync(demoFiles.project, folder, { recursive: true });
  const identity = ['-c', 'user.name=Klaus demo', '-c', 'user.email=demo@localhost', '-c', 'commit.gpgsign=false'];
  // Hooks and templates of the user do not apply.
  const { toHostEnvironment } = await import('@klaus/sdk');
  const env = { ...toHostEnvironment(), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  try {
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '-A'],
      [...identity, 'commit', '-q', '-m', 'Begin the demo project'],
    ]) {
      await promisify(execFile)('git', args, { cwd: folder, env });
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw new UsageError(
      `The demo needs git: ${messageOf(error).split('\n')[0]}`,
      'Install it, on Debian and Ubuntu with `apt-get install -y git`.',
    );
  }
  return folder;
}
