import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { confirm } from '../../prompt/keyboard.ts';
import { addProject } from './definition-options.ts';
import { agentArgument } from './show.ts';

export const deleteAgent: LeafCommand = {
  name: 'delete',
  summary: 'delete the file of an agent; its sessions remain',
  examples: ['klaus agents delete reviewer'],
  server: 'local',
  declare: (declared) => addProject(declared.addArgument(agentArgument).option('--yes', 'do not ask')),
  async run(name: string, { cwd, yes }: Options) {
    await using klaus = await openKlaus({ cwd });
    const agents = klaus.agents();
    const { file, hides } = await agents.find(name);
    const [next] = hides;
    const then = next === undefined ? '' : ` Then ${toPrintable(next)} defines ${name}.`;
    if (!yes && !(await confirm(`Delete ${toPrintable(file)}?${then}`, `This would delete ${file}.${then}`))) {
      err.write('Nothing was deleted.\n');
      return EXIT.denied;
    }
    const { copy } = await agents.remove(name);
    out.write(`Deleted ${toPrintable(file)}. A copy is at ${toPrintable(copy)}.\n`);
    if (next !== undefined) out.write(`${toPrintable(next)} defines ${name} now.\n`);
    return EXIT.done;
  },
};
