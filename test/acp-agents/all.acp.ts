// Agents of other makers from the npm registry, in their ACP modes, in the sandbox, against the scripted model server.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import type { Event, Session } from '@klaus/sdk';
import { beforeAll, describe, expect } from 'vitest';
import { eventually, findProcesses } from '../../adapters/sandboxes/sandbox.fixture.ts';
import { fetchPeer, toAgent } from '../../bench/peers/fetch.ts';
import { toSaid } from '../fixtures/acp-agent.ts';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';
import { AGENTS, type AcpAgent } from './agents.ts';

function toScript({ tool, toInput }: AcpAgent): Script {
  return {
    steps: [
      { when: { tools: false }, reply: { text: 'A title' } },
      { when: { after: tool }, reply: { text: 'The command ended.' } },
      {
        when: { user: 'run: (.+)' },
        reply: { text: 'I run it.', calls: [{ name: tool, input: toInput("{{user | match 'run: (.+)'}}") }] },
      },
    ],
    fallback: { text: 'I remember.' },
  };
}

async function createEngine(agent: AcpAgent): Promise<TestEngine> {
  const env = Object.entries(agent.peer.env(''));
  const engine = await createTestEngine({
    script: toScript(agent),
    settings: { 'sandbox.driver': 'bubblewrap' },
    env: Object.fromEntries(env),
  });
  const { place, server } = engine;
  const home = join(place.env['HOME']!, 'agent-home');
  for (const [path, text] of Object.entries(agent.peer.files(server.url))) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const { command } = toAgent(agent.peer);
  const head = [
    `name: ${agent.peer.name}`,
    'description: An agent of another maker.',
    'runner: acp',
    `command: ${JSON.stringify(command)}`,
    `env: [${env.map(([name]) => name).join(', ')}]`,
    `home: ${home}`,
    'capabilities: [file-operations, code-execution, web-access]',
  ];
  mkdirSync(join(place.home, 'agents'), { recursive: true });
  writeFileSync(join(place.home, 'agents', `${agent.peer.name}.md`), `---\n${head.join('\n')}\n---\n`);
  return engine;
}

async function prompt(session: Session, text: string): Promise<Event[]> {
  await session.prompt(text, { onAsk: 'wait' });
  await session.advance();
  return Array.fromAsync(session.events());
}

describe.each(AGENTS.map((agent) => [agent.peer.title, agent] as const))('%s', (_, agent) => {
  beforeAll(() => fetchPeer(agent.peer, (line) => console.warn(line)));

  test('what the gate allows runs, and can be undone; the session continues', async () => {
    await using engine = await createEngine(agent);
    const { workspace } = engine.place;
    const session = await engine.klaus.open({ agent: agent.peer.name });
    const events = await prompt(session, 'run: echo made > made.txt');
    expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
    expect(toSaid(events)).toContain('I run it.');
    expect(toSaid(events)).toContain('The command ended.');
    expect(readFileSync(join(workspace, 'made.txt'), 'utf8')).toBe('made\n');
    const decided = ofType(events, 'gate.decided').filter(({ name }) => name === 'agent_execute');
    expect(decided).toMatchObject([{ verdict: 'allow' }]);
    expect(ofType(events, 'tool.finished').at(-1)).toMatchObject({ name: 'agent_execute', outcome: 'ok' });
    expect(await session.restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({ done: true });
    expect(existsSync(join(workspace, 'made.txt'))).toBe(false);
    await engine.reopen();
    const later = await prompt(await engine.klaus.session(session.id), 'Do you remember?');
    expect(toSaid(later)).toContain('I remember.');
    expect(ofType(later, 'runner.opened').map(({ resumed }) => resumed)).toEqual([false, true]);
    expect(engine.server.requests.at(-1)!.body).toContain('run: echo made');
    expect(outcomeOf(later)!.usage.input + outcomeOf(later)!.usage.cacheRead).toBeGreaterThan(0);
  });

  test('what the gate denies does not run', async () => {
    await using engine = await createEngine(agent);
    const session = await engine.klaus.open({ agent: agent.peer.name });
    const events = await prompt(session, 'run: touch denied.txt; rm -rf /');
    expect(ofType(events, 'gate.decided')).toMatchObject([{ name: 'agent_execute', verdict: 'deny' }]);
    expect(ofType(events, 'tool.finished')).toMatchObject([{ outcome: 'denied' }]);
    expect(existsSync(join(engine.place.workspace, 'denied.txt'))).toBe(false);
  });

  test.for(['rejected', 'approved'] as const)('what the gate asks about waits for the user: %s', async (answer) => {
    await using engine = await createEngine(agent);
    const file = join(engine.place.workspace, 'asked.txt');
    const session = await engine.klaus.open({ agent: agent.peer.name, mode: 'ask' });
    const early: boolean[] = [];
    session.subscribe(0, (event) => {
      if (event.type !== 'approval.asked') return;
      early.push(existsSync(file));
      void engine.klaus.answer(event.approval, answer, { by: 'test' });
    });
    const events = await prompt(session, 'run: echo asked > asked.txt');
    expect(early).toEqual([false]);
    expect(existsSync(file)).toBe(answer === 'approved');
    expect(ofType(events, 'approval.answered')).toMatchObject([{ answer, by: 'test' }]);
  });

  test('a cancel ends it with everything that it started', async () => {
    await using engine = await createEngine(agent);
    const mark = `3600.${process.pid}4`;
    const session = await engine.klaus.open({ agent: agent.peer.name });
    await session.prompt(`run: sleep ${mark}`);
    const ended = session.advance();
    expect(await eventually(() => findProcesses(`sleep\0${mark}`).length > 0)).toBe(true);
    await session.send({ type: 'cancel', by: 'test' });
    await ended;
    expect(outcomeOf(await Array.fromAsync(session.events()))?.outcome).toBe('cancelled');
    expect(await eventually(() => findProcesses(mark).length === 0)).toBe(true);
  });
});
