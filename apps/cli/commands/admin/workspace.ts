import { dirname, resolve } from 'node:path';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';

interface Options {
  name?: string;
  ref?: string;
  json?: true;
}

/** The address of a repository, not a folder of this machine. */
const ADDRESS = /^(?:[a-z]+:\/\/|[\w.-]+@[\w.-]+:)/i;

export const workspace: LeafCommand = {
  name: 'workspace',
  summary: 'create a managed workspace, which workers rebuild on their machines',
  examples: [
    'klaus admin workspace ~/src/shop --name shop',
    'klaus admin workspace https://git.example.com/shop.git --ref main',
    'klaus admin workspace /var/lib/klaus-workspaces/shop --name shop-2',
  ],
  description:
    'Stores the files of a folder of this machine, with those that Git ignores, of a repository, or of another managed workspace in the bucket. Repositories lose their hooks, the configuration with which Git runs programs, and passwords of remotes. Prints the path, which is the same on all machines: open sessions in it.',
  server: 'none',
  declare: (declared) =>
    declared
      .argument('<from>', 'a folder, the address of a repository, or the path of a managed workspace')
      .option('--name <name>', 'name of its folder (default: a new one)')
      .option('--ref <ref>', 'branch, tag or commit of the repository')
      .option('--json', 'one JSON document'),
  async run(from: string, { name, ref, json }: Options) {
    const { openCluster } = await import('@klaus/sdk/cluster');
    await using cluster = await openCluster();
    const { klaus } = cluster;
    const isManaged = dirname(resolve(from)) === klaus.configuration.get('cluster.workspacesFolder');
    const isRepository = ref !== undefined || ADDRESS.test(from);
    const path = await klaus.createWorkspace({
      from: isRepository
        ? { url: from, ...(ref !== undefined && { ref }) }
        : isManaged
          ? { workspace: resolve(from) }
          : { folder: resolve(from) },
      ...(name !== undefined && { name }),
    });
    if (json) return out.json({ workspace: path });
    out.write(`${path}\n`);
    err.write('Workers rebuild it before each run of a session in it.\n');
  },
};
