import { RequestError, type ClientCapabilities, type PromptResponse } from '@agentclientprotocol/sdk/unstable';
import type { EditorBuffers } from '@klaus/sdk';
import type { SessionClient } from '@klaus/sdk/client';
import type { AcpOptions, SessionDefaults } from './acp-options.ts';
import type { EditorPeer } from './editor-peer.ts';
import { toEditorPath } from '../session/editor-folder.ts';
import { EditorSession, type PromptOptions } from '../session/editor-session.ts';

/** The code of an error about a session that does not exist. */
const NOT_FOUND = -32_002;

/** The sessions of one connection, and the client that is opened with the first of them. */
export class EditorSessions {
  readonly #options: AcpOptions;
  readonly #peer: EditorPeer;
  readonly #signal: AbortSignal;
  readonly #sessions = new Map<string, EditorSession>();
  /** Prompts that have not reached their session. */
  readonly #starts = new Set<{ id: string; isCancelled: boolean }>();
  #client: Promise<SessionClient> | undefined;
  /** The folder whose settings the client has. */
  #cwd: string | undefined;
  /** True: keys may have changed since the client was opened. */
  #isExpired = false;
  #renewal: Promise<void> | undefined;
  capabilities: ClientCapabilities = {};

  /** @param signal Aborts when the connection ends. */
  constructor(options: AcpOptions, { peer, signal }: { peer: EditorPeer; signal: AbortSignal }) {
    this.#options = options;
    this.#peer = peer;
    this.#signal = signal;
  }

  get defaults(): SessionDefaults {
    return this.#options.defaults;
  }

  get isRemote(): boolean {
    return this.#options.isRemote;
  }

  /** The folder whose settings apply, also before the client is open. */
  get cwd(): string {
    return this.#cwd ?? process.cwd();
  }

  /** The next request reads the keys again, unless a session is at work then. */
  expire(): void {
    this.#isExpired = true;
  }

  /** @param cwd Absolute path, whose settings apply if no client is open yet. */
  async client(cwd?: string): Promise<SessionClient> {
    await this.#renew();
    return this.#open(cwd);
  }

  async #open(cwd: string | undefined): Promise<SessionClient> {
    this.#cwd ??= cwd;
    this.#client ??= this.#options.open({ cwd: this.#cwd, buffers: (session) => this.#toBuffers(session) });
    try {
      return await this.#client;
    } catch (error) {
      // The next request tries again, for example after the user has corrected a setting.
      this.#client = undefined;
      this.#cwd = undefined;
      throw error;
    }
  }

  /** Opens the client and its sessions again, if keys may have changed. */
  async #renew(): Promise<void> {
    if (this.#isExpired && this.#renewal === undefined) {
      this.#renewal = this.#reopen().finally(() => {
        this.#renewal = undefined;
      });
    }
    await this.#renewal;
  }

  async #reopen(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    if (sessions.some((session) => session.isWorking)) return;
    this.#isExpired = false;
    await Promise.all(sessions.map((session) => session.close({ isCancelled: false })));
    const former = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    await former?.[Symbol.asyncDispose]();
    for (const { view, cwd } of sessions) {
      try {
        await this.#follow(view.session, { cwd, isReplay: false });
      } catch (error) {
        // The next request tries again, unless another client has deleted the session.
        if (!isUnknown(error)) this.#isExpired = true;
        else this.#sessions.delete(view.session);
      }
    }
  }

  /** Sends a prompt to a session. @throws RequestError -32002, also for a session that another client has deleted. */
  async prompt(id: string, options: PromptOptions): Promise<PromptResponse> {
    this.get(id);
    const start = { id, isCancelled: false };
    this.#starts.add(start);
    try {
      await this.check(id);
    } finally {
      this.#starts.delete(start);
    }
    if (start.isCancelled || options.signal.aborted) return { stopReason: 'cancelled' };
    return this.get(id).prompt(options);
  }

  /** Stops the work of a session, and prompts that have not reached it. Does nothing for an unknown session. */
  async cancel(id: string): Promise<void> {
    for (const start of this.#starts) if (start.id === id) start.isCancelled = true;
    await this.#sessions.get(id)?.cancel();
  }

  /** @throws RequestError -32002 for a session that this editor has not opened. */
  get(id: string): EditorSession {
    const session = this.#sessions.get(id);
    if (session) return session;
    throw RequestError.sessionNotFound(id);
  }

  has(id: string): boolean {
    return this.#sessions.has(id);
  }

  /** @throws RequestError -32002 for a session that does not exist. */
  async check(id: string, cwd?: string): Promise<SessionClient> {
    const client = await this.client(cwd);
    const found = await client.session(id).catch((error: unknown) => {
      if (isUnknown(error)) return undefined;
      throw error;
    });
    // A client also takes the beginning of an id.
    if (found?.id !== id) throw RequestError.sessionNotFound(id);
    return client;
  }

  /** Follows a session. @param options.notices For the user, after the response. */
  async attach(
    id: string,
    options: { cwd: string; isReplay: boolean; notices: readonly string[] },
  ): Promise<EditorSession> {
    await this.client();
    await this.#sessions.get(id)?.close({ isCancelled: false });
    const session = await this.#follow(id, options);
    // A replay ends with the response. In all other cases the editor learns the id with the response.
    if (options.isReplay) session.introduce(options.notices);
    else setImmediate(() => session.introduce(options.notices));
    return session;
  }

  async #follow(id: string, { cwd, isReplay }: { cwd: string; isReplay: boolean }): Promise<EditorSession> {
    const { defaults, log } = this.#options;
    const session = await EditorSession.open(
      {
        client: await this.#open(cwd),
        id,
        cwd,
        onAsk: defaults.onAsk,
        waitForModelMs: defaults.waitForModelMs,
        capabilities: this.capabilities,
        peer: this.#peer,
        isClosed: () => this.#signal.aborted,
        log,
      },
      { isReplay },
    );
    this.#sessions.set(id, session);
    return session;
  }

  async detach(id: string): Promise<void> {
    const session = this.get(id);
    this.#sessions.delete(id);
    await session.end();
    await session.close({ isCancelled: true });
  }

  /**
   * Stops a run of this editor in the session and deletes it. Does nothing for one that does not exist.
   *
   * @throws KlausError `store.busy` while another process works on it.
   */
  async delete(id: string): Promise<void> {
    const client = await this.check(id).catch((error: unknown) => {
      if (error instanceof RequestError && error.code === NOT_FOUND) return undefined;
      throw error;
    });
    if (!client) return;
    const cwd = this.#sessions.get(id)?.cwd;
    if (cwd !== undefined) await this.detach(id);
    try {
      await client.delete(id);
    } catch (error) {
      // It still exists, and the editor still shows it.
      if (cwd !== undefined) await this.#follow(id, { cwd, isReplay: false });
      throw error;
    }
  }

  /** Ends all runs of this machine. Those of a server continue there. */
  async close(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    const isCancelled = client?.server === undefined;
    await Promise.all([...this.#sessions.values()].map((session) => session.close({ isCancelled })));
    await client?.[Symbol.asyncDispose]();
  }

  /** The text of open files, for a session or one that it started. */
  #toBuffers(id: string): EditorBuffers | undefined {
    const sessions = [...this.#sessions.values()];
    const session = this.#sessions.get(id) ?? sessions.find(({ view }) => view.children.has(id));
    const { readTextFile = false, writeTextFile = false } = this.capabilities.fs ?? {};
    if (!session || this.#signal.aborted || (!readTextFile && !writeTextFile)) return undefined;
    const sessionId = session.view.session;
    const place = { workspace: session.view.workspace, folder: session.folder };
    return {
      read: async (path) =>
        readTextFile ? this.#peer.readFile({ sessionId, path: toEditorPath(path, place) }) : undefined,
      written: async (path, content) => {
        // The file has the text already: this only updates what the editor shows.
        if (writeTextFile) await this.#peer.writeFile({ sessionId, path: toEditorPath(path, place), content });
      },
    };
  }
}

/** True for the error about a session that does not exist. */
function isUnknown(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'usage';
}

/** What a request names that is not supported, for the user. */
export function toUnsupported(given: {
  mcpServers?: readonly { name: string }[];
  additionalDirectories?: readonly string[];
}): string[] {
  const { mcpServers = [], additionalDirectories = [] } = given;
  const names = mcpServers.map(({ name }) => name).join(', ');
  return [
    ...(names === '' ? [] : [`Klaus does not use the MCP servers of the editor (${names}).`]),
    ...(additionalDirectories.length === 0
      ? []
      : [
          `Klaus does not use the additional folders of the editor (${additionalDirectories.join(', ')}). Set \`KLAUS_SANDBOX_FOLDERS\`.`,
        ]),
  ];
}
