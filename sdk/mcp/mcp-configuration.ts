import { resolve } from 'node:path';
import type { InspectedServer, LoginOptions } from '@klaus/adapters/mcp';
import { KlausError, toNearest } from '@klaus/core/protocol';
import { toHome } from '../config/home.ts';
import { loadConfiguration } from '../config/load-configuration.ts';
import { toSandboxOptions } from '../engine/engine-settings.ts';
import { toRealPath } from '../open/outside-folders.ts';
import { openLoginStore } from './login-store.ts';
import {
  isTrusted,
  readEntries,
  toEntryHash,
  toMcpFile,
  hasAnswer,
  storeAnswer,
  trustEntry,
  writeEntry,
  type McpPlace,
  type McpSource,
} from './mcp-files.ts';
import { rememberPrompts } from './mcp-prompts.ts';
import { openPinStore } from './tool-pins.ts';
import { toAddress, toMcpPlace } from './session-servers.ts';

/** A configured MCP server. */
export interface McpEntry {
  name: string;
  from: McpSource;
  /** As it is written. */
  entry: unknown;
  /** False for a server of the project that sessions do not use before the user trusts it. */
  isTrusted: boolean;
  /** True for one that the user does not want to be asked about. */
  isDeclined: boolean;
  /** Names of variables of the user that it gets. */
  variables: readonly string[];
  /** SHA-256 of the entry, to which trust is bound. */
  hash: string;
  /** Host and port that the default grant of a session has for it. Absent for a program. */
  address?: string;
  /** True if the user has accepted descriptions of its tools. */
  isAccepted: boolean;
}

/** What a server says about its tools, for the decision of the user. */
export interface ReviewedServer extends Pick<InspectedServer, 'server' | 'tools' | 'warning'> {
  /** Names of tools that were added or changed since the user accepted them. All tools, if none was accepted. */
  changed: readonly string[];
  /** The changes as a diff. Undefined: the user has accepted none of the server. */
  diff: string | undefined;
  /** Names of tools that the user has marked as ones that only read, and that have not changed since. */
  reading: readonly string[];
  /**
   * Stores that the user has seen these descriptions and accepts them.
   *
   * @param reading Names of tools that only read: they need no approval in mode `edits`, and are repeated when the
   *   connection is lost. Default: `reading`.
   */
  accept(reading?: readonly string[]): void;
}

/** The MCP servers of the user and of a project. */
export interface McpConfiguration {
  list(): Promise<McpEntry[]>;
  /**
   * Adds or replaces a server; one that the user adds to the project is trusted. Returns the path of the file.
   *
   * @throws KlausError `config` for a wrong name or shape.
   */
  add(name: string, entry: unknown, from: McpSource): Promise<string>;
  /** Returns the path of the file. @throws KlausError `usage` for an unknown name. */
  remove(name: string): Promise<string>;
  /**
   * Sessions use the server of the project as long as its entry stays the same.
   *
   * @param hash That of the entry that the user has seen. Default: the entry as it is.
   * @throws KlausError `usage`, `workspace.conflict` for another entry.
   */
  trust(name: string, hash?: string): Promise<McpEntry>;
  /** The user is not asked again about the server of the project, as long as its entry stays the same. @throws KlausError `usage`. */
  decline(name: string): Promise<void>;
  /**
   * Starts or reaches a server and compares the descriptions and schemas of its tools with those that the user has
   * accepted. Sessions leave out a tool that changed, and treat the descriptions of a server without accepted ones as
   * untrusted.
   *
   * @throws KlausError as `test`.
   */
  review(name: string, options: { signal: AbortSignal; startMs?: number }): Promise<ReviewedServer>;
  /** Starts or reaches a server, lists what it has, and calls nothing. @throws KlausError `usage`, `mcp.failed`, `auth`. */
  test(name: string, options: { signal: AbortSignal; startMs?: number }): Promise<InspectedServer>;
  /** Logs in to a server over HTTP. @throws KlausError `usage`, `auth`, `timeout`, `cancelled`. */
  logIn(name: string, options: Pick<LoginOptions, 'signal' | 'onUrl'>): Promise<void>;
  /** Whether there is a login for a server. Undefined for a program. @throws KlausError `usage`, `config`. */
  isLoggedIn(name: string): Promise<boolean | undefined>;
}

interface McpConfigurationOptions {
  /** Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Folder of the project. Default: the current one. */
  cwd?: string;
  /** State folder. Default: `KLAUS_HOME`, else `~/.klaus`. */
  home?: string;
  /** Settings that override all other sources, by key. Default: none. */
  settings?: Readonly<Record<string, unknown>>;
}

export function openMcpConfiguration(options: McpConfigurationOptions = {}): McpConfiguration {
  const env = options.env ?? process.env;
  const cwd = toRealPath(resolve(options.cwd ?? process.cwd()));
  const home = toHome(env, cwd, options.home);
  const place = toMcpPlace(home, cwd);
  const load = () => import('@klaus/adapters/mcp');
  /** A server that may be started. */
  const find = async (name: string) => {
    const found = findEntry(place, name);
    if (found.from === 'project' && !isTrusted(place, name, found.entry)) {
      throw new KlausError('usage', `You have not trusted the MCP server ${name} of this project.`, {
        hint: `Read .mcp.json, then run \`klaus mcp trust ${name}\`.`,
      });
    }
    const adapter = await load();
    return { adapter, entry: found.entry, server: adapter.toMcpServer(name, found.entry, env) };
  };
  const describe = (found: Entry, findVariables: (entry: unknown) => string[]): McpEntry => ({
    ...toMcpEntry(found, { place, env }),
    variables: findVariables(found.entry),
  });
  const openLogin = (name: string, { url }: { url: string }) => openLoginStore({ home, env }, { name, url });
  const test = async (name: string, { signal, startMs }: { signal: AbortSignal; startMs?: number }) => {
    const { adapter, server, entry } = await find(name);
    const configuration = await loadConfiguration({ env, home, cwd, settings: options.settings });
    const { createSandbox } = await import('@klaus/adapters/sandboxes');
    const { createSecretSource } = await import('@klaus/adapters/workspace');
    const sandbox = await createSandbox({
      ...toSandboxOptions(configuration),
      ...{ workspace: cwd, home, env },
      masks: () => createSecretSource(cwd, { patterns: configuration.values.secrets.files }).files(),
      choice: configuration.values.sandbox.driver,
      ...(configuration.values.sandbox.fetch ? { onFetch: () => {} } : {}),
    });
    const store = server.kind === 'http' ? openLogin(name, server) : undefined;
    const isLoggedIn = (await store?.read()) !== undefined;
    const inspected = await adapter.inspectServer({
      ...{ name, server, workspace: cwd, sandbox, signal },
      startMs,
      store: isLoggedIn ? store : undefined,
    });
    rememberPrompts(home, toEntryHash(entry), inspected.prompts);
    return inspected;
  };
  return {
    async list() {
      const { findVariables } = await load();
      return listEntries(place).map((found) => describe(found, findVariables));
    },
    async add(name, entry, from) {
      const { toMcpServer, findVariables } = await load();
      // The variables may be set later.
      const all = Object.fromEntries(findVariables(entry).map((variable) => [variable, 'http://any']));
      toMcpServer(name, entry, { ...all, ...env });
      writeEntry(place, from, [name, entry]);
      if (from === 'project') trustEntry(place, name, entry);
      return toMcpFile(place, from);
    },
    async remove(name) {
      const { from } = findEntry(place, name);
      writeEntry(place, from, [name, undefined]);
      return toMcpFile(place, from);
    },
    async trust(name, hash) {
      const { findVariables } = await load();
      const found = findEntry(place, name);
      const described = describe(found, findVariables);
      if (hash !== undefined && hash !== described.hash) throw toChanged(name);
      if (found.from === 'project') trustEntry(place, name, found.entry);
      return { ...described, isTrusted: true };
    },
    decline: async (name) => storeAnswer('declined', place, [name, findEntry(place, name).entry]),
    test,
    async review(name, options) {
      const { server, tools, warning, pinned } = await test(name, options);
      const { findChanged, toPinDiff } = await load();
      const store = openPinStore(place, { name, from: findEntry(place, name).from });
      const known = store.read();
      const changed = findChanged(known ?? {}, pinned);
      const diff = known && toPinDiff(known, pinned, changed);
      const reading = store.readReading().filter((tool) => Object.hasOwn(pinned, tool) && !changed.includes(tool));
      const accept = (marked: readonly string[] = reading): void => store.write(pinned, marked);
      return { server, tools, warning, changed, diff, reading, accept };
    },
    async logIn(name, { signal, onUrl }) {
      const { adapter, server } = await find(name);
      if (server.kind !== 'http')
        throw new KlausError('usage', `The MCP server ${name} is a program: it needs no login.`);
      const { url } = server;
      await adapter.logInToServer({ name, url, store: openLogin(name, server), onUrl, signal });
    },
    async isLoggedIn(name) {
      const { toMcpServer, hasTokens } = await load();
      const server = toMcpServer(name, findEntry(place, name).entry, env);
      if (server.kind !== 'http') return undefined;
      const stored = await openLogin(name, server).read();
      return stored !== undefined && hasTokens(stored);
    },
  };
}

function toChanged(name: string): KlausError {
  return new KlausError('workspace.conflict', `The entry of the MCP server ${name} has changed.`, {
    hint: 'Read it again before you trust it.',
  });
}

type Entry = Pick<McpEntry, 'name' | 'from' | 'entry' | 'isTrusted'>;

/** An entry with what is known of it without the client of the protocol. */
function toMcpEntry(
  found: Entry,
  { place, env }: { place: McpPlace; env: NonNullable<McpConfigurationOptions['env']> },
): Omit<McpEntry, 'variables'> {
  const { name, from, entry } = found;
  const [at] = toAddress(name, entry, env);
  return {
    ...{ ...found, hash: toEntryHash(entry), isDeclined: hasAnswer('declined', place, [name, entry]) },
    ...(at && { address: `${at.host}:${at.port}` }),
    isAccepted: openPinStore(place, { name, from }).read() !== undefined,
  };
}

/** Those of the project first: of two with one name, sessions use them. */
function listEntries(place: McpPlace): Entry[] {
  return (['project', 'user'] as const).flatMap((from) =>
    Object.entries(readEntries(place, from)).map(([name, entry]) => ({
      ...{ name, from, entry },
      isTrusted: from === 'user' || isTrusted(place, name, entry),
    })),
  );
}

/** @throws KlausError `usage` for an unknown name. */
function findEntry(place: McpPlace, name: string): Entry {
  const all = listEntries(place);
  const found = all.find((each) => each.name === name);
  if (found) return found;
  const near = toNearest(
    name,
    all.map((each) => each.name),
  );
  throw new KlausError('usage', `There is no MCP server ${name}.`, {
    hint: near === undefined ? 'klaus mcp list lists them.' : `Did you mean ${near}?`,
  });
}
