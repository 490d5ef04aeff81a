// Covers core/policy/grant, sdk/grants: grants of a session.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createKlaus, defineTool, type Explanation, type GrantRecord, type Script, type Tool } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestEngine, ofType, outcomeOf } from '../fixtures/engine.ts';
import { listSessions, runKlaus, startServer } from '../fixtures/klaus.ts';
import { pollUntil } from '../fixtures/poll.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const callThenEnd = (...calls: { name: string; input: Record<string, string> }[]): Script => ({
  steps: calls.map((call, turn) => ({ when: { turn }, reply: { calls: [call] } })),
  fallback: { text: 'That is all.' },
});
const RUN = { name: 'run_command', input: { command: 'echo ran >> ran.log' } };

/** A tool that is at work until it is stopped. */
const waitTool: Tool = defineTool({
  name: 'wait',
  description: 'test',
  input: z.unknown(),
  effects: ['execute'],
  resume: 'tell',
  run: (_input, context) =>
    new Promise((_resolve, reject) => {
      context.signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
      context.progress('at work');
    }),
});

describe('a grant given at the opening', () => {
  test('is in the first record and is enforced: other effects do not happen', async () => {
    await using engine = await createTestEngine({ script: callThenEnd(RUN) });
    const session = await engine.klaus.open({ grant: ['file-operations', 'exec(npm test)'] });
    await session.prompt('go');
    await session.advance();
    const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
    expect(opened!.grant.authorities).toContainEqual({ kind: 'exec', argv: ['npm', 'test'] });
    expect(ofType(await Array.fromAsync(session.events()), 'gate.decided')[0]).toMatchObject({
      verdict: 'ask',
      rule: 'grant',
    });
    expect(outcomeOf(await Array.fromAsync(session.events()))).toMatchObject({ outcome: 'denied' });
    expect(existsSync(join(engine.place.workspace, 'ran.log'))).toBe(false);
  });

  test('that has expired is none', async () => {
    await using engine = await createTestEngine({ script: callThenEnd(RUN) });
    const session = await engine.klaus.open({ grant: 'file-operations code-execution expires 2026-01-01' });
    await session.prompt('go');
    await session.advance();
    expect(ofType(await Array.fromAsync(session.events()), 'gate.decided')[0]).toMatchObject({
      verdict: 'deny',
      rule: 'grant',
    });
  });

  test('that expires while a question is open is not used by its answer', async () => {
    await using engine = await createTestEngine({ script: callThenEnd(RUN), settings: { approve: 'ask' } });
    const end = Date.now() + 1_500;
    const grant = `fs(., rwx) exec until ${new Date(end).toISOString()} tool(*)`;
    const session = await engine.klaus.open({ grant });
    await session.prompt('go', { onAsk: 'wait' });
    const parked = await session.advance();
    if (parked.state !== 'parked') throw new Error('nothing was asked');
    await pollUntil(() => Date.now() > end);
    await engine.klaus.answer(parked.approvals[0]!.approval, 'approved');
    const again = await session.advance();
    expect(again.state === 'parked' && again.approvals[0]?.approval).not.toBe(parked.approvals[0]!.approval);
    const decided = ofType(await Array.fromAsync(session.events()), 'gate.decided');
    expect(decided.at(-1)).toMatchObject({ rule: 'grant' });
    expect(existsSync(join(engine.place.workspace, 'ran.log'))).toBe(false);
  });

  test('narrows limits and the choice of the model', async () => {
    await using engine = await createTestEngine({ script: { steps: [] } });
    const session = await engine.klaus.open({ grant: 'file-operations turns(3)', limits: { turns: 9 } });
    expect(ofType(await Array.fromAsync(session.events()), 'session.opened')[0]!.limits.turns).toBe(3);
    await expect(engine.klaus.open({ grant: 'file-operations model(openai/*)' })).rejects.toMatchObject({
      code: 'usage',
    });
    await expect(
      engine.klaus.open({ grant: { authorities: [], delegable: [{ kind: 'exec' }] } }),
    ).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('revocation', () => {
  test('from another process stops the running tool and applies to the next call, and the run continues', async () => {
    await using engine = await createTestEngine({
      tools: [waitTool],
      script: callThenEnd({ name: 'wait', input: {} }, RUN),
    });
    const session = await engine.klaus.open();
    await session.prompt('go');
    const running = session.advance();
    await new Promise<void>((resolve) => {
      session.onLive((live) => {
        if (live.type === 'tool.progress') resolve();
      });
    });
    await using other = await createKlaus({
      home: engine.place.home,
      cwd: engine.place.workspace,
      env: engine.place.env,
    });
    const revoked = await other.handle(session.id).revoke(['exec'], { by: 'test', reason: 'enough' });
    expect(revoked).toMatchObject({ applied: false, text: `fs(${engine.place.workspace}, rwx) · tool(*)` });
    await running;
    const events = await Array.fromAsync(session.events());
    expect(ofType(events, 'tool.finished').map(({ name, outcome }) => [name, outcome])).toEqual([
      ['wait', 'cancelled'],
      ['run_command', 'denied'],
    ]);
    expect(ofType(events, 'grant.changed')).toMatchObject([{ by: 'test', reason: 'enough' }]);
    expect(ofType(events, 'turn.finished').length).toBeGreaterThan(2);
    expect(existsSync(join(engine.place.workspace, 'ran.log'))).toBe(false);
    // Resuming is with what is left.
    await session.prompt('again');
    await session.advance();
    expect(ofType(await Array.fromAsync(session.events()), 'session.opened')[0]!.grant.authorities).toContainEqual({
      kind: 'exec',
    });
    expect((await session.grants()).at(-1)!.text).toBe(revoked.text);
  });

  test('of a session that rests is applied at once and begins no run', async () => {
    await using engine = await createTestEngine({ script: callThenEnd(RUN) });
    const session = await engine.klaus.open();
    await session.prompt('not yet');
    expect(await session.revoke()).toMatchObject({ applied: true, text: 'nothing' });
    expect((await Array.fromAsync(session.events())).map(({ type }) => type)).toEqual([
      'session.opened',
      'grant.changed',
    ]);
    await session.advance();
    expect(ofType(await Array.fromAsync(session.events()), 'gate.decided')[0]).toMatchObject({
      verdict: 'deny',
      rule: 'grant',
    });
    await expect(session.revoke(['net'])).rejects.toMatchObject({ code: 'usage' });
  });

  test('of what cannot be left out changes nothing; one tool of all can be', async () => {
    await using engine = await createTestEngine({ script: { steps: [] } });
    const session = await engine.klaus.open();
    await expect(session.revoke(['fs(src, w)'])).rejects.toMatchObject({ code: 'usage' });
    await expect(session.revoke(['net'])).rejects.toMatchObject({ code: 'usage' });
    expect(await session.grants()).toHaveLength(1);
    await session.revoke(['tool(run_command)']);
    const { text } = (await session.grants()).at(-1)!;
    expect(text).toContain('tool(read_file)');
    expect(text).not.toContain('run_command');
  });
});

describe('klaus grants', () => {
  test('shows, revokes and explains; the hashes are those of the chain', { tags: ['long'] }, async () => {
    using place = createTestHome({ 'a.txt': 'a\n' });
    await using server = await startServer({ steps: [], fallback: { text: 'Done.' } });
    const run = (...words: string[]) => runKlaus(words, { place, server });
    const opened = await run('run', '--json', '--grant', 'fs(., rw) · exec(npm) · tool(*)', 'hello');
    expect(opened.code).toBe(0);
    const id = (await listSessions(place))[0]!.id;
    expect((await run('grants', 'revoke', id, 'exec', 'fs(/, w)', '--note', 'no shell')).stdout).toContain(
      `fs(${place.workspace}, r) · tool(*)\n`,
    );
    const shown = await run('grants', 'show', id);
    expect(shown.stdout).toMatch(/^fs\(.*, r\) · tool\(\*\)\n/);
    expect(shown.stdout).toMatch(/\bcli: no shell$/m);
    const { history } = JSON.parse((await run('grants', 'show', id, '--json')).stdout) as { history: GrantRecord[] };
    expect(history.map(({ seq }) => seq)[0]).toBe(1);
    expect(history.at(-1)).toMatchObject({ by: 'cli', reason: 'no shell' });
    const lines = (await run('show', id, '--json')).stdout.trimEnd().split('\n');
    const next = JSON.parse(lines[1]!) as { prev: string };
    expect(history[0]!.hash).toBe(next.prev);
    expect(history[0]!.hash).toBe(createHash('sha256').update(lines[0]!).digest('hex'));

    const denied = await run('grants', 'explain', 'write_file a.txt', '--session', id, '--json');
    expect(denied.code).toBe(6);
    const found = JSON.parse(denied.stdout) as Explanation;
    expect(found.decision.rule).toBe('grant');
    expect(found.wouldCover).toBe(`fs(${place.workspace}/a.txt, w)`);
    expect((await run('grants', 'explain', 'write_file a.txt')).code).toBe(0);
    expect((await run('grants', 'explain', 'run_command npm test', '--grant', 'exec(npm) tool(*)')).code).toBe(0);
    // Nothing was touched, and no session came of it.
    expect(readdirSync(place.workspace).toSorted()).toEqual(['.git', 'a.txt']);
    expect(await listSessions(place)).toHaveLength(1);
  });

  test('wrong words are refused with a way out', async () => {
    using place = createTestHome();
    const wrong = await runKlaus(['run', '--grant', 'file-operatoins', 'hello'], { place });
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('file-operations');
    const fixed = await runKlaus(['run', '--continue', '--grant', 'exec', 'hello'], { place });
    expect(fixed).toMatchObject({ code: 2, stderr: expect.stringContaining('--grant') as string });
  });
});
