import { join } from 'node:path';
import { realpathSync } from 'node:fs';
import type { Event } from '@klaus/sdk';
import { optional } from '@klaus/sdk/optional';
import { createActions } from './actions.ts';
import type { HostState, InstanceOptions, SessionReading } from './host-state.ts';
import { hostSession, type HostedSession } from './hosted-session.ts';
import { addFact, createFacts, toRoot } from './session-facts.ts';
import { SocketError, withCode } from './socket-error.ts';
import { checkOutside, prepareSocket, toInstancePaths, type InstancePaths } from './socket-path.ts';
import { serveSocket } from './socket-server.ts';

/** A terminal or a script with a current session, whose socket is open until it is disposed. */
export interface InstanceHost extends AsyncDisposable {
  readonly id: string;
  readonly socket: string;
  /** The user has chosen another session. */
  setSession(id: string | undefined): void;
  /** Ids of the sessions that it works on and whose run is in progress. */
  running(): string[];
  /** Ends it with an exit code, which the list of instances keeps. */
  end(exitCode: number | null): Promise<void>;
}

/**
 * Registers an instance and opens its socket.
 *
 * @throws CliError `config` for a path that is too long or a folder without access, `store.busy` if the socket is in use.
 */
export async function openInstance(options: InstanceOptions): Promise<InstanceHost> {
  const { instances, id } = options;
  const root = realpathSync(options.root);
  const project = instances.hashOf(root);
  const paths = toInstancePaths({ run: instances.folder, project, id });
  checkOutside(root, paths.folder);
  await prepareSocket(paths);
  const state = new Host({ ...options, root }, { project, paths });
  const close = await serveSocket(paths.socket, createActions(state));
  try {
    state.register();
  } catch (error) {
    await close();
    throw error;
  }
  let ended: Promise<void> | undefined;
  const end = async (exitCode: number | null): Promise<void> => {
    instances.end(id, exitCode);
    state.unexport();
    state.ending.abort();
    await close();
    for (const hosted of state.hosted.values()) await hosted[Symbol.asyncDispose]();
  };
  return {
    id,
    socket: paths.socket,
    setSession: (session) => state.setSession(session),
    running: () => [...state.hosted.values()].filter(({ status }) => status === 'running').map((hosted) => hosted.id),
    end: (exitCode) => (ended ??= end(exitCode)),
    [Symbol.asyncDispose]: () => (ended ??= end(null)),
  };
}

const VARIABLES = ['KLAUS_PROJECT_HASH', 'KLAUS_INSTANCE_ID', 'KLAUS_SESSION_ID'];

class Host implements HostState {
  readonly options: InstanceOptions;
  readonly paths: InstancePaths;
  readonly project: string;
  readonly startedAt = new Date().toISOString();
  readonly hosted = new Map<string, HostedSession>();
  readonly #opening = new Map<string, Promise<HostedSession>>();
  session: string | undefined;
  isCheckingOut = false;
  readonly ending = new AbortController();
  #former: Record<string, string | undefined> = {};

  constructor(options: InstanceOptions, { project, paths }: { project: string; paths: InstancePaths }) {
    this.options = options;
    this.project = project;
    this.paths = paths;
    this.session = options.session;
  }

  register(): void {
    const { instances, id, root, tty, env } = this.options;
    this.#former = Object.fromEntries(
      VARIABLES.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
    );
    instances.add({ id, root, tty, socket: this.paths.socket, session: this.session ?? null });
    Object.assign(env, { KLAUS_PROJECT_HASH: this.project, KLAUS_INSTANCE_ID: id });
    this.#export();
  }

  setSession(id: string | undefined): void {
    if (id === this.session) return;
    this.session = id;
    this.options.instances.setSession(this.options.id, id ?? null);
    this.#export();
  }

  async host(id: string): Promise<HostedSession> {
    const known = this.#opening.get(id);
    if (known) return known;
    const opening = this.#open(id);
    this.#opening.set(id, opening);
    try {
      const hosted = await opening;
      this.hosted.set(id, hosted);
      return hosted;
    } catch (error) {
      this.#opening.delete(id);
      throw error;
    }
  }

  async read(given: string): Promise<SessionReading> {
    const { client } = this.options;
    const { id, held: isHeld } = await withCode('E_SESSION_NOT_FOUND', () => client.session(given));
    const known = this.hosted.get(id)?.facts;
    if (known) return { id, facts: known, isHeld };
    const facts = createFacts();
    for await (const event of client.events(id)) addFact(facts, event);
    return { id, facts, isHeld };
  }

  async find(given: string): Promise<SessionReading> {
    const reading = await this.read(given);
    const { root } = this.options;
    const { id, facts } = reading;
    if (toRoot(facts) === root) return reading;
    throw new SocketError('E_SESSION_PROJECT_MISMATCH', `Session ${id} works in ${toRoot(facts)}, not in ${root}.`);
  }

  async #open(id: string): Promise<HostedSession> {
    const { client, id: instance } = this.options;
    let opened: Event | undefined;
    for await (const event of client.events(id)) {
      opened = event;
      break;
    }
    // Only one instance writes the file of a session.
    const isOwn = opened?.type === 'session.opened' && opened.instance === instance;
    const logPath = isOwn ? join(this.paths.logs, `${id}.ndjson`) : undefined;
    return hostSession(client, { id, logPath, ending: this.ending.signal });
  }

  /** Restores the variables that were set before. */
  unexport(): void {
    const { env } = this.options;
    for (const name of VARIABLES) delete env[name];
    Object.assign(env, this.#former);
  }

  #export(): void {
    const { env } = this.options;
    if (this.session === undefined) delete env['KLAUS_SESSION_ID'];
    else Object.assign(env, optional({ KLAUS_SESSION_ID: this.session }));
  }
}
