import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Agents } from '@klaus/sdk';
import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { err, out } from '../../output/sink.ts';
import { CliError, UsageError } from '../../program/cli-error.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import { EXIT, isKlausError } from '../../program/exit-codes.ts';
import { confirm, hasKeyboard } from '../../prompt/keyboard.ts';
import { addDefinitionOptions, addProject, type DefinitionOptions, toFields } from './definition-options.ts';
import { agentArgument } from './show.ts';

export const edit: LeafCommand = {
  name: 'edit',
  summary: 'change an agent with options, or in $VISUAL or $EDITOR',
  examples: ['klaus agents edit reviewer', 'klaus agents edit reviewer --model opus'],
  description:
    'Changes an agent. Without options, opens a copy of its file in $VISUAL or $EDITOR. The file is replaced only if the result is valid.',
  server: 'local',
  declare: (declared) => addProject(addDefinitionOptions(declared.addArgument(agentArgument))),
  async run(name: string, options: DefinitionOptions) {
    const fields = await toFields(options);
    await using klaus = await openKlaus({ cwd: options.cwd });
    const agents = klaus.agents();
    if (Object.keys(fields).length === 0) {
      const { fromProjectAgent } = await import('@klaus/sdk');
      const file = await findFile(agents, name);
      return await editFile(agents, { name: fromProjectAgent(name) ?? name, file });
    }
    const { definition, from } = await agents.find(name);
    const file = await agents.save({ ...definition, ...fields }, { replace: true, place: from });
    out.write(`Written to ${toPrintable(file)}.\n`);
    return EXIT.done;
  },
};

/** The file of an agent, also of a broken one. */
async function findFile(agents: Agents, name: string): Promise<string> {
  const { agents: found, broken } = await agents.list();
  const own = found.find((agent) => agent.name === name) ?? broken.find(({ file }) => file.endsWith(`/${name}.md`));
  return (own ?? (await agents.find(name))).file;
}

/** Edits a copy until it is valid, and keeps an invalid copy. */
async function editFile(agents: Agents, { name, file }: { name: string; file: string }): Promise<number> {
  if (!hasKeyboard() && !process.env['VISUAL'] && !process.env['EDITOR']) {
    throw new UsageError(
      'There is no terminal for an editor.',
      'Pass the changes as options, such as --description; or set EDITOR to a program that changes the file.',
    );
  }
  const { openEditor } = await import('../../prompt/editor.ts');
  const folder = mkdtempSync(join(tmpdir(), 'klaus-agent-'));
  const copy = join(folder, `${name}.md`);
  const before = readFileSync(file, 'utf8');
  writeFileSync(copy, before);
  for (;;) {
    const isEdited = openEditor(copy);
    const text = readFileSync(copy, 'utf8');
    if (!isEdited || text === before) {
      rmSync(folder, { recursive: true });
      err.write('Nothing was changed.\n');
      return isEdited ? EXIT.done : EXIT.failed;
    }
    try {
      await agents.edit(file, { name, before, text });
      rmSync(folder, { recursive: true });
      out.write(`Written to ${toPrintable(file)}.\n`);
      return EXIT.done;
    } catch (error) {
      if (!isKlausError(error)) throw error;
      const isConflict = error.code === 'workspace.conflict';
      const problem = [error.message, error.hint ?? ''].join('\n').trimEnd();
      if (!isConflict && hasKeyboard() && (await confirm(`${toPrintable(problem)}\nEdit it again?`, ''))) continue;
      throw new CliError(isConflict ? error.code : 'usage', error.message, {
        hint: [error.hint, `The file is unchanged. The edited copy is ${copy}.`].filter(Boolean).join(' '),
      });
    }
  }
}
