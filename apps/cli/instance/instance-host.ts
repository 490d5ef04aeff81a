import { join } from 'node:path';
import { realpathSync } from 'node:fs';
import { optional } from '@klaus/sdk/optional';
import { createActions } from './actions.ts';
import type { HostState, InstanceOptions } from './host-state.ts';
import { hostSession, type HostedSession } from './hosted-session.ts';
import { addFact, createFacts, toRoot, type SessionFacts } from './session-facts.ts';
import { SocketError, withCode } from './socket-error.ts';
import { checkOutside, prepareSocket, toInstancePaths, type InstancePaths } from './socket-path.ts';
import { serveSocket } from './socket-server.ts';

/** A terminal or a script with a current session, whose socket is open until it is disposed. */
export interface InstanceHost extends AsyncDisposable {
  readonly id: string;
  readonly socket: string;
  /** The user has chosen another session. */
  setSession(id: string | undefined): void;
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
  state.register();
  let ended: Promise<void> | undefined;
  const end = (exitCode: number | null): Promise<void> =>
    (ended ??= (async () => {
      instances.end(id, exitCode);
      state.ending.abort();
      await close();
      for (const hosted of state.hosted.values()) await hosted[Symbol.asyncDispose]();
    })());
  return {
    id,
    socket: paths.socket,
    setSession: (session) => state.setSession(session),
    end,
    [Symbol.asyncDispose]: () => end(null),
  };
}

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

  constructor(options: InstanceOptions, { project, paths }: { project: string; paths: InstancePaths }) {
    this.options = options;
    this.project = project;
    this.paths = paths;
    this.session = options.session;
  }

  register(): void {
    const { instances, id, root, tty, env } = this.options;
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
    const given = { id, logPath: join(this.paths.logs, `${id}.ndjson`), ending: this.ending.signal };
    const opening = hostSession(this.options.client, given);
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

  async facts(given: string): Promise<{ id: string; facts: SessionFacts; isHeld: boolean }> {
    const { client, root } = this.options;
    const { id, held: isHeld } = await withCode('E_SESSION_NOT_FOUND', () => client.session(given));
    const facts = this.hosted.get(id)?.facts ?? createFacts();
    if (!this.hosted.has(id)) for await (const event of client.events(id)) addFact(facts, event);
    if (toRoot(facts) !== root)
      throw new SocketError('E_SESSION_PROJECT_MISMATCH', `Session ${id} works in ${toRoot(facts)}, not in ${root}.`);
    return { id, facts, isHeld };
  }

  #export(): void {
    const { env } = this.options;
    if (this.session === undefined) delete env['KLAUS_SESSION_ID'];
    else Object.assign(env, optional({ KLAUS_SESSION_ID: this.session }));
  }
}
