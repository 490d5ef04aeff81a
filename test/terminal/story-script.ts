import type { Script } from '@klaus/adapters/models';

/** A file with two places that are wrong, so far apart that a change of both has two hunks. */
const LINES = Array.from({ length: 20 }, (_, index) => `// Line ${index + 1}`).join('\n');
export const SUM = `export const sum = (a, b) => a - b;\n${LINES}\nexport const zero = 1;\n`;

export const FILES = { 'sum.js': SUM, 'README.md': '# Sums\n' };

/** Two reads and a change with a question; the answer contains Markdown, wide and combining characters. */
export const STORY: Script = {
  steps: [
    {
      when: { user: 'fix', turn: 0 },
      reply: {
        thinking: 'The sign is wrong.',
        text: 'I look at the **code** of `sum`.\n\n| name | value |\n|---|---|\n| sum | 1 |\n\n- wide: 漢字かな 한국어\n- combined: e\u0301 n\u0303 👩\u200d💻 🇩🇪\n\n```js\nconst total = sum(1, 2);\n```\n\nSee [the manual](https://example.com/manual).\n',
        calls: [{ name: 'read_file', input: { path: 'sum.js' } }],
      },
    },
    {
      when: { user: 'fix', turn: 1 },
      reply: {
        calls: [
          {
            name: 'edit_file',
            input: {
              path: 'sum.js',
              edits: [
                { old: 'a - b', new: 'a + b' },
                { old: 'zero = 1', new: 'zero = 0' },
              ],
            },
          },
        ],
      },
    },
    { when: { after: 'edit_file' }, reply: { text: 'Fixed: it adds now.' } },
  ],
  fallback: { text: 'Hello.' },
};
