import { headOf } from '@klaus/core/cut-text';
import { z } from 'zod';
import { KlausError } from '@klaus/core/protocol';
import type { ToolContext, WaitFor } from '@klaus/core/agent';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';
import { describeProcess, findProcess } from './describe-process.ts';

/** Bytes at the end of the output that are returned without `since`. */
const TAIL_BYTES = 16_000;
const MAX_COMMAND = 100;
const DEFAULT_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 600_000;

export const processOutput = defineBuiltinTool({
  name: 'process_output',
  description:
    'Read the output of a background process: its end, or from byte since on. waitFor: exit, port:3000 or a text. Without process: list.',
  input: z.object({
    process: z.string().optional(),
    since: z.number().optional(),
    waitFor: z.string().optional(),
    timeoutMs: z.number().optional(),
  }),
  deferred: true,
  effects: ['read'],
  resume: 'repeat',
  example: {
    before: [{ name: 'run_command', input: { command: 'echo up; sleep 1000', background: true } }],
    input: { process: 'p1', waitFor: 'up' },
    output: 'p1: running\nup\n',
  },
  async run({ process: id, since: given, waitFor, timeoutMs: wanted = DEFAULT_WAIT_MS }, context) {
    const { processes } = context;
    const since = given === undefined ? undefined : Math.max(0, Math.floor(given));
    const timeoutMs = Math.min(Math.max(0, wanted), LONGEST_WAIT_MS);
    if (id === undefined) return { text: listProcesses(context) };
    const before = findProcess(context, id);
    const from = since ?? Math.max(0, before.bytes - TAIL_BYTES);
    let waited = '';
    if (waitFor !== undefined) {
      // Without `since` the complete output is searched: the text may have been written before the call.
      const until = toWaitFor(waitFor, since ?? 0);
      const outcome = await processes.wait(id, { until, timeoutMs, signal: context.signal });
      if (outcome === 'late') waited = `[${waitFor} did not occur within ${timeoutMs / 1_000} s]`;
      else if (outcome === 'ended') waited = `[the process ended before ${waitFor} occurred]`;
      else if (outcome === 'cancelled') throw new KlausError('cancelled', 'The wait was cancelled.');
    }
    const status = findProcess(context, id);
    const output = processes.read(id, { from: since === undefined ? Math.max(from, status.bytes - TAIL_BYTES) : from });
    const missing =
      since !== undefined && output.from > since ? `[bytes ${since} to ${output.from} are no longer stored]` : '';
    const rest = status.bytes > output.next ? `; read the rest with since ${output.next}` : '';
    const where = `[bytes ${output.from} to ${output.next} of ${status.bytes}${rest}]`;
    return {
      text: [`${id}: ${describeProcess(status)}`, waited, missing, output.text.trimEnd(), where]
        .filter((line) => line !== '')
        .join('\n'),
      isError: waited !== '',
      detail: { process: id, state: status.state, exitCode: status.exitCode, from: output.from, next: output.next },
    };
  },
});

function listProcesses({ processes }: ToolContext): string {
  const rows = processes.list().map((status) => {
    const command = status.command.replaceAll(/\s+/g, ' ');
    const line = command.length > MAX_COMMAND ? `${headOf(command, MAX_COMMAND)}…` : command;
    return `${status.id}: ${describeProcess(status)}, ${status.bytes} bytes of output: ${line}`;
  });
  return rows.length === 0 ? 'There are no background processes.' : rows.join('\n');
}

function toWaitFor(text: string, from: number): WaitFor {
  if (text === 'exit') return { kind: 'exit' };
  const port = Number(/^port:(\d{1,5})$/.exec(text)?.[1]);
  if (port > 0 && port < 65_536) return { kind: 'port', port };
  if (text === '') throw toolFailed('waitFor is empty.');
  return { kind: 'text', text, from };
}
