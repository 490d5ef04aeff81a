// Covers apps/cli/instance: every error code of the socket protocol, provoked by a plain script.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { SOCKET_ERRORS } from '../../apps/cli/instance/protocol.ts';
import { runKlaus } from '../fixtures/klaus.ts';
import { pollUntil } from '../fixtures/poll.ts';
import { openInstancePlace } from './open-instance.ts';
import type { Answer, Connection } from './socket-script.ts';

/** The test of the terminal of Claude Code provokes `E_HOOK_TIMEOUT`. */
const seen = new Set<string>(['E_HOOK_TIMEOUT']);

function codeOf(answer: Answer): string | undefined {
  expect(answer.ok).toBe(false);
  expect(answer.result).toBeUndefined();
  expect(answer.error!.message).not.toBe('');
  seen.add(answer.error!.code);
  return answer.error!.code;
}

afterAll(() => {
  expect(Object.keys(SOCKET_ERRORS).filter((code) => !seen.has(code))).toEqual([]);
});

test('requests that are none', async () => {
  await using opened = await openInstancePlace();
  const instance = await opened.open();
  const script = instance.connect();
  for (const line of ['{', '[]', '"ping"', '{"payload":{}}', '{"action":1}'])
    expect(codeOf(await script.line(line))).toBe('E_INVALID_JSON');
  expect(codeOf(await script.ask('stop'))).toBe('E_UNSUPPORTED_ACTION');
  for (const [action, payload] of [
    ['start-agent', undefined],
    ['start-agent', { agentType: 'klaus' }],
    ['start-agent', { agentType: 'klaus', prompt: 'Work.', agentCount: 0 }],
    ['message', undefined],
    ['message', { prompt: 'Work.' }],
    ['status', { waitSeconds: 'long' }],
    ['interrupt', { signal: 'SIGHUP' }],
    ['checkout', []],
  ] as const)
    expect(codeOf(await script.ask(action, payload))).toBe('E_INVALID_PAYLOAD');
  // The connection has survived all of it, and empty lines.
  script.socket.write('\n \n');
  expect(await script.ask('ping')).toMatchObject({ ok: true });
  const largest = JSON.stringify({ action: 'ping' }).padEnd(1_048_576);
  expect(await script.line(largest)).toMatchObject({ ok: true });
  // One character: the rest of the line and its end arrive together.
  expect(codeOf(await script.line(`${largest} `))).toBe('E_REQUEST_TOO_LARGE');
  await once(script.socket, 'close');
  expect(await instance.connect().ask('ping')).toMatchObject({ ok: true });
});

test('sessions and instances that are not meant', async () => {
  await using opened = await openInstancePlace();
  const { place, server } = opened;
  const [instance, other] = [await opened.open(), await opened.open()];
  const script = instance.connect();
  expect(codeOf(await script.ask('message', { sessionId: '01NONE', prompt: 'Work.' }))).toBe('E_SESSION_NOT_FOUND');
  expect(codeOf(await script.ask('checkout'))).toBe('E_SWITCH_TARGET_MISSING');
  expect(codeOf(await script.ask('ping', { instanceId: '01NONE' }))).toBe('E_INSTANCE_NOT_FOUND');
  expect(codeOf(await script.ask('ping', { instanceId: '01' }))).toBe('E_AMBIGUOUS_INSTANCE');
  // An error of another instance is passed on.
  expect(codeOf(await script.ask('checkout', { instanceId: other.id }))).toBe('E_SWITCH_TARGET_MISSING');
  const elsewhere = join(place.workspace, 'below');
  mkdirSync(elsewhere);
  writeFileSync(join(elsewhere, 'a.txt'), 'a\n');
  await runKlaus(['run', '--json', '--cwd', elsewhere, 'Work.'], { place, server });
  const { stdout } = await runKlaus(['sessions', '--json'], { place });
  const { id } = JSON.parse(stdout.split('\n')[0]!) as { id: string };
  expect(codeOf(await script.ask('checkout', { sessionId: id }))).toBe('E_SESSION_PROJECT_MISMATCH');
  expect(codeOf(await script.ask('start-agent', { agentType: 'klaus', prompt: 'x', parentSessionId: id }))).toBe(
    'E_SESSION_PROJECT_MISMATCH',
  );
});

test('agents that do not exist, are not allowed, or are too far below', async () => {
  await using opened = await openInstancePlace();
  const script = (await opened.open()).connect();
  const start = (agentType: string, parentSessionId?: string) =>
    script.ask('start-agent', { agentType, prompt: 'Work.', ...(parentSessionId ? { parentSessionId } : {}) });
  expect(codeOf(await start('unknown'))).toBe('E_AGENT_TYPE_INVALID');
  const { sessionId: orchestrator } = (await start('orchestrator')).result;
  expect(codeOf(await start('reader', orchestrator))).toBe('E_AGENT_TYPE_NOT_ALLOWED');
  expect(codeOf(await start('klaus', orchestrator))).toBe('E_AGENT_TYPE_NOT_ALLOWED');
  let { sessionId } = (await start('programmer', orchestrator)).result;
  const { sessionId: reader } = (await start('reader', sessionId)).result;
  expect(codeOf(await start('programmer', reader))).toBe('E_AGENT_TYPE_NOT_ALLOWED');
  ({ sessionId } = (await start('programmer', sessionId)).result);
  ({ sessionId } = (await start('programmer', sessionId)).result);
  expect(codeOf(await start('programmer', sessionId))).toBe('E_MAX_DEPTH_EXCEEDED');
});

/** Resolves when a checkout is in progress. The protocol has answers only, and no notifications. */
const untilCheckout = (script: Connection): Promise<true> =>
  pollUntil(async () => (await script.ask('status')).result.checkoutInProgress as boolean);

test('runs that do not end, do not run, or whose checkout is in progress', async () => {
  await using opened = await openInstancePlace();
  const instance = await opened.open();
  const [script, second] = [instance.connect(), instance.connect()];
  const { sessionId } = (await script.ask('start-agent', { agentType: 'klaus', prompt: 'hang' })).result;
  expect(codeOf(await script.ask('status', { waitSeconds: 0 }))).toBe('E_WAIT_TIMEOUT');
  expect(codeOf(await script.ask('message', { prompt: 'More.', waitSeconds: 0 }))).toBe('E_WAIT_TIMEOUT');
  const waiting = script.ask('checkout', { sessionId, waitSeconds: 60 });
  await untilCheckout(second);
  expect(codeOf(await second.ask('checkout', { sessionId }))).toBe('E_CHECKOUT_IN_PROGRESS');
  expect(await second.ask('interrupt', { sessionId })).toMatchObject({ ok: true });
  expect(await waiting).toMatchObject({ ok: true, result: { sessionId } });
  expect((await second.ask('status')).result.checkoutInProgress).toBe(false);
  expect(codeOf(await second.ask('interrupt', { sessionId }))).toBe('E_AGENT_NOT_RUNNING');
});

test('an instance that is ended answers what it was asked, and removes its socket', async () => {
  await using opened = await openInstancePlace();
  const instance = await opened.open();
  const script = instance.connect();
  await script.ask('start-agent', { agentType: 'klaus', prompt: 'hang' });
  const waiting = script.ask('checkout', { sessionId: (await script.ask('status')).result.sessionId, waitSeconds: 60 });
  const second = instance.connect();
  await untilCheckout(second);
  instance.running.kill('SIGTERM');
  expect(codeOf(await waiting)).toBe('E_SHUTTING_DOWN');
  expect((await instance.running.ended).code).toBe(0);
  expect(existsSync(instance.socket)).toBe(false);
});

test('other errors of Klaus have their own code', async () => {
  await using opened = await openInstancePlace();
  const script = (await opened.open()).connect();
  const options = { model: 'nowhere/model' };
  expect(codeOf(await script.ask('start-agent', { agentType: 'klaus', prompt: 'x', options }))).toBe('E_MODEL_UNKNOWN');
});
