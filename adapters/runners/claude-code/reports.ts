import type { AgentCall, AgentReports, AskAnswer, RunnerChild, RunnerHost } from '@klaus/core/agent';
import { mapText } from '@klaus/core/policy';
import { toAgentCall } from './to-agent-call.ts';
import { type HookInput, toBlockText, type WireBlock, type WireMessageOf } from './wire.ts';

interface Known {
  call: AgentCall;
  /** What PostToolUse reported, until the result that the model gets is known. */
  response?: { state: 'done' | 'failed'; output: string };
  isAllowed: boolean;
}

/** An agent in the process: the session itself, or one that it started. */
interface Reporter {
  reports: AgentReports;
  calls: Map<string, Known>;
}

/** Translates what Claude Code reports about its calls and its agents. */
export class Reports {
  readonly #host: RunnerHost;
  readonly #workspace: string;
  readonly #main: Reporter;
  /** By the id of the call that started them. */
  readonly #children = new Map<string, Promise<Reporter & { child: RunnerChild }>>();
  /** The call that started an agent, by the id of the agent. */
  readonly #starts = new Map<string, string>();
  /** Messages of a model whose text was shown while it was written. */
  readonly #streamed = new Set<string>();
  #queue: Promise<unknown> = Promise.resolve();

  constructor(host: RunnerHost, workspace: string) {
    this.#host = host;
    this.#workspace = workspace;
    this.#main = { reports: host, calls: new Map() };
  }

  /** Asks the gate about a call, which begins after the answer. */
  async ask({ agent_id: agent, ...input }: HookInput): Promise<AskAnswer> {
    const { reports, calls } = await this.#ofAgent(agent);
    const { tool_use_id: id = '', tool_name: name = '', tool_input = {}, cwd } = input;
    const known = calls.get(id);
    if (known?.isAllowed) return { verdict: 'allow' };
    const call = toAgentCall({ id, name, input: tool_input }, { workspace: this.#workspace, cwd });
    calls.set(id, { call, isAllowed: false });
    const answer = await reports.ask(call);
    calls.set(id, { call, isAllowed: answer.verdict === 'allow' });
    return answer;
  }

  /** Keeps what PostToolUse reports about a call. Returns the output without secrets if it contains some. */
  async keep({ agent_id: agent, ...input }: HookInput): Promise<unknown> {
    const { calls } = await this.#ofAgent(agent);
    const known = calls.get(input.tool_use_id ?? '');
    const hasFailed = input.hook_event_name === 'PostToolUseFailure';
    const response = input.tool_response;
    const output = typeof response === 'string' ? response : JSON.stringify(response ?? null);
    if (known) known.response = { state: hasFailed ? 'failed' : 'done', output };
    const clean = mapText(response, (text) => this.#host.redact(text));
    return clean === response ? undefined : clean;
  }

  /** Text while it is written. */
  stream({ parent_tool_use_id: parent, event }: WireMessageOf<'stream_event'>): void {
    if (parent) return;
    if (event.message) this.#streamed.add(event.message.id);
    if (event.delta?.text) this.#host.text('text', event.delta.text);
    if (event.delta?.thinking) this.#host.text('thinking', event.delta.thinking);
  }

  /** @returns The calls of which a result was reported that the gate did not see. */
  message(message: WireMessageOf<'assistant' | 'user'>): string[] {
    const parent = message.parent_tool_use_id;
    if (parent) {
      void this.#inOrder(async () => {
        const child = await this.#children.get(parent);
        if (child) report(child, message, false);
      });
      return [];
    }
    const isStreamed = message.type === 'assistant' && this.#streamed.has(message.message.id ?? '');
    return report(this.#main, message, isStreamed);
  }

  /** An agent was started by a call. */
  start({ task_id: agent, tool_use_id: call, prompt }: WireMessageOf<'system'>): void {
    if (!agent || !call || this.#children.has(call)) return;
    this.#starts.set(agent, call);
    const opening = this.#host.child(call, prompt ?? '').then((child) => ({ reports: child, child, calls: new Map() }));
    opening.catch(() => {});
    this.#children.set(call, opening);
  }

  /** An agent that was started by a call has ended. */
  end({ tool_use_id: call }: WireMessageOf<'system'>, outcome: 'done' | 'failed'): void {
    if (!call) return;
    void this.#inOrder(async () => {
      const child = await this.#children.get(call);
      await child?.child.end(outcome);
    });
  }

  /** Waits for the ends of agents, and reports calls of which only PostToolUse is known. */
  async settle(): Promise<void> {
    await this.#queue;
    for (const { call, response } of this.#main.calls.values()) {
      if (response) this.#host.call({ ...call, ...response });
    }
    this.#main.calls.clear();
    this.#children.clear();
    this.#starts.clear();
    this.#streamed.clear();
  }

  #ofAgent(agent: string | undefined): Reporter | Promise<Reporter> {
    if (agent === undefined) return this.#main;
    const call = this.#starts.get(agent);
    const found = call === undefined ? undefined : this.#children.get(call);
    if (!found) throw new Error(`the agent ${agent} was not started by a call`);
    return found;
  }

  async #inOrder(run: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(run).catch(() => {});
    await this.#queue;
  }
}

/** @returns The calls of which a result was reported that the gate did not see. */
function report(
  { reports, calls }: Reporter,
  message: WireMessageOf<'assistant' | 'user'>,
  isStreamed: boolean,
): string[] {
  const unseen: string[] = [];
  for (const block of message.message.content) {
    if (block.type === 'tool_result') unseen.push(...reportResult({ reports, calls }, block));
    if (message.type === 'user') continue;
    if (block.type === 'text' && block.text && !isStreamed) reports.text('text', block.text);
    if (block.type === 'thinking' && block.thinking && !isStreamed) reports.text('thinking', block.thinking);
    if (block.type === 'text' && message.uuid !== undefined) reports.entry(message.uuid);
  }
  return unseen;
}

function reportResult({ reports, calls }: Reporter, block: WireBlock): string[] {
  const id = block.tool_use_id ?? '';
  const known = calls.get(id);
  // Calls that it refuses by itself, such as one with an invalid input, ran no tool.
  if (!known) return block.is_error ? [] : [id];
  calls.delete(id);
  if (!known.isAllowed) return [];
  const state = block.is_error || known.response?.state === 'failed' ? 'failed' : 'done';
  reports.call({ ...known.call, state, output: toBlockText(block.content) });
  return [];
}
