import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { confirm, hasKeyboard } from '../../prompt/keyboard.ts';
import { addProject } from './definition-options.ts';
import { agentArgument } from './show.ts';

export const trust: LeafCommand = {
  name: 'trust',
  summary: 'let sessions use an agent of the project that asks for more than reading and editing files',
  examples: ['klaus agents trust deployer'],
  description:
    'A definition in .klaus/agents or .claude/agents of the project comes with its files. If it asks for more than reading and editing files of the workspace, sessions use it after you have trusted it, and as long as its file stays the same.',
  server: 'local',
  declare: (declared) => addProject(declared.addArgument(agentArgument).option('--yes', 'do not ask')),
  async run(name: string, { cwd, yes }: Options) {
    await using klaus = await openKlaus({ cwd });
    const agents = klaus.agents();
    const found = await agents.find(name);
    const rest = agents.untrusted(found);
    if (rest.length === 0) {
      out.write(`${found.name} needs no trust.\n`);
      return EXIT.done;
    }
    const lines = rest.map((line) => `  ${toPrintable(line)}\n`).join('');
    err.write(
      `${found.name} asks for more than reading and editing files:\n${lines}Read ${toPrintable(found.file)}.\n`,
    );
    // The command itself is the consent where there is no keyboard, as for MCP servers.
    if (!yes && hasKeyboard() && !(await confirm(`Trust ${found.name}?`, ''))) {
      err.write('Nothing was changed.\n');
      return EXIT.denied;
    }
    await agents.trust(found.name, { expected: found.hash });
    out.write(`Trusted ${found.name}, as long as its file stays the same.\n`);
    return EXIT.done;
  },
};
