import type { CallEntry } from '@klaus/core/conversation';
import type { EventOf, ToolResult } from '@klaus/core/protocol';

const BASE = { kind: 'call', seq: 1, at: 0, turn: 0, decisions: [] } as const;

type Sample = Pick<CallEntry, 'name' | 'input' | 'state'> & Partial<CallEntry>;

function toCall(id: string, sample: Sample): CallEntry {
  return { ...BASE, id, ...sample };
}

function toResult(outcome: ToolResult['outcome'], durationMs: number): ToolResult {
  return { outcome, output: '', changes: [], durationMs };
}

const DIFF = `--- a/src/slots.js
+++ b/src/slots.js
@@ -3,5 +3,5 @@
 export function mergeBookings(a, b) {
-  const end = b.end;
+  const end = Math.max(a.end, b.end);
   return { start: a.start, end };
 }
`;

/** One call in each state. */
export const CALLS: readonly CallEntry[] = [
  toCall('waiting', { name: 'run_command', input: { command: 'npm run build' }, state: 'waiting' }),
  toCall('running', { name: 'run_tests', input: {}, state: 'running', startedAt: Date.now() }),
  toCall('ok', {
    name: 'edit_file',
    input: { path: 'src/slots.js' },
    state: 'finished',
    diff: DIFF,
    result: toResult('ok', 12),
  }),
  toCall('error', {
    name: 'run_command',
    input: { command: 'make' },
    state: 'finished',
    result: toResult('error', 1_840),
  }),
  toCall('denied', {
    name: 'run_command',
    input: { command: 'curl x.example' },
    state: 'finished',
    result: toResult('denied', 0),
  }),
  toCall('cancelled', {
    name: 'run_command',
    input: { command: 'sleep 60' },
    state: 'finished',
    result: toResult('cancelled', 900),
  }),
  toCall('unknown', {
    name: 'deploy_netlify',
    input: { folder: 'dist' },
    state: 'finished',
    result: toResult('unknown', 4_000),
  }),
];

/** A question about a command, with a choice of the scope. */
export const QUESTION: EventOf<'approval.asked'> = {
  ...{
    v: 3,
    seq: 1,
    prev: '',
    at: 0,
    session: 'sample',
    run: 'sample',
    turn: 0,
    type: 'approval.asked',
    approval: 'sample',
  },
  title: 'run a command',
  reason: 'the command writes outside of the workspace',
  expiresAt: Date.now() + 86_400_000,
  subject: {
    ...{ kind: 'call', call: 'sample', index: 0, name: 'run_command', callHash: '', grantHash: '', before: [] },
    command: 'npm publish --dry-run',
    remember: { agent: 'klaus', tool: 'run_command', rules: ['network'], command: 'npm publish' },
  },
};

export const ANSWER = `# A title

Prose in lines of a readable length. It names files like \`src/slots.js\`, is **bold** where it matters, and links to [documentation](https://example.com).

## A heading

- a list
- of two items

\`\`\`js
// Code has a language and a button that copies it.
export const end = Math.max(a.end, b.end);
\`\`\`

| Check | Result |
|---|---:|
| tests | 6 passed |

> A quotation.

> [!NOTE]
> A note, a tip, something important, a warning or a caution.[^1]

> [!WARNING]
> Each has a colour and an icon.

- [x] a task that is done
- [ ] a task that is left

<details>
<summary>More</summary>

Text that the reader opens.

</details>

A formula: $$E = mc^2$$

[^1]: A footnote opens in place.
`;

export const OUTPUT =
  '\u001b[1mRun\u001b[0m tests\n\u001b[32m✓ slots merge\u001b[0m\n\u001b[31m✗ slots overlap\u001b[0m\n\u001b[33mwarning\u001b[0m \u001b[36msrc/slots.js:4\u001b[0m\n';

export { DIFF };
