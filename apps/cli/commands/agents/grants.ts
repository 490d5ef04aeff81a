import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { addProject } from './definition-options.ts';
import { agentArgument } from './show.ts';

export const grants: LeafCommand = {
  name: 'grants',
  summary: 'print in plain words what an agent may do in this folder',
  examples: ['klaus agents grants reviewer'],
  server: 'local',
  declare: (declared) => addProject(declared.addArgument(agentArgument).option('--json', 'one JSON document')),
  async run(name: string, { cwd, json }: Options) {
    await using klaus = await openKlaus({ cwd });
    const agents = klaus.agents();
    const found = await agents.find(name);
    const { definition } = found;
    const { grant } = agents.grantOf(definition);
    const { lines } = agents.describe(definition);
    const { toGrantText } = await import('@klaus/sdk');
    if (json) return out.json({ name, workspace: agents.workspace, grant, text: toGrantText(grant), lines }, 2);
    const paint = createPaint(out, false);
    const shown = lines.map(
      ({ allows, text }) => `  ${allows ? toPrintable(text) : paint('dim', toPrintable(text))}\n`,
    );
    const tools = grant.authorities.filter((one) => one.kind === 'tool');
    const others = tools.some((one) => one.name === '*') ? '' : 'Other tools are denied. ';
    const note = tools.length === 0 ? '' : `${others}Each call beyond this needs your approval.\n`;
    const isTrusted = agents.untrusted(found).length === 0;
    const trust = isTrusted ? '' : `It starts after \`klaus agents trust ${found.name}\`.\n`;
    out.write(`${paint('bold', `${name} in ${toPrintable(agents.workspace)}`)}\n${shown.join('')}${note}${trust}`);
  },
};
