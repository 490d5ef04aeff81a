import { findNetworkNeed, isRegistryHost, shorten, type ConfiguredHosts } from '../../policy/index.ts';
import { quoteShellWord, type EventBody, type SandboxName, type Untrusted } from '../../protocol/index.ts';
import type { ExecRequest, ExecResult } from '../ports/sandbox.ts';
import type { Intent, Tool, ToolContext } from '../ports/tool.ts';
import type { NetworkProxy, WebClient } from '../ports/web-client.ts';

/**
 * What one call received from others. The services of its context note it, so that a tool need not: text is untrusted by
 * the way on which it came.
 */
export interface CallChannel {
  /** The first one. */
  found?: Untrusted;
}

const channels = new WeakMap<ToolContext, CallChannel>();

/** The channel of a call by the context that it was given, also of one on a layer. */
export function channelOf(context: ToolContext): CallChannel | undefined {
  return channels.get(context);
}

/** Binds a channel to the context whose services note what they receive. */
export function bindChannel(context: ToolContext, channel: CallChannel): ToolContext {
  channels.set(context, channel);
  return context;
}

export function note(channel: CallChannel, source: string | undefined): void {
  if (source !== undefined) channel.found ??= { source };
}

/** Where a session runs its commands, and the registries that it uses. */
interface CommandPlace {
  driver: SandboxName;
  workspace: string;
  registries: () => ConfiguredHosts;
}

/**
 * The origin of what a call can receive from others, before it runs: it is recorded with the intent, because a call that
 * is interrupted has no result. Undefined: nothing, or only packages of a registry.
 */
export function findReceivable(
  tool: Pick<Tool<unknown>, 'name' | 'effects' | 'origin' | 'maker'>,
  { access, command }: Pick<Intent, 'access' | 'command'>,
  { driver, workspace, registries }: CommandPlace,
): string | undefined {
  const origin = toOrigin(tool);
  if (origin === 'local') return undefined;
  if (origin === 'others') return toMaker(tool);
  const hosts = access.flatMap((one) => (one.kind === 'net' ? [`${one.host}:${one.port}`] : []));
  const configured = hosts.length > 0 ? registries() : {};
  const host = hosts.find((each) => !isRegistryHost(each, configured));
  const what = command === undefined ? `the tool ${tool.name}` : `what \`${shorten(command)}\` received`;
  if (host !== undefined) return host.startsWith('*') ? `${what} from the network` : `${what} from ${host}`;
  const reaches = driver === 'host' && command !== undefined && findNetworkNeed(command, { workspace }) !== undefined;
  return reaches ? `${what} from the network` : undefined;
}

function toOrigin({ origin, effects }: Pick<Tool<unknown>, 'origin' | 'effects'>): NonNullable<Tool['origin']> {
  return origin ?? (effects.some((each) => each === 'network' || each === 'deploy') ? 'others' : 'channel');
}

function toMaker({ name, maker = `the tool ${name}` }: Pick<Tool<unknown>, 'name' | 'maker'>): string {
  return maker;
}

/** What a command received from a network. Undefined: nothing, or only packages of a registry. */
export function findCommandSource(
  { command, network = false }: Pick<ExecRequest, 'command' | 'network'>,
  { reachedHosts }: Pick<ExecResult, 'reachedHosts'>,
  at: CommandPlace,
): string | undefined {
  const line = typeof command === 'string' ? command : command.map(quoteShellWord).join(' ');
  const shown = `what \`${shorten(line)}\` received`;
  if (network !== false && reachedHosts !== undefined) {
    if (reachedHosts.length === 0) return undefined;
    const configured = at.registries();
    const other = reachedHosts.find((host) => !isRegistryHost(host, configured));
    return other && `${shown} from ${other}`;
  }
  if (network !== false) return `${shown} from the network`;
  // Without a sandbox a command always has the network: its programs show whether it uses it.
  const reaches = at.driver === 'host' && findNetworkNeed(line, { workspace: at.workspace }) !== undefined;
  return reaches ? `${shown} from the network` : undefined;
}

/** A client whose responses are noted. */
export function toNotedClient(client: WebClient, channel: CallChannel): WebClient {
  return {
    async send(request) {
      const response = await client.send(request);
      note(channel, /^\w+:\/\/(?:[^/@]*@)?([^/?#]+)/.exec(request.url)?.[1] ?? 'the web');
      return response;
    },
  };
}

/** A proxy for a program outside of the sandbox: what it receives is not seen. */
export async function toNotedProxy(
  opening: Promise<NetworkProxy>,
  channel: CallChannel,
  hosts: readonly string[],
): Promise<NetworkProxy> {
  const proxy = await opening;
  note(channel, hosts[0]);
  return proxy;
}

/** True if a call can send data out although its effects do not say so. */
export function canSend(
  { sends = false, maker }: Pick<Tool<unknown>, 'sends' | 'maker'>,
  sources: Iterable<string>,
): boolean {
  if (sends !== 'unconfined') return sends;
  return [...sources].some((source) => maker === undefined || !source.includes(maker));
}

type Finished = Extract<EventBody, { type: 'tool.finished' }>;

/**
 * Marks the result of a call, also a failed one, whose text came from others. A tool that declares nothing counts by what
 * its services received, and by its effects: with an own way to the network, its text can be of anyone.
 */
export function withSource(
  finished: Finished,
  { tool, channel, redact }: { tool: Tool<unknown>; channel?: CallChannel; redact: (text: string) => string },
): Finished {
  if (finished.untrusted) return finished;
  const origin = toOrigin(tool);
  if (origin === 'local') return finished;
  const found = channel?.found ?? (origin === 'others' ? { source: toMaker(tool) } : undefined);
  return found ? { ...finished, untrusted: { ...found, source: redact(found.source) } } : finished;
}
