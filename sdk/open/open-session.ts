import { basename, resolve } from 'node:path';
import { createSandbox, findRefusedEnvironments } from '@klaus/adapters/sandboxes';
import { createWorkspace, type Copies, type NewCopy } from '@klaus/adapters/workspace';
import { toSystemPrompt, USE_SKILL, type Engine, type SessionStore } from '@klaus/core/agent';
import { allowsAccess, allowsToolUse, findPrivateHosts, heldBy, isAmount, toGrant } from '@klaus/core/policy';
import {
  isReadOnly,
  KlausError,
  TOOL_SEARCH,
  USE_TOOL,
  type Authority,
  type EventBody,
  type Grant,
  type SessionRunner,
} from '@klaus/core/protocol';
import { openCopy } from '../copies/open-copy.ts';
import { settleCopies } from '../copies/settle-copies.ts';
import type { Configuration } from '../config/configuration.ts';
import { toSandboxOptions } from '../engine/engine-settings.ts';
import { checkStateLinks } from '../engine/state-links.ts';
import { findSessionServers } from '../mcp/session-servers.ts';
import { findFallback } from './find-fallback.ts';
import { findModel } from './find-model.ts';
import { openAs, type OpenAs } from './open-as.ts';
import { toOpeningLimits, withUnpricedLimit } from './opening-limits.ts';
import { resolveSessionGrant } from './resolve-session-grant.ts';
import { checkRunner, toRunnerModel } from './open-runner.ts';
import { narrowLimits, withHosts } from '../grants/opening-grant.ts';
import type { OpenOptions } from '../klaus-options.ts';
import type { PolicyEngines } from '../policy/policy-engines.ts';
import { VERSION } from '../version.ts';

export interface OpenInput {
  engine: Engine;
  configuration: Configuration;
  inForce: PolicyEngines;
  store: SessionStore;
  copies: Copies;
  given: OpenOptions;
  cwd: string;
  /** The user's. */
  env: Readonly<Record<string, string | undefined>>;
  /** Receives messages about slow steps. */
  onNotice: (text: string) => void;
}

/**
 * Checks everything that a session needs before it exists, then writes its first event. Returns its id.
 *
 * @throws KlausError also `copy.refused` with `workingCopy`. The copy is removed if the session cannot be opened.
 */
export async function openSession(input: OpenInput): Promise<string> {
  const { given, engine, copies } = input;
  const id = given.id ?? engine.ids.ulid();
  if (!given.workingCopy) return openIn({ ...input, given: { ...given, id } });
  await settleCopies({ engine, store: input.store, copies });
  const copy = await openCopy({ ...input, session: id });
  try {
    await openIn({ ...input, given: { ...given, id, workspace: copy.workspace } }, copy.record);
    copy.confirm();
    return id;
  } catch (error) {
    await copy.abort();
    throw error;
  }
}

async function openIn(input: OpenInput & { given: { id: string } }, copy?: NewCopy['record']): Promise<string> {
  const { engine, configuration, inForce, cwd, env, onNotice } = input;
  const { values } = configuration;
  const root = resolve(cwd, input.given.workspace ?? values.workspace ?? '.');
  const workspace = await createWorkspace(root, {
    klausHome: engine.home,
    allowAny: input.given.allowAnyWorkspace ?? false,
  });
  checkStateLinks(engine.linkedState?.() ?? [], [workspace.root]);
  const as = await openAs(input, { workspace: workspace.root, env });
  const { given } = as;
  const runner: SessionRunner | undefined = given.wrap ? { name: 'wrap', command: [...given.wrap] } : as.runner;
  const mcp = runner ? undefined : findServers(input, { as, workspace: workspace.root });
  const resolved = resolveSessionGrant({ given, configuration, cwd }, { workspace: workspace.root, engine });
  const { readable, writable } = resolved;
  // The user allows the address of a server with the server.
  const addresses = given.grant === undefined ? (mcp?.addresses ?? []) : [];
  const asked = { ...resolved.grant, authorities: [...resolved.grant.authorities, ...addresses] };
  const privateHosts = given.publicOnly ? values.server.privateHosts : undefined;
  const grant = toPublicGrant(withHosts(asked, { allowNet: given.allowNet, env }), { privateHosts, addresses });
  checkStateLinks(engine.linkedState?.() ?? [], readable);
  if (writable.length > 0 && !values.undo.enabled) {
    throw new KlausError(
      'config',
      `Without undo.enabled, ${writable[0]} cannot be writable outside of the workspace.`,
      {
        hint: 'Enable undo.enabled, or add the folder without :rw.',
      },
    );
  }
  const narrowed = narrowLimits(toOpeningLimits(configuration, given), grant);
  const found =
    given.wrap || runner ? undefined : await findModel(input, { wanted: given.model, grant, limits: narrowed });
  const limits = withUnpricedLimit(narrowed, {
    isPriced: found?.isPriced ?? true,
    given,
    sources: configuration.sources,
  });
  const model =
    (given.wrap && `wrap/${basename(given.wrap[0] ?? '')}`) ?? (runner ? toRunnerModel(runner, as.agent) : found!.name);
  const fallback =
    found && (await findFallback(engine, { names: given.fallback ?? values.fallback ?? [], model, grant, limits }));
  const sandbox = await createSandbox({
    ...toSandboxOptions(configuration),
    workspace: workspace.root,
    home: engine.home,
    choice: given.sandbox ?? values.sandbox.driver,
    ...(values.sandbox.fetch ? { onFetch: onNotice } : {}),
  });
  if (runner) {
    const hasNetwork = (held: Grant): boolean =>
      allowsAccess(held, { kind: 'net', host: '*', port: 443 }, engine.clock.now());
    const requested = as.agent && engine.openAgents(workspace.root).grantOf(as.agent).grant;
    const lacks = requested && !hasNetwork(requested) ? 'definition' : 'grant';
    const lacksNetwork = hasNetwork(grant) ? undefined : lacks;
    checkRunner(runner, { limits, sandbox: sandbox.name, model: given.model, lacksNetwork });
  }
  await inForce.engine(workspace.root);
  const { id } = input.given;
  const chosen = {
    workspace: workspace.root,
    model,
    sandbox: sandbox.name,
    fallback: fallback?.fallback,
    limits,
    mcpServers: mcp?.servers,
  };
  const workers = await findWorkers(engine, workspace.root, given);
  const first = toOpened({ engine, configuration, given, agent: as.agent }, { ...chosen, grant, readable, writable });
  const own = copy && { repository: copy.repository, path: copy.path, branch: copy.branch, base: copy.base };
  const driven = runner ? toDriven(first, { runner, agent: as.agent }) : first;
  const opened = { ...driven, ...workers, workingCopy: own, privateHosts };
  const refused =
    sandbox.name === 'bubblewrap'
      ? findRefusedEnvironments({ workspace: workspace.root, home: engine.home, env, shown: readable })
      : [];
  const notices = [...as.warnings, ...(mcp?.notices ?? []), ...(fallback?.notices ?? []), ...refused].map(
    (text): EventBody => ({
      type: 'notice',
      level: 'warn',
      text,
    }),
  );
  const lease = await engine.store.claim(id);
  if (!lease) throw new KlausError('store.busy', `The new session ${id} is already held.`);
  try {
    for await (const _ of engine.store.read(id)) throw new KlausError('usage', `There is a session ${id} already.`);
    await engine.store.append(
      id,
      [opened, ...notices].map((body) => ({ ...body, at: engine.clock.now() })),
      { lease },
    );
  } finally {
    await lease.release();
  }
  return id;
}

/**
 * Without the addresses of MCP servers in private networks, for a session that reaches public addresses only.
 *
 * @throws KlausError `usage` for another authority that names one.
 */
function toPublicGrant(
  grant: Grant,
  { privateHosts, addresses }: { privateHosts: readonly string[] | undefined; addresses: readonly Authority[] },
): Grant {
  if (!privateHosts) return grant;
  const isPrivate = (one: Authority): boolean => findPrivateHosts([one], privateHosts).length > 0;
  const kept = grant.authorities.filter((one) => !(addresses.includes(one) && isPrivate(one)));
  const wrong = [...kept, ...(grant.delegable ?? [])].find(isPrivate);
  if (wrong?.kind !== 'net') return { ...grant, authorities: kept };
  throw new KlausError('usage', `${wrong.host} is no public address, and your role gives no authority for it.`, {
    hint: 'Name a public host, or let an administrator add it to the setting `server.privateHosts`.',
  });
}

/** The MCP servers of a session that the loop drives, with notices about those that are left out. */
function findServers(
  { engine, env, given }: OpenInput,
  { as: { agent, parent }, workspace }: { as: Pick<OpenAs, 'agent' | 'parent'>; workspace: string },
) {
  const trustsAll = given.trustCommand === true;
  const found = findSessionServers(agent ?? {}, { home: engine.home, workspace, env, trustsAll, parent });
  const notices = found.untrusted.map(
    (name) =>
      `The MCP server ${name} of this project is not used: read .mcp.json, then run \`klaus mcp trust ${name}\`.`,
  );
  return { ...found, notices };
}

/** The fields of a session whose agent another program drives: it has its own tools and its own system prompt. */
function toDriven(
  { deferred: _, ...first }: Opened,
  { runner, agent }: { runner: SessionRunner; agent: OpenAs['agent'] },
): Opened {
  return { ...first, runner, tools: [], system: agent?.systemPrompt ?? '' };
}

type Opened = Extract<EventBody, { type: 'session.opened' }>;

/** The authority that the user gives to the workers, from their definitions. @throws KlausError `usage`, `config`. */
async function findWorkers(
  engine: Engine,
  workspace: string,
  { workers: names = [], trustCommand: trustsAll = false }: Pick<OpenOptions, 'workers' | 'trustCommand'>,
): Promise<Pick<Opened, 'workers'>> {
  if (names.length === 0) return {};
  const agents = engine.openAgents(workspace);
  const found = [...new Set(names)].map(async (name) => {
    const worker = await agents.find(name);
    const { definition, hash } = worker;
    if (definition.runner) {
      throw new KlausError('usage', `${name} cannot be a worker: another program drives it.`, {
        hint: `Start it yourself with --agent ${name}.`,
      });
    }
    const { grant } = agents.grantOf(definition);
    if (!trustsAll) agents.checkTrust(worker, { grant });
    // Its money and turns are a part of the limits of this session.
    return { agent: worker.name, definition: hash, grant: toGrant(heldBy(grant).filter((one) => !isAmount(one))) };
  });
  return { workers: await Promise.all(found) };
}

/** The first event of a session. */
export function toOpened(
  {
    engine,
    configuration,
    given,
    agent,
  }: Pick<OpenInput, 'engine' | 'configuration' | 'given'> & { agent?: OpenAs['agent'] },
  {
    workspace,
    model,
    fallback,
    sandbox,
    limits,
    grant,
    readable,
    writable,
    mcpServers = [],
  }: Pick<Opened, 'workspace' | 'model' | 'fallback' | 'sandbox' | 'limits' | 'mcpServers'> &
    ReturnType<typeof resolveSessionGrant>,
): Opened {
  const { values } = configuration;
  const isAllowed = (path: string, right: 'r' | 'w'): boolean =>
    allowsAccess(grant, { kind: 'fs', path, right }, engine.clock.now());
  const mode = given.mode ?? values.approve;
  // The tools do not change, but the mode does: the user can accept a plan. Agents keep the mode of their definition.
  const isPlanning = mode === 'plan' && agent !== undefined;
  const tools = findUsableTools(engine, { workspace, grant, isPlanning });
  return {
    type: 'session.opened',
    workspace,
    model,
    fallback,
    temperature: given.temperature ?? values.temperature,
    effort: given.effort ?? values.effort,
    mode,
    patchApproval: values.requirePatchApproval,
    sandbox,
    checkpoint: given.checkpoint ?? values.checkpoint,
    limits,
    grant,
    system: toSystemPrompt(tools.deferred, {
      readable: readable.filter((path) => isAllowed(path, 'r')),
      writable: writable.filter((path) => isAllowed(path, 'w')),
      servers: tools.offered.includes(TOOL_SEARCH) ? mcpServers.map(({ name }) => name) : [],
      agent: agent && { ...agent, hasTools: tools.offered.length > 0 },
    }),
    tools: tools.offered,
    ...(tools.deferred.length > 0 ? { deferred: tools.deferred } : {}),
    klaus: VERSION,
    ...(agent ? { agent: agent.name, allowedAgents: agent.allowedAgents ?? [] } : {}),
    reviewers: agent?.reviewers,
    ...(given.chat ? { chat: true } : {}),
    ...((given.isolate ?? values.isolate) ? { isolate: true } : {}),
    instance: given.instance,
    startedBy: given.startedBy,
    ...(values.undo.enabled ? {} : { snapshots: false }),
    ...(readable.length > 0 ? { readable } : {}),
    ...(writable.length > 0 ? { writable } : {}),
    ...(mcpServers.length > 0 ? { mcpServers } : {}),
  };
}

/** The tools whose effects the grant allows, and that only read if the agent plans. Without `tool_search` all of them are offered. */
function findUsableTools(
  engine: Engine,
  { workspace, grant, isPlanning }: Pick<Opened, 'grant' | 'workspace'> & { isPlanning: boolean },
): { offered: string[]; deferred: string[] } {
  const now = engine.clock.now();
  const isUsable = (name: string): boolean => {
    if (name === USE_TOOL) return true;
    if (name === USE_SKILL && !engine.openSkills(workspace).exist()) return false;
    const tool = engine.tools.get(name);
    return allowsToolUse(grant, tool, now) && (!isPlanning || isReadOnly(tool.effects));
  };
  const offered = engine.tools.offered.filter(isUsable);
  const deferred = engine.tools.deferred.filter(isUsable);
  if (offered.includes(TOOL_SEARCH)) return { offered, deferred };
  return { offered: [...offered.filter((name) => name !== USE_TOOL), ...deferred], deferred: [] };
}
