import { UsageError } from '../../program/cli-error.ts';
import type { Options } from '../../program/options.ts';

/** @throws UsageError for options that a server does not take. */
export function checkServerOptions({ cwd, set, allowAnyWorkspace, root, addDir, trustCommand }: Options): void {
  if (cwd !== undefined && !cwd.startsWith('/')) {
    throw new UsageError(
      `With --server, --cwd names a folder on the machine of the server, and ${cwd} is not an absolute path.`,
      'Pass its absolute path, or leave it out to work in the default folder of the server.',
    );
  }
  if (set) {
    throw new UsageError(
      '--set cannot change the settings of a server.',
      '`klaus serve --set key=value` sets them for the runs that start there.',
    );
  }
  if (root !== undefined || addDir) {
    throw new UsageError(
      `${root === undefined ? '--add-dir' : '--root'} is not available with --server.`,
      'The folders that commands can read are configured on the machine of the server (sandbox.folders).',
    );
  }
  if (trustCommand) {
    throw new UsageError(
      '--trust-command is not available with --server.',
      'The agents whose programs run there are defined on the machine of the server, in ~/.klaus/agents.',
    );
  }
  if (allowAnyWorkspace) {
    throw new UsageError(
      '--allow-any-workspace is not available with --server.',
      'The folders that runs can work in are configured on the machine of the server.',
    );
  }
}
