import { headOf } from '@klaus/core/cut-text';
import { formatPatch, structuredPatch } from 'diff';
import { z } from 'zod';
import { KNOWLEDGE_LIMITS } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { checkWord } from '../shell/quote.ts';
import { toolFailed } from '../tool-failed.ts';

/**
 * Remembers a fact about this project, or forgets it. Only the user can write notes for all projects: a prompt injection
 * in one project must not reach the others.
 */
export const memorySet = defineBuiltinTool({
  name: 'memory_set',
  description: 'Remember a fact about this project for later sessions. An empty value forgets it. Never secrets.',
  input: z.object({
    key: z.string(),
    value: z.string(),
    category: z.string().optional(),
  }),
  deferred: true,
  effects: ['write'],
  // Setting the same value again is harmless.
  resume: 'repeat',
  example: { input: { key: 'build', value: 'make' }, output: 'build [general]' },
  async prepare({ key, value, category }, { memory }) {
    if (value.length > KNOWLEDGE_LIMITS.value) {
      const most = `the maximum is ${KNOWLEDGE_LIMITS.value}`;
      throw toolFailed(`The value has ${value.length} characters; ${most}.`);
    }
    for (const [what, text] of Object.entries({ key, value, category: category ?? '' })) checkWord(what, text);
    const before = (await memory.get(key, 'project'))?.value ?? '';
    const verb = value.trim() === '' ? 'forget' : before === '' ? 'remember' : 'update memory';
    const name = headOf(key.trim().replaceAll(/\s+/g, ' '), KNOWLEDGE_LIMITS.key);
    const path = `memory/${name}`;
    const patch = structuredPatch(path, path, toText(before), toText(value), '', '');
    return {
      title: `${verb}: ${headOf(name, 60)}${category === undefined ? '' : ` [${headOf(category, KNOWLEDGE_LIMITS.category)}]`}`,
      access: [],
      isForLater: true,
      // The approver sees what later sessions will read.
      diff: formatPatch(patch, { includeIndex: false, includeUnderline: false, includeFileHeaders: true }),
    };
  },
  async run({ key, value, category }, { memory }) {
    if (value.trim() === '') {
      const removed = await memory.remove(key, 'project');
      if (removed) return { text: `Forgot ${key.trim()}.` };
      throw toolFailed(`Nothing is remembered as ${JSON.stringify(key.slice(0, 200))}.`);
    }
    const entry = await memory.set({ key, value, category });
    return {
      text: `Remembered as ${entry.key} [${entry.category}] for this project.`,
      detail: { ...entry },
    };
  },
});

function toText(value: string): string {
  return value === '' || value.endsWith('\n') ? value : `${value}\n`;
}
