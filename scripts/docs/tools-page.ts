import { z } from 'zod';
import { builtinTools } from '../../adapters/tools/index.ts';
import type { Effect, Resume } from '../../core/protocol/index.ts';
import type { JsonSchema } from '../../core/protocol/json-schema.ts';
import { toPage, toTable } from './markdown.ts';
import { toFieldTable } from './shape.ts';

const EFFECTS: Readonly<Record<Effect, string>> = {
  read: 'Looks at files or at what Klaus keeps. Calls that only read run side by side.',
  write: 'Changes files, the Git repository or what is remembered.',
  execute: 'Runs a program, in the sandbox of the session.',
  network: 'Reaches the network.',
  deploy: 'Changes something that others use.',
  spawn: 'Starts another agent.',
};

const RESUMES: Readonly<Record<Resume, string>> = {
  repeat: 'Runs again: doing it twice changes nothing.',
  probe: 'Compares hashes: is done, or runs.',
  tell: 'Is never run again: the model is told that the outcome is unknown, and what changed since.',
};

/** `docs/reference/tools.md`: every built-in tool as the model is offered it. */
export function toToolsPage(): string {
  const used = new Set(builtinTools.flatMap(({ effects }) => effects));
  return toPage(
    '# Tools',
    'What a model can do. Every call passes the gate, which judges it by the effects of its tool, by the paths and the command that it names, and by the mode of the session. Commands run in the sandbox; a tool whose program is missing says what brings it. A tool that is *found* is not in the request: the model looks for it with `tool_search` and calls it through `use_tool`; see [context](../context.md).',
    toTable(
      ['Tool', 'Effects', 'After a crash', 'In the request', 'What it does'],
      builtinTools.map((tool) => [
        `[\`${tool.name}\`](#${tool.name})`,
        tool.effects.join(', '),
        tool.resume,
        tool.deferred ? 'found' : 'yes',
        tool.description,
      ]),
    ),
    '## Effects',
    toTable(
      ['Effect', 'Meaning'],
      (Object.keys(EFFECTS) as Effect[]).filter((name) => used.has(name)).map((name) => [name, EFFECTS[name]]),
    ),
    '## After a crash',
    'What happens to a call that had begun and has no result.',
    toTable(
      ['Word', 'Meaning'],
      (Object.keys(RESUMES) as Resume[]).map((name) => [name, RESUMES[name]]),
    ),
    '## Input',
    ...builtinTools.flatMap((tool) => {
      const schema = z.toJSONSchema(tool.input, { io: 'input' }) as JsonSchema;
      return [`### ${tool.name}`, toFieldTable(schema), `Example: \`${JSON.stringify(tool.example.input)}\``];
    }),
  );
}
