import { readContextInfo } from '../budget/context-info.ts';
import type { Intent, Tool, ToolContext } from '../ports/tool.ts';
import { isReadOnly, KlausError, optional } from '../../protocol/index.ts';
import {
  allowsToolUse,
  createSecretScanner,
  heldBy,
  isOfAnyHost,
  liveAt,
  shorten,
  type HostRule,
  type Redactor,
  toFingerprint,
  toHostRules,
  toPublicRules,
} from '../../policy/index.ts';
import type { Ids } from '../ports/ids.ts';
import { toCommandView } from './gate-context.ts';
import {
  bindChannel,
  findCommandSource,
  note,
  toNotedClient,
  toNotedProxy,
  type CallChannel,
} from '../channel/call-channel.ts';
import { createPathFinder } from '../folders/find-path.ts';
import { createChildren } from '../children/children.ts';
import { createMemory } from '../context/memory.ts';
import { createProviderSearch } from '../model/provider-search.ts';
import { openToolFormatter } from '../formatting/session-formatter.ts';
import { createRedactedBlob } from '../redaction/redacted-blob.ts';
import { openedOf } from '../state/state.ts';
import { searchTools } from './search-tools.ts';
import { openSessionTools, toToolsNotice } from './session-tools.ts';
import { toSpec } from './tool-registry.ts';
import { createToolProcesses } from '../processes/tool-processes.ts';
import type { Engine } from '../loop/engine.ts';
import type { Work } from '../loop/work.ts';

/** The context of a call. `call` is its id in progress events. */
export async function createToolContext(work: Work, call: string): Promise<ToolContext> {
  const { engine, redactor } = work;
  const workspace = await work.workspace();
  const { readable = [] } = toCommandView(work);
  let offset = 0;
  const buffers = engine.openBuffers?.(work.session);
  const channel: CallChannel = {};
  const { sandbox: driver } = openedOf(work.state);
  const context: ToolContext = {
    workspace,
    buffers,
    encodings: engine.settings.encodings ?? [],
    // The agent of another program reads files by itself.
    lastShown: (path) => (openedOf(work.state).runner ? undefined : work.state.shown.get(path)),
    formatter: openToolFormatter(work),
    // Opened by the first command, so that a run that only reads starts none.
    sandbox: {
      name: driver,
      async exec(request) {
        const at = { driver, workspace: workspace.root, registries: () => engine.registries() };
        const sandbox = await work.sandbox();
        try {
          const result = await sandbox.exec({ ...request, ...toCommandView(work) });
          note(channel, findCommandSource(request, result, at));
          return result;
        } catch (error) {
          // It may have run, and which hosts it reached is not known.
          note(channel, findCommandSource(request, {}, at));
          throw error;
        }
      },
    },
    signal: work.stop,
    session: work.session,
    progress(text) {
      if (engine.store.isWatched()) {
        const { session } = work;
        engine.store.emitLive({ type: 'tool.progress', session, call, offset, text: text.toString() }, (raw) =>
          redactor.redact(raw),
        );
      }
      offset += text.length;
    },
    execLimits: engine.settings.execLimits,
    readable,
    find: createPathFinder({ workspace, readable, open: (folder) => work.folder(folder) }),
    processes: createToolProcesses(work, call, (command) => {
      note(channel, `what \`${shorten(command)}\` receives from the network`);
    }),
    webSearch: engine.settings.webSearch,
    providerSearch: createProviderSearch(work),
    maxSearchResults: engine.settings.maxSearchResults,
    gitIdentity: engine.settings.gitIdentity,
    userGit: engine.userGit,
    deploy: engine.settings.deploy,
    restoreSecrets: (text, current) => redactor.restore(text, current),
    agents: engine.openAgents(workspace.root),
    skills: engine.openSkills(workspace.root),
    mayUse: (name) => {
      const tool = engine.tools.find(name);
      return tool !== undefined && allowsToolUse(work.authority.grant(), tool, engine.clock.now());
    },
    children: createChildren(work, call),
    memory: createMemory(engine.openKnowledge(workspace.root), { redactor, session: work.session }),
    recall: engine.openRecall(work.session),
    findTools: createToolFinder(work, (question, signal) => context.ask(question, signal)),
    contextInfo: () => readContextInfo(work),
    authorities: () => liveAt(heldBy(work.authority.grant()), engine.clock.now()),
    registries: () => engine.registries(),
    web: ({ access }) => toNotedClient(engine.openWeb(limitRules(work, toWebRules(work, access))), channel),
    proxy: ({ access }) => {
      const hosts = access.flatMap((one) => (one.kind === 'net' ? [one.host] : []));
      return toNotedProxy(engine.openProxy(limitRules(work, toHostRules(access))), channel, hosts);
    },
    secret: (intent, name, host) => findSecret(engine, intent, { name, host }),
    hasSecret: (name) => engine.findSecret(name) !== undefined,
    ask: (question, signal) => work.activities.askUser(work, call, { question, signal }),
    openBlob: () => createRedactedBlob(engine.store.writeBlob(), redactor),
    findSecrets: createSecretFinder(redactor, (text) => engine.ids.digest(text)),
  };
  return bindChannel(context, channel);
}

/** Public addresses only, if that applies to the session. */
function limitRules({ state }: Work, rules: HostRule[]): HostRule[] {
  const { privateHosts } = openedOf(state);
  return privateHosts ? toPublicRules(rules, privateHosts) : rules;
}

/** A host that only an authority for any host covers may not be at a private address, such as one of this machine. */
function toWebRules({ engine, authority }: Work, access: Intent['access']): HostRule[] {
  const grant = authority.grant();
  const now = engine.clock.now();
  return access.flatMap((each) => {
    const isAny = each.kind === 'net' && isOfAnyHost(grant, each, now);
    return toHostRules([each]).map((rule) => (isAny ? { ...rule, isPublicOnly: true } : rule));
  });
}

/** @throws KlausError `denied`, `auth`. */
function findSecret(engine: Engine, { access }: Pick<Intent, 'access'>, of: { name: string; host: string }): string {
  const isDecided = access.some((one) => one.kind === 'secret' && one.name === of.name && one.host === of.host);
  if (!isDecided) throw new KlausError('denied', `The call may not send ${of.name} to ${of.host}.`);
  const value = engine.findSecret(of.name);
  if (value !== undefined) return value;
  throw new KlausError('auth', `${of.name} is not set.`, {
    hint: `Set the variable ${of.name}, or its setting in ~/.klaus/config.yaml.`,
  });
}

/** Finds tools that grant and mode allow and that are not in the request. */
function createToolFinder(work: Work, ask: ToolContext['ask']): ToolContext['findTools'] {
  const { engine, state, authority } = work;
  const offered = new Set(openedOf(state).tools);
  return async (query) => {
    const now = engine.clock.now();
    const isUsable = (tool: Tool<unknown>): boolean =>
      !tool.userOnly &&
      allowsToolUse(authority.grant(), { name: tool.like ?? tool.name, effects: tool.effects }, now) &&
      (authority.mode() !== 'plan' || isReadOnly(tool.effects));
    const names = engine.tools.names.filter((name) => !offered.has(name) && isUsable(engine.tools.get(name)));
    const listed = await openSessionTools(work)?.list(work.stop, ask);
    const { tools = [], failures = [], notices = [], sources } = listed ?? {};
    if (notices.length > 0) await work.append(notices.map(toToolsNotice));
    const own = tools.filter(isUsable).map(toSpec);
    const specs = [...engine.tools.specs(names), ...own];
    const found = searchTools(query, specs);
    const source = found.map(({ name }) => sources?.get(name)).find((each) => each !== undefined);
    return { found, names: [...names, ...own.map(({ name }) => name)], failures, ...optional({ source }) };
  };
}

/** Searches by rules and for the values of the redactor. A value inside a finding of a rule is reported once. */
function createSecretFinder(redactor: Redactor, digest: Ids['digest']): ToolContext['findSecrets'] {
  const scanner = createSecretScanner({ digest });
  return (text, options = {}) => {
    const findings = scanner.scan(text, options);
    for (const { rule, line, start, end } of redactor.findValues(text)) {
      if (findings.some((finding) => finding.start < end && finding.end > start)) continue;
      const fingerprint = toFingerprint(digest, { rule, path: options.path, secret: text.slice(start, end) });
      findings.push({ rule, line, start, end, fingerprint });
    }
    findings.sort((a, b) => a.start - b.start);
    return findings.map(({ rule, line, fingerprint }) => ({ rule, line, fingerprint }));
  };
}
