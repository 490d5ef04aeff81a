import type { AgentDefinition } from '@klaus/core/protocol';

/** The text of a definition's file, which `readDefinition` reads back without a change. */
export async function writeDefinition({ systemPrompt, ...head }: AgentDefinition): Promise<string> {
  const { stringify } = await import('yaml');
  const fields = stringify(head, { lineWidth: 0, aliasDuplicateObjects: false, schema: 'core' });
  return `---\n${fields}---\n${systemPrompt === '' ? '' : `\n${systemPrompt}\n`}`;
}
