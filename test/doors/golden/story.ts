import type { Script } from '@klaus/adapters/models';

export const FILES = {
  'README.md': '# Golden\n',
  'AGENTS.md': 'Write plainly.\n',
  'src/sum.js': 'export const sum = (a, b) => a - b;\n',
  'src/use.js': "import { sum } from './sum.js';\n",
};

export const PROMPT = 'The sum is wrong.';

/** A session with everything that a door may show: words, thinking, parallel reads, edits, a denial, mistakes of the model. */
export const SESSION: Script = {
  steps: [
    {
      when: { turn: 0 },
      reply: {
        thinking: 'I should look at both files.',
        text: 'I look at the code.',
        calls: [
          { name: 'read_file', input: { path: 'src/sum.js' } },
          { name: 'search_files', input: { pattern: 'sum' } },
          { name: 'list_files', input: {} },
        ],
      },
    },
    {
      when: { turn: 1 },
      reply: {
        calls: [
          { name: 'edit_file', input: { path: 'src/sum.js', edits: [{ old: 'a - b', new: 'a + b' }] } },
          { name: 'write_file', input: { path: '.git/hooks/pre-commit', content: 'exit 0' } },
          { name: 'reed_file', input: { path: 'src/sum.js' } },
          { name: 'read_file', input: { file: 'src/sum.js' } },
        ],
      },
    },
    {
      when: { turn: 2 },
      faults: [{ kind: 'status', status: 529 }],
      reply: { calls: [{ name: 'write_file', input: { path: 'CHANGES', content: 'fixed\n' } }] },
    },
    { when: { turn: 3 }, reply: { text: 'The sum adds now.' } },
  ],
};

/**
 * The system prompt and the tools have tests of their own: a new tool changes no golden log. Only a chat marks its
 * session.
 */
export function erasePrompt(event: unknown): unknown {
  if ((event as { type: string }).type !== 'session.opened') return event;
  const { chat: _, ...opened } = event as { chat?: boolean };
  return { ...opened, system: '…', tools: '…', deferred: '…' };
}

/** Chosen limits hold with and without a person. */
export const LIMITS = { AGENT_MAX_TOOL_CALLS: '50', AGENT_TOKEN_BUDGET: '100000' };
