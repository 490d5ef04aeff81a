// Covers core/agent/loop, apps/cli: a run that needed a denied call.
import { expect, test } from 'vitest';
import type { Script } from '@klaus/sdk';
import { createTestEngine, ofType } from '../fixtures/engine.ts';

type Call = { name: string; input: Record<string, string | boolean> };
type Step = readonly Call[];

const command = (line: string, network = false): Call => ({
  name: 'run_command',
  input: { command: line, ...(network ? { network: true } : {}) },
});
/** No approver can allow the network. */
const A = command('true a', true);
const A_ALLOWED = command(' true a ');
const B = command('true b', true);
const B_ALLOWED = command('true b');
const OTHER = command('true other');
const FAILS = command('false', true);
const FAILS_ALLOWED = command('false');
const READ: Call = { name: 'read_file', input: { path: 'README.md' } };
const OUTSIDE: Call = { name: 'read_file', input: { path: '../outside.txt' } };
const HOOK: Call = { name: 'write_file', input: { path: '.git/hooks/pre-commit', content: 'exit 0' } };
const OTHER_HOOK: Call = { name: 'write_file', input: { path: '.git/hooks/pre-push', content: 'exit 0' } };
const PROTECTED: Call = { name: 'write_file', input: { path: '.vscode/tasks.json', content: '{}\n' } };
const SAME_FILE: Call = { name: 'write_file', input: { path: './.vscode/../.vscode/tasks.json', content: '[]\n' } };
const FILE: Call = { name: 'write_file', input: { path: 'new.txt', content: 'new\n' } };
const READ_PROTECTED: Call = { name: 'read_file', input: { path: '.vscode/tasks.json' } };

const SEQUENCES: readonly [string, readonly Step[], 'done' | 'denied'][] = [
  ['a denied call alone', [[A]], 'denied'],
  ['a denied call, then another one', [[A], [OTHER]], 'denied'],
  ['a denied call, then another one in the same answer', [[A, OTHER]], 'denied'],
  ['a denied call, then the same one allowed', [[A], [A_ALLOWED]], 'done'],
  ['an allowed call, then the same one denied', [[A_ALLOWED], [A]], 'denied'],
  ['two denied calls, then the first one allowed', [[A], [B], [A_ALLOWED]], 'denied'],
  ['two denied calls, then the second one allowed', [[A], [B], [B_ALLOWED]], 'denied'],
  ['two denied calls, then both allowed', [[A], [B], [B_ALLOWED], [A_ALLOWED]], 'done'],
  ['a denied command, then a denied read, then a read', [[A], [OUTSIDE], [READ]], 'denied'],
  ['a place that nothing opens, then another place', [[OUTSIDE], [READ]], 'done'],
  ['a write at a place that nothing opens, then another place', [[HOOK], [FILE]], 'done'],
  ['a write at a place that nothing opens, then a command', [[HOOK], [OTHER]], 'denied'],
  ['two writes at places that nothing opens, then one other place', [[HOOK], [OTHER_HOOK], [FILE]], 'denied'],
  ['a denied command, then a place that nothing opens, then another place', [[A], [HOOK], [FILE]], 'denied'],
  ['a denied command, then the same one allowed and failing', [[FAILS], [FAILS_ALLOWED]], 'done'],
  ['a denied write, then another file written', [[PROTECTED], [FILE]], 'denied'],
  ['a denied write, then the file read', [[PROTECTED], [READ_PROTECTED]], 'denied'],
  ['a denied write, then the same file denied again', [[PROTECTED], [SAME_FILE]], 'denied'],
  ['no denied call', [[OTHER], [FILE]], 'done'],
];

function toScript(steps: readonly Step[]): Script {
  return {
    steps: [
      ...steps.map((calls, turn) => ({ when: { turn }, reply: { calls: [...calls] } })),
      { when: { turn: steps.length }, reply: { text: 'That is all.' } },
    ],
  };
}

test.each(SEQUENCES)('%s: %#', async (_name, steps, outcome) => {
  await using engine = await createTestEngine({ script: toScript(steps), files: { 'README.md': 'Read me.\n' } });
  const session = await engine.klaus.open();
  await session.prompt('do it');
  expect(await session.advance()).toMatchObject({ finished: { outcome } });
});

test('a denied write that a user approves in another call does not affect the outcome', async () => {
  await using engine = await createTestEngine({ script: toScript([[PROTECTED], [SAME_FILE]]) });
  const session = await engine.klaus.open();
  await session.prompt('do it', { onAsk: 'wait' });
  const answers = ['rejected', 'approved'] as const;
  for (const answer of answers) {
    const parked = await session.advance();
    if (parked.state !== 'parked') throw new Error('It did not ask.');
    await engine.klaus.answer(parked.approvals[0]!.approval, answer, { by: 'test' });
  }
  expect(await session.advance()).toMatchObject({ finished: { outcome: 'done' } });
});

test('without a user, the third similar question within a minute asks the agent to end its turn', async () => {
  const steps = ['true a', 'true b', 'true c'].map((line): Step => [command(line, true)]);
  await using engine = await createTestEngine({ script: toScript([...steps, [PROTECTED]]) });
  const session = await engine.klaus.open();
  await session.prompt('go');
  await session.advance();
  const finished = ofType(await Array.fromAsync(session.events()), 'tool.finished');
  expect(finished.map(({ outcome }) => outcome)).toEqual(['denied', 'denied', 'denied', 'denied']);
  expect(finished.map(({ output }) => output.includes('third similar'))).toEqual([false, false, true, false]);
});
