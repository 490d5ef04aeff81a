// Covers apps/claude-code/verification, adapters/tools/git: the chain commit, confirm, check over MCP.
import { describe, expect } from 'vitest';
import { listSessions, runKlaus } from '../fixtures/klaus.ts';
import { test } from '../fixtures/sandboxed.ts';
import { createScene, reviewed } from './mcp.fixture.ts';
import { splitCases } from '../fixtures/split-cases.ts';

describe('commit', () => {
  test('checks, reviews and commits exactly the changes of the folder', async () => {
    await using scene = await createScene();
    scene.write('sum.js', 'export const sum = (a, b) => b + a;\n');
    scene.write('new.js', 'export const one = 1;\n');
    const steps: string[] = [];
    const answer = await scene.call('commit', {}, { onProgress: (message) => steps.push(message) });
    expect(answer).toMatchObject({ ok: true, isError: false, files: ['new.js', 'sum.js'] });
    expect(answer.checks).toMatchObject([{ command: 'make check', passed: true, exitCode: 0 }]);
    expect(scene.git('log', '-1', '--format=%s')).toBe('Change the sum');
    expect(scene.git('rev-parse', 'HEAD^{tree}')).toBe(answer.tree);
    expect(scene.git('status', '--porcelain')).toBe('');
    expect(steps.map((step) => step.split(':')[0])).toEqual(['commit', 'check', 'confirm', 'commit', 'commit']);
    // The sessions are in the log, and wait for no user.
    const { stdout } = await runKlaus(['attention', '--json'], { place: scene.place });
    expect(stdout).toBe('');
    expect((await listSessions(scene.place)).length).toBe(3);
  });

  test('a failed check names the stage check, and nothing is committed or reviewed', { tags: ['long'] }, async () => {
    await using scene = await createScene();
    scene.write('broken', '');
    const answer = await scene.call('commit');
    expect(answer).toMatchObject({ isError: true, stage: 'check', code: 'check.failed' });
    expect(answer.checks).toMatchObject([{ passed: false, summary: expect.stringContaining('sum.js:1: error') }]);
    expect(scene.git('log', '--format=%s')).toBe('Begin');
    expect(scene.model.requests.filter(({ json }) => JSON.stringify(json).includes('Review a change'))).toEqual([]);
  });

  test('a declined review names the stage confirm, with file and line', { tags: ['long'] }, async () => {
    const finding = { file: 'sum.js', line: 1, severity: 'error', text: 'It subtracts.' };
    await using scene = await createScene({
      script: reviewed({ verdict: 'decline', summary: 'It is wrong.', findings: [finding] }),
    });
    scene.write('sum.js', 'export const sum = (a, b) => a - b;\n');
    const answer = await scene.call('commit');
    expect(answer).toMatchObject({ isError: true, stage: 'confirm', code: 'confirm.declined', findings: [finding] });
    expect(scene.git('log', '--format=%s')).toBe('Begin');
    expect(scene.git('status', '--porcelain')).toBe('M sum.js');
  });
});

describe('confirm', () => {
  test('reviews without a commit, and a message of the caller needs no model', { tags: ['long'] }, async () => {
    await using scene = await createScene();
    scene.write('sum.js', 'export const sum = (a, b) => b + a;\n');
    const confirmed = await scene.call('confirm');
    expect(confirmed).toMatchObject({ ok: true, findings: [] });
    expect(scene.git('log', '--format=%s')).toBe('Begin');
    const committed = await scene.call('commit', { message: 'Swap the operands\n\nNo reason.' });
    expect(committed).toMatchObject({ ok: true, tree: confirmed.tree });
    expect(scene.git('log', '-1', '--format=%B')).toBe('Swap the operands\n\nNo reason.');
    expect(JSON.stringify(scene.model.requests)).not.toContain('Write the message of a commit');
  });
});

describe('validate_intent', () => {
  for (const { cases, tags } of splitCases(
    [
      ['ALIGNED', { ok: true }],
      ['DRIFTED', { isError: true, stage: 'intent', code: 'intent.drifted' }],
    ],
    1,
  ))
    test.each(cases)('%s', { tags }, async (verdict, expected) => {
      const reply = { text: JSON.stringify({ verdict, reason: 'A reason.' }) };
      await using scene = await createScene({ script: { steps: [{ when: { user: 'swap them' }, reply }] } });
      scene.write('sum.js', 'export const sum = (a, b) => b + a;\n');
      expect(await scene.call('validate_intent', { request: ['swap them'] })).toMatchObject(expected);
    });

  test('without a key names the reason', async () => {
    await using scene = await createScene({ hasKey: false });
    scene.write('sum.js', 'export {};\n');
    expect(await scene.call('validate_intent', { request: ['x'] })).toMatchObject({ stage: 'intent', code: 'auth' });
  });
});
