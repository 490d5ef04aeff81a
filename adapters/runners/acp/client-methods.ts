import type { AgentCall, RunnerHost, ToolUse } from '@klaus/core/agent';
import {
  client,
  methods,
  RequestError,
  type ClientApp,
  type PermissionOption,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk/unstable';
import type { AgentCalls } from './agent-calls.ts';
import { Terminals } from './terminals.ts';

export interface ClientOptions {
  host: RunnerHost;
  calls: AgentCalls;
}

/** What the agent can ask of Klaus: permissions, files and terminals. All of it passes the gate. */
export function createClientApp({ host, calls }: ClientOptions): ClientApp {
  const terminals = new Terminals(host);
  return client({ name: 'klaus' })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      const call = calls.update(params.toolCall);
      return toAnswer(params.options, (await host.ask(toAsked(call))).verdict);
    })
    .onRequest(methods.client.fs.readTextFile, async ({ params: { path, line, limit } }) => {
      const used = await host.readText(path);
      if (used.text === undefined) throw toError(used);
      return { content: cutLines(used.text, line ?? 1, limit ?? undefined) };
    })
    .onRequest(methods.client.fs.writeTextFile, async ({ params: { path, content } }) => {
      const used = await host.useTool('write_file', { path, content });
      if (used.outcome !== 'ok') throw toError(used);
      return {};
    })
    .onRequest(methods.client.terminal.create, ({ params }) => ({ terminalId: terminals.create(params) }))
    .onRequest(methods.client.terminal.output, ({ params }) => terminals.output(params.terminalId))
    .onRequest(methods.client.terminal.waitForExit, ({ params }) => terminals.wait(params.terminalId))
    .onRequest(methods.client.terminal.kill, ({ params }) => (terminals.kill(params.terminalId), {}))
    .onRequest(methods.client.terminal.release, ({ params }) => (terminals.release(params.terminalId), {}));
}

/** A call for which the agent asks has not begun, regardless of the status that it reported. */
function toAsked(call: AgentCall): AgentCall {
  return { ...call, state: 'waiting' };
}

/** Only for this call: what an agent remembers, the gate would not see. */
function toAnswer(
  options: readonly PermissionOption[],
  answer: 'allow' | 'deny' | 'cancelled',
): RequestPermissionResponse {
  const kinds = answer === 'allow' ? ['allow_once'] : ['reject_once', 'reject_always'];
  const found = kinds.flatMap((kind) => options.filter((option) => option.kind === kind))[0];
  if (answer === 'cancelled' || !found) return { outcome: { outcome: 'cancelled' } };
  return { outcome: { outcome: 'selected', optionId: found.optionId } };
}

function toError({ outcome, output }: ToolUse): RequestError {
  return new RequestError(outcome === 'denied' ? -32_003 : -32_603, output);
}

/** @param first From 1. */
function cutLines(text: string, first: number, limit: number | undefined): string {
  if (first <= 1 && limit === undefined) return text;
  const lines = text.split('\n');
  const start = Math.max(0, first - 1);
  return lines.slice(start, limit === undefined ? undefined : start + limit).join('\n');
}
