// Covers apps/cli/instance, apps/server/handlers: an instance whose sessions are at a server.
import { expect, test } from 'vitest';
import { startServeProcess } from '../fixtures/server.ts';
import { openInstancePlace } from './open-instance.ts';

test('the sessions of an instance are at the server, and continue there after its end', async () => {
  await using opened = await openInstancePlace();
  const { place, server } = opened;
  const serve = await startServeProcess(place, server);
  const env = { KLAUS_SERVER: serve.url, KLAUS_SERVER_TOKEN: 'a-secret-of-the-test' };
  const instance = await opened.open({ env });
  const script = instance.connect();
  const { sessionId: first } = (await script.ask('start-agent', { agentType: 'programmer', prompt: 'Work.' })).result;
  expect((await script.ask('status', { waitSeconds: 60 })).result.sessions).toMatchObject([{ status: 'done' }]);
  const answer = await script.ask('message', { sessionId: first, prompt: 'Again.', waitSeconds: 60 });
  expect(answer.result).toMatchObject({ status: 'done', response: 'Done.' });
  const { sessionId: second } = (await script.ask('start-agent', { agentType: 'reader', prompt: 'hang' })).result;
  expect((await script.ask('checkout', { sessionId: second })).result).toMatchObject({ previousSessionId: first });
  expect((await script.ask('checkout')).result).toMatchObject({ sessionId: first });
  const third = (await script.ask('start-agent', { agentType: 'klaus', prompt: 'hang' })).result.sessionId as string;
  expect((await script.ask('interrupt', { sessionId: third })).result).toMatchObject({ status: 'interrupted' });
  const running = await script.ask('status', { sessionId: second });
  expect(running.result.sessions).toMatchObject([{ status: 'running' }]);
  instance.running.kill('SIGTERM');
  expect((await instance.running.ended).code).toBe(0);
  expect(await serve.client.session({ params: { id: second } })).toMatchObject({ held: true });
  serve.process.kill('SIGKILL');
  await serve.process.ended;
});
