import { realpathSync } from 'node:fs';
import { toFolder } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { toTable } from '../../output/table.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';

export const command: LeafCommand = {
  name: 'instances',
  summary: 'list the terminals and scripts of this project with their current sessions',
  examples: [
    'klaus instances',
    'klaus instances --everywhere --json   the instances of all projects, one object per line',
  ],
  server: 'none',
  declare: (declared) =>
    declared
      .option('-C, --cwd <folder>', 'folder of the project (default: the current one)')
      .option('--everywhere', 'of all projects')
      .option('--all', 'also those that do not run any more')
      .option('--json', 'one object per line'),
  async run({ cwd, everywhere, all, json }: Options & { everywhere?: true; all?: true }) {
    const root = realpathSync(toFolder(cwd ?? process.cwd()));
    const { openInstances } = await import('@klaus/sdk');
    using instances = await openInstances({ cwd: root });
    const project = everywhere ? {} : { project: instances.hashOf(root) };
    const found = instances.list({ ...project, all: all === true });
    if (json) for (const each of found) out.json(each);
    else if (found.length === 0)
      err.write('No instance runs. `klaus` in a terminal is one, and so is `klaus instance`.\n');
    else
      out.write(
        toTable([
          ['INSTANCE', 'PID', 'TERMINAL', 'STATE', 'SESSION', ...(everywhere ? ['PROJECT'] : [])],
          ...found.map(({ id, pid, tty, running, endedAt, session, root: folder }) => [
            id,
            String(pid),
            tty ?? 'none',
            running ? 'running' : endedAt === null ? 'killed' : 'ended',
            session ?? '',
            ...(everywhere ? [folder] : []),
          ]),
        ]),
      );
  },
};
