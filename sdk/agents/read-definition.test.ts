import { expect, test } from 'vitest';
import { readDefinition } from './read-definition.ts';

const read = (head: string, body = 'You review.') => readDefinition(`---\n${head}\n---\n\n${body}\n`, 'a.md');

test('all fields are read, and lists may be texts with commas', async () => {
  const head = `name: reviewer
description: Reviews changes
model: anthropic/claude-sonnet-5-5
color: green
allowedAgents: [programmer, context-engineer]
mcpServers: docs, tickets
inheritProjectMcps: false
inheritParentMcps: true
tools: Read, Grep
disallowedTools: Bash
maxTurns: 20
skills: [pdf]
permissionMode: plan
effort: high
background: true
version: 1.10
created: 2025-01-02T03:04:05Z
last_used: null
capabilities: [file-operations]
grants: fs(src, r)
config: { model: openai/gpt-4o-mini, temperature: 0.7, preserve_history: false, extra: 1 }
metadata: { team: [a, b] }`;
  expect(await read(head)).toMatchObject({
    name: 'reviewer',
    mcpServers: ['docs', 'tickets'],
    tools: ['Read', 'Grep'],
    grants: ['fs(src, r)'],
    config: { temperature: 0.7, extra: 1 },
    systemPrompt: 'You review.',
  });
});

test('an agent without capabilities requests nothing', async () => {
  expect(await read('name: a\ndescription: b')).toEqual({ name: 'a', description: 'b', systemPrompt: 'You review.' });
});

test.each([
  ['no front matter', '# A title\n', 1],
  ['front matter without an end', '---\nname: a\n', 1],
  ['no YAML', '---\nname: a\nb: [\n---\n', 3],
  ['a text', '---\njust text\n---\n', 1],
  ['an unknown field', '---\nname: a\ndescription: b\ntool: Read\n---\n', 4],
  ['a path as a name', '---\ndescription: b\nname: ../../etc\n---\n', 3],
  ['a reserved name', '---\nname: self\ndescription: b\n---\n', 2],
  ['no description', '---\nname: a\n---\n', 2],
  ['no number of turns', '---\nname: a\ndescription: b\nmaxTurns: 0\n---\n', 4],
  ['a temperature out of range', '---\nname: a\ndescription: b\nconfig: { temperature: 9 }\n---\n', 4],
  ['too many fallback models', '---\nname: a\ndescription: b\nfallback: a, b, c, d\n---\n', 4],
  ['two documents', '---\nname: a\n--- \nx\n---\n', 2],
  ['aliases that expand', `---\na: &a [1,1]\nb: &b [${'*a,'.repeat(60)}1]\nc: [${'*b,'.repeat(60)}1]\n---\n`, 2],
])('%s is refused with its line', async (_, text, line) => {
  await expect(readDefinition(text, 'a.md')).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(new RegExp(`^a\\.md:${line}:`)),
  });
});

test('a misspelled field names the nearest one', async () => {
  await expect(read('name: a\ndescription: b\nallowedAgent: c')).rejects.toMatchObject({
    hint: expect.stringContaining('allowedAgents'),
  });
  await expect(read('name: a\ndescripton: b')).rejects.toMatchObject({
    message: expect.stringMatching(/^a\.md:3:/),
    hint: expect.stringContaining('description'),
  });
});

test('a file that is too large is refused', async () => {
  await expect(read('name: a\ndescription: b', 'x'.repeat(300_000))).rejects.toMatchObject({ code: 'config' });
});
