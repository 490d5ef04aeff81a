import { expect, test } from 'vitest';
import type { Decision } from '../protocol/index.ts';
import { findRemembered, toRemembered, type Question } from './remembered.ts';

const ask = (...rules: string[]): Decision => ({
  verdict: 'ask',
  rule: rules[0]!,
  reason: 'why',
  findings: rules.map((rule) => ({ rule, verdict: 'ask', reason: 'why' })),
});
const question: Question = { agent: 'klaus', tool: 'run_command', command: 'npm test' };
const kept = toRemembered(question, ask('mode'))!;

test('an approval holds for exactly its command', () => {
  expect(findRemembered([kept], question, ask('mode')).kind).toBe('fits');
  const other = findRemembered([kept], { ...question, command: 'npm test -- --watch' }, ask('mode'));
  expect(other).toMatchObject({ kind: 'missed', why: expect.stringContaining('command') });
});

test('it holds for no other agent and no other tool', () => {
  expect(findRemembered([kept], { ...question, agent: 'reviewer' }, ask('mode')).kind).toBe('none');
  expect(findRemembered([kept], { ...question, tool: 'run_tests' }, ask('mode')).kind).toBe('none');
});

test('it answers no rule that did not ask when it was given', () => {
  const found = findRemembered([kept], question, ask('mode', 'shell'));
  expect(found).toMatchObject({ kind: 'missed', why: expect.stringContaining('shell') });
  expect(findRemembered([toRemembered(question, ask('mode', 'shell'))!], question, ask('shell')).kind).toBe('fits');
});

test('for edits it holds for the files that it names', () => {
  const edit: Question = { agent: 'klaus', tool: 'edit_file', paths: ['a.txt', 'b.txt'] };
  const files = toRemembered(edit, ask('mode'))!;
  expect(findRemembered([files], { ...edit, paths: ['b.txt'] }, ask('mode')).kind).toBe('fits');
  expect(findRemembered([files], { ...edit, paths: ['a.txt', 'c.txt'] }, ask('mode'))).toMatchObject({
    kind: 'missed',
    why: expect.stringContaining('c.txt'),
  });
});

test('for a tool of an MCP server it holds at the same server', () => {
  const call: Question = { agent: 'klaus', tool: 'mcp__one__send', server: 'a' };
  const kept = toRemembered(call, ask('mode'))!;
  expect(findRemembered([kept], call, ask('mode')).kind).toBe('fits');
  expect(findRemembered([kept], { ...call, server: 'b' }, ask('mode')).kind).toBe('missed');
  expect(findRemembered([kept], { ...call, tool: 'mcp__one__delete' }, ask('mode')).kind).toBe('none');
  // What was remembered before servers were bound.
  const { server: _, ...before } = call;
  const files = toRemembered({ ...before, paths: [''] }, ask('mode'))!;
  expect(findRemembered([files], call, ask('mode')).kind).toBe('missed');
});

test('what names neither a command nor a file cannot be remembered', () => {
  expect(toRemembered({ agent: 'klaus', tool: 'memory_set' }, ask('mode'))).toBeUndefined();
  expect(toRemembered({ agent: 'klaus', tool: 'edit_file', paths: [] }, ask('mode'))).toBeUndefined();
});

test('it holds only while the scripts that the command runs are the same', () => {
  const script = { path: 's.sh', hash: 'a' };
  const runs: Question = { ...question, command: 'sh s.sh', scripts: [script] };
  const found = (remembered: Question, now: Question) =>
    findRemembered([toRemembered(remembered, ask('mode'))!], now, ask('mode')).kind;
  expect(found(runs, runs)).toBe('fits');
  expect(found(runs, { ...runs, scripts: [{ ...script, hash: 'b' }] })).toBe('missed');
  expect(found(runs, { ...question, command: 'sh s.sh' })).toBe('missed');
  expect(found(runs, { ...runs, scripts: [script, { path: 't.sh', hash: 'c' }] })).toBe('missed');
  // What was remembered before scripts were bound.
  expect(found({ ...question, command: 'sh s.sh' }, runs)).toBe('missed');
});
