import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { out } from '../../output/sink.ts';
import { UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { addProject, readText } from './definition-options.ts';
import { toLastUse } from './last-use.ts';
import { agentArgument } from './show.ts';

/** Bytes of an exported agent. */
const MAX_BYTES = 1024 * 1024;

export const exportAgent: LeafCommand = {
  name: 'export',
  summary: 'print an agent as JSON, for other programs',
  examples: ['klaus agents export reviewer > reviewer.json'],
  server: 'local',
  declare: (declared) =>
    addProject(declared.addArgument(agentArgument).option('-o, --output <file>', 'write it to this file')),
  async run(name: string, { cwd, output }: Options & { output?: string }) {
    await using klaus = await openKlaus({ cwd });
    const { definition, file, name: used } = await klaus.agents().find(name);
    const { toExportedAgent } = await import('@klaus/sdk');
    const lastUsed = toLastUse({ ...definition, name: used }, await klaus.store.agentUses());
    const exported = toExportedAgent({ ...definition, last_used: lastUsed }, statSync(file).mtimeMs);
    if (output === undefined) return out.json(exported, 2);
    try {
      writeFileSync(output, `${JSON.stringify(exported, null, 2)}\n`);
    } catch (error) {
      throw new UsageError(`${output} cannot be written: ${(error as Error).message}`);
    }
    out.write(`Written to ${toPrintable(output)}.\n`);
  },
};

export const importAgent: LeafCommand = {
  name: 'import',
  summary: 'create an agent from exported JSON',
  examples: ['klaus agents import reviewer.json'],
  server: 'local',
  declare: (declared) =>
    addProject(
      declared
        .argument('<file>', 'the file; - reads standard input')
        .option('--project', 'save it in the project (.klaus/agents), for everyone who works on it')
        .option('--replace', 'replace an agent of this name where it is'),
    ),
  async run(file: string, { cwd, project, replace }: Options & { project?: true; replace?: true }) {
    const text = file === '-' ? await readText() : readExported(file);
    const { fromExportedAgent } = await import('@klaus/sdk');
    const definition = { created: new Date().toISOString(), ...fromExportedAgent(text, file) };
    await using klaus = await openKlaus({ cwd });
    const agents = klaus.agents();
    const place = project ? 'project' : undefined;
    const isReplaced =
      replace === true &&
      (await agents.list()).agents.some(
        ({ definition: { name }, from }) => name === definition.name && (!project || from === 'project'),
      );
    out.write(`Written to ${toPrintable(await agents.save(definition, { place, replace: isReplaced }))}.\n`);
  },
};

/** @throws UsageError for a file that cannot be read. */
function readExported(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) throw new UsageError(`There is no file ${file}.`);
  if (stat.size > MAX_BYTES) throw new UsageError(`${file} is too large for an exported agent.`);
  return readFileSync(file, 'utf8');
}
