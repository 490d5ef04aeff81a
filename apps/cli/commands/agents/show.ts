import type { Agents, FoundAgent } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { out } from '../../output/sink.ts';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { isKlausError } from '../../program/exit-codes.ts';
import type { Options } from '../../program/options.ts';
import { addProject } from './definition-options.ts';
import { toLastUse } from './last-use.ts';

export const agentArgument = new IdArgument('<name>', 'agents', 'name of the agent');

export const show: LeafCommand = {
  name: 'show',
  summary: 'print a definition, the files that it hides, and the authority that it requests',
  examples: ['klaus agents show reviewer'],
  server: 'local',
  declare: (declared) => addProject(declared.addArgument(agentArgument).option('--json', 'one JSON document')),
  async run(name: string, { cwd, json }: Options) {
    await using klaus = await openKlaus({ cwd });
    const agents = klaus.agents();
    const found = await agents.find(name);
    const { definition, file, hides } = found;
    const lastUse = toLastUse({ ...definition, name: found.name }, await klaus.store.agentUses());
    const requested = await toRequested(agents, found);
    const limits = definition.runner && (await import('@klaus/sdk')).toRunnerLimits(definition.runner);
    const driven = limits ? { limits } : {};
    if (json) return out.json({ ...definition, file, hides, lastUse, ...requested, ...driven }, 2);
    const { name: _, description, systemPrompt, ...fields } = definition;
    const rows = [
      ['file', file],
      ...hides.map((hidden) => ['hides', hidden]),
      ['last use', lastUse ?? 'never'],
      ...(requested.untrusted.length > 0 ? [['not trusted', requested.untrusted.join('; ')]] : []),
      ...Object.entries(fields).map(([key, value]) => [key, toText(value)]),
      ['requests', requested.text ?? requested.problem],
      ...requested.unknownTools.map((tool) => ['unknown tool', tool]),
      ...(limits ?? []).map(({ invariant, reason }) => [`cannot hold ${invariant}`, reason]),
    ];
    const paint = createPaint(out, false);
    const lines = rows.map(([key, value]) => `  ${paint('dim', `${key}:`)} ${toPrintable(value!)}`);
    const prompt = systemPrompt === '' ? '' : `\n${toPrintable(systemPrompt)}\n`;
    out.write(`${paint('bold', `${found.name}: ${toPrintable(description)}`)}\n${lines.join('\n')}\n${prompt}`);
  },
};

/** The grant as a text, or why there is none. */
async function toRequested(agents: Agents, found: FoundAgent) {
  const { toGrantText } = await import('@klaus/sdk');
  try {
    const { grant, unknownTools } = agents.grantOf(found.definition);
    return { grant, text: toGrantText(grant), unknownTools, untrusted: agents.untrusted(found) };
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return { problem: error.message, unknownTools: [], untrusted: [] };
  }
}

function toText(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ') || 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
