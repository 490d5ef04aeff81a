// Covers core/protocol/events, apps/cli/output, apps/server/legacy, apps/acp, apps/terminal, apps/cli/instance, apps/cli/daemon, core/conversation: one log through every door.
import { once } from 'node:events';
import { createKlaus, toCanonical, type Event } from '@klaus/sdk';
import { io } from 'socket.io-client';
import { describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { MAIN, runKlaus, startKlaus, startServer, toEnv, toEvents } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { follow, startServeProcess, untilReleased } from '../fixtures/server.ts';
import { findDaemons, untilGone } from '../roof/roof.ts';
import { connectScript } from '../roof-socket/socket-script.ts';
import { startEditor } from '../acp/editor.ts';
import { KEYS, openEmulator } from '../fixtures/emulator.ts';
import { erasePrompt, FILES, LIMITS, PROMPT, SESSION } from './golden/story.ts';

type Door = (place: TestHome, server: Awaited<ReturnType<typeof startServer>>) => Promise<Event[]>;

/** An editor with one session, which no user watches. */
async function overEditor(
  place: TestHome,
  server: Awaited<ReturnType<typeof startServer>>,
  words: readonly string[] = [],
): Promise<Event[]> {
  await using editor = await startEditor({ place, server, words: ['--on-ask', 'deny', ...words] });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, PROMPT);
  expect(editor.problems).toEqual([]);
  expect(await editor.end()).toBe(0);
  return toEvents((await runKlaus(['show', sessionId, '--json'], { place })).stdout);
}

/** The interactive terminal, in an emulator. There is a user who can answer, so its runs wait for an answer. */
async function overTerminal(...[place, server, words = []]: [...Parameters<Door>, string[]?]): Promise<Event[]> {
  const env = toEnv({ place, server });
  await using terminal = await openEmulator([process.execPath, MAIN, 'chat', ...words], { env, cwd: place.workspace });
  await terminal.shows('mode auto');
  terminal.type(`${PROMPT}${KEYS.enter}`);
  await terminal.shows('The sum adds now.');
  await terminal.hides('Esc cancels');
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
  await using klaus = await createKlaus({ cwd: place.workspace, env });
  const [latest] = await klaus.sessions();
  const events = await Array.fromAsync(klaus.handle(latest!.id).events());
  return events.map(toUnwatched);
}

/** The event as of a run that no user watches. */
function toUnwatched(event: Event): Event {
  if (event.type !== 'run.started') return event;
  expect(event.onAsk).toBe('wait');
  return { ...event, onAsk: 'deny' };
}

/** A script that speaks to the socket of an instance. Its runs wait for an answer too. */
async function overInstance(...[place, server, agentType = 'klaus']: [...Parameters<Door>, string?]): Promise<Event[]> {
  const instance = startKlaus(['instance', '--json'], { place, server });
  await instance.printed('stdout', '\n');
  using script = connectScript((JSON.parse(instance.text.stdout) as { socket: string }).socket);
  const { result } = await script.ask('start-agent', { agentType, prompt: PROMPT });
  expect(await script.ask('status', { waitSeconds: 60 })).toMatchObject({ result: { sessions: [{ status: 'done' }] } });
  instance.kill('SIGTERM');
  expect((await instance.ended).code).toBe(0);
  const { sessionId } = result as { sessionId: string };
  return toEvents((await runKlaus(['show', sessionId, '--json'], { place })).stdout).map(toUnwatched);
}

/** The daemon, which works while no command runs. @param watch Called with the id of the session. */
async function overDaemon(
  ...[place, server, watch, agent = 'klaus']: [...Parameters<Door>, ((session: string) => Promise<void>)?, string?]
): Promise<Event[]> {
  const started = await runKlaus(['start', agent, PROMPT, '--detach'], { place, server });
  expect(started.code, started.stderr).toBe(0);
  try {
    const id = started.stdout.trim();
    await watch?.(id);
    expect((await runKlaus(['wait', id], { place, server })).code).toBe(0);
    return toEvents((await runKlaus(['show', id, '--json'], { place })).stdout).map(toUnwatched);
  } finally {
    const daemons = findDaemons(place.home);
    for (const pid of daemons) process.kill(pid, 'SIGTERM');
    await untilGone(() => findDaemons(place.home));
  }
}

/** A terminal that joins a session of the daemon. */
async function overAttach(...[place, server, agent]: [...Parameters<Door>, string?]): Promise<Event[]> {
  const join = async (id: string): Promise<void> => {
    const env = toEnv({ place, server });
    await using terminal = await openEmulator([process.execPath, MAIN, 'attach', id], { env, cwd: place.workspace });
    await terminal.shows('The sum adds now.');
    await terminal.hides('Esc cancels');
    terminal.type(KEYS.ctrlD);
    expect(await terminal.ended).toBe(0);
  };
  return await overDaemon(place, server, join, agent);
}

/** Every way to run a session. Each returns the complete log. */
const DOORS: Record<string, Door> = {
  'klaus run --json': async (place, server) => {
    const ended = await runKlaus(['run', '--json', PROMPT], { place, server });
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    return toEvents(ended.stdout);
  },
  'klaus chat --json': async (place, server) => {
    const ended = await runKlaus(['chat', '--json'], { place, server, stdin: `${PROMPT}\n` });
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    return toEvents(ended.stdout);
  },
  'klaus acp': (place, server) => overEditor(place, server),
  'the NDJSON socket of an instance': (place, server) => overInstance(place, server),
  'klaus start in the daemon': (place, server) => overDaemon(place, server),
  ...(hasScript
    ? {
        'klaus chat in a terminal': (place, server) => overTerminal(place, server),
        'klaus attach in a terminal': (place, server) => overAttach(place, server),
      }
    : {}),
  'the sdk': async (place, server) => {
    await using klaus = await createKlaus({ cwd: place.workspace, env: toEnv({ place, server }) });
    const session = await klaus.open();
    await session.prompt(PROMPT);
    await session.advance();
    return await Array.fromAsync(session.events());
  },
};

/** The command line of a user elsewhere, who has the address of the server and its token. */
const overCommandLine: Door = async (place, server) => {
  const serve = await startServeProcess(place, server);
  const env = { KLAUS_HOME: `${place.home}-elsewhere`, KLAUS_SERVER_TOKEN: 'a-secret-of-the-test' };
  const ended = await runKlaus(['run', '--json', '--server', serve.url, PROMPT], { place, server, env });
  expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
  serve.process.kill('SIGTERM');
  await serve.process.ended;
  return toEvents(ended.stdout);
};

type Served = Awaited<ReturnType<typeof startServeProcess>>;

/** A door of the server: what a client sees of the session that it begins there, while nothing but the server runs. */
function overServer(begin: (serve: Served) => Promise<string>): Door {
  return async (place, server) => {
    const serve = await startServeProcess(place, server, { words: ['--on-ask', 'deny'] });
    const session = await begin(serve);
    const followed = follow(serve.client, session);
    await followed.until('run.finished');
    // What comes behind the end of a run belongs to the log too.
    await untilReleased(serve.client, session);
    serve.process.kill('SIGTERM');
    await serve.process.ended;
    await followed.stop();
    return followed.events;
  };
}

const overHttp = overServer(async ({ client }) => (await client.openSession({ body: { text: PROMPT } })).session);

const overSocketIo = overServer(async ({ url, headers }) => {
  const socket = io(url, { extraHeaders: headers });
  const { sessionId } = (await socket.emitWithAck('prompt', { message: PROMPT })) as { sessionId: string };
  socket.disconnect();
  return sessionId;
});

const overWebSocket = (agent: string): Door =>
  overServer(async ({ url, headers, client }) => {
    const chat = new WebSocket(`${url}/ws/chat/${agent}`, { headers });
    await once(chat, 'open');
    chat.send(JSON.stringify({ type: 'message', content: PROMPT }));
    // The first word that comes back says that the session is there.
    await new Promise<void>((resolve) => {
      chat.on('message', (data: Buffer) => {
        if (!data.toString('utf8').includes('"info"')) resolve();
      });
    });
    chat.close();
    return (await client.sessions()).sessions[0]!.id;
  });

const SERVED: Record<string, Door> = {
  'klaus run --json at a server': overCommandLine,
  'klaus serve over HTTP and SSE': overHttp,
  'klaus serve over Socket.IO': overSocketIo,
  'klaus serve over a WebSocket chat': overWebSocket('klaus'),
};

describe.each(Object.entries({ ...DOORS, ...SERVED }))('%s', (_, door) => {
  test('gives the golden log', async () => {
    using place = createTestHome(FILES);
    Object.assign(place.env, LIMITS);
    await using server = await startServer(SESSION);
    const events = await door(place, server);
    const canonical = toCanonical(events, new Map([[place.workspace, '/workspace']])).map(erasePrompt);
    await expect(`${JSON.stringify(canonical, undefined, 2)}\n`).toMatchFileSnapshot('golden/session.json');
  });
});

/** Every way to begin a session of a defined agent. */
const DOORS_OF_AGENT: Record<string, Door> = {
  'klaus run --agent': async (place, server) => {
    const ended = await runKlaus(['run', '--json', '--agent', 'fixer', PROMPT], { place, server });
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    return toEvents(ended.stdout);
  },
  'klaus chat AGENT': async (place, server) => {
    const ended = await runKlaus(['chat', 'fixer', '--json'], { place, server, stdin: `${PROMPT}\n` });
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 0, stderr: '' });
    return toEvents(ended.stdout);
  },
  'the NDJSON socket of an instance': (place, server) => overInstance(place, server, 'fixer'),
  'klaus acp --agent': (place, server) => overEditor(place, server, ['--agent', 'fixer']),
  'klaus start AGENT in the daemon': (place, server) => overDaemon(place, server, undefined, 'fixer'),
  ...(hasScript
    ? {
        'klaus chat AGENT in a terminal': (place, server) => overTerminal(place, server, ['fixer']),
        'klaus attach in a terminal, with an agent': (place, server) => overAttach(place, server, 'fixer'),
      }
    : {}),
  'the sdk': async (place, server) => {
    await using klaus = await createKlaus({ cwd: place.workspace, env: toEnv({ place, server }) });
    const session = await klaus.open({ agent: 'fixer' });
    await session.prompt(PROMPT);
    await session.advance();
    return await Array.fromAsync(session.events());
  },
  'klaus serve over HTTP and SSE': overServer(async ({ client }) => {
    return (await client.openSession({ body: { text: PROMPT, agent: 'fixer' } })).session;
  }),
  'klaus serve over a WebSocket chat': overWebSocket('fixer'),
};

const FIXER = `---
name: fixer
description: Fixes sums.
capabilities: [file-operations]
maxTurns: 20
---

You fix sums.
`;

describe.each(Object.entries(DOORS_OF_AGENT))('%s', (_, door) => {
  test('gives the golden log of a defined agent', async () => {
    using place = createTestHome({ ...FILES, '~/.klaus/agents/fixer.md': FIXER });
    Object.assign(place.env, LIMITS);
    await using server = await startServer(SESSION);
    const events = await door(place, server);
    expect(events.find(({ type }) => type === 'session.opened')).toMatchObject({ agent: 'fixer' });
    const canonical = toCanonical(events, new Map([[place.workspace, '/workspace']])).map(erasePrompt);
    await expect(`${JSON.stringify(canonical, undefined, 2)}\n`).toMatchFileSnapshot('golden/agent.json');
  });
});
