import { z } from 'zod';
import { builtinTools } from '../../adapters/tools/index.ts';
import type { Effect, Resume } from '../../core/protocol/index.ts';
import type { JsonSchema } from '../../core/protocol/json-schema.ts';
import { toPage, toTable } from './markdown.ts';
import { toFieldTable } from './shape.ts';

const EFFECTS: Readonly<Record<Effect, string>> = {
  read: 'Reads files or data of Klaus. Calls that only read run in parallel.',
  write: 'Changes files, the Git repository or the memory.',
  execute: 'Runs a program in the sandbox of the session.',
  network: 'Uses the network.',
  deploy: 'Changes a system that other people use.',
  spawn: 'Starts another agent.',
};

const RESUMES: Readonly<Record<Resume, string>> = {
  repeat: 'Runs again. Running it twice has the same effect as once.',
  probe: 'Compares hashes, and runs if its changes are not made yet.',
  tell: 'Does not run again. The model is informed that the outcome is unknown, and what has changed since.',
};

/** `docs/reference/tools.md`: every built-in tool as it is offered to the model. */
export function toToolsPage(): string {
  const used = new Set(builtinTools.flatMap(({ effects }) => effects));
  return toPage(
    '# Tools',
    'The tools of the model. The gate judges every call by the effects of its tool, by its paths and its command, and by the mode of the session. Commands run in the sandbox. A tool whose program is missing reports how to install it. A tool that is *found* is not in the request: the model finds it with `tool_search` and calls it through `use_tool`; see [context](../context.md).',
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
    'What happens to a call that started and has no result.',
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
