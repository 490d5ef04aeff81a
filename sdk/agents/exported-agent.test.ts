import { expect, test } from 'vitest';
import { fromExportedAgent, toExportedAgent } from './exported-agent.ts';
import { readDefinition } from './read-definition.ts';
import { writeDefinition } from './write-definition.ts';

const AGENT = {
  name: 'code-reviewer',
  description: 'Reviews: "everything"',
  version: '1.10',
  created: '2025-01-02T03:04:05.123456Z',
  last_used: null,
  capabilities: ['file-operations'],
  system_prompt: 'You review code.\n\n---\n\n# Rules\n- none: "yes"',
  config: { model: 'openai/gpt-4o-mini', temperature: 0.7, preserve_history: true, top_p: 1 },
  metadata: { tags: ['a', null, 1.5, { b: 'true' }], empty: {} },
};

test('an imported agent that is written, read and exported again is unchanged', async () => {
  const imported = fromExportedAgent(JSON.stringify(AGENT), 'a.json');
  const read = await readDefinition(await writeDefinition(imported), 'a.md');
  expect(read).toEqual(imported);
  expect(toExportedAgent(read, 0)).toEqual(AGENT);
});

test.each(['', '\n', ' \n  padded \n\n', 'windows\r\n', '---\nname: other\n---\n'])(
  'the prompt %j is kept as it is',
  async (systemPrompt) => {
    const definition = { name: 'a', description: 'b', created: '2025-01-02T03:04:05.123456', systemPrompt };
    expect(await readDefinition(await writeDefinition(definition), 'a.md')).toEqual(definition);
  },
);

test('missing fields get defaults', () => {
  const { name, description } = AGENT;
  const exported = toExportedAgent(fromExportedAgent(JSON.stringify({ name, description }), 'a.json'), 0);
  expect(exported).toEqual({
    ...{ name, description, version: '1.0', created: '1970-01-01T00:00:00.000Z', last_used: null },
    ...{ capabilities: [], system_prompt: '', config: {}, metadata: {} },
  });
});

test.each([
  ['no JSON', '{'],
  ['a list', '[]'],
  ['a path as a name', JSON.stringify({ ...AGENT, name: '../agent' })],
  ['an unknown field', JSON.stringify({ ...AGENT, tools: [] })],
  ['a number as a prompt', JSON.stringify({ ...AGENT, system_prompt: 1 })],
])('%s is refused', (_, text) => {
  expect(() => fromExportedAgent(text, 'a.json')).toThrow(expect.objectContaining({ code: 'config' }));
});
