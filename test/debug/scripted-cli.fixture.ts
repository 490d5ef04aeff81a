// A program that speaks the contract of klendathu-cli without a model. `KLENDATHU_STEPS` holds its steps as JSON.
import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync, writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** What it does, in order. Without an end, it prints a report whose text is the JSON of `Seen`. */
export type Step =
  | { call: string; input: Record<string, unknown> }
  | { garbage: number }
  | { event: Record<string, unknown> }
  | { log: string; level?: string; code?: string; hint?: string }
  | { exit: number }
  | { print: string }
  | { kill: true }
  | { hang: true; pidFile?: string }
  | { count: string };

/** The text of the report. */
export interface Seen {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  node: string;
  input: Record<string, unknown>;
  /** Results of the calls. */
  results: { text: string; isError: boolean }[];
}

const input = JSON.parse((await text(process.stdin)) || '{}') as { mcpUrl: string; mcpToken: string };
const steps = JSON.parse(process.env['KLENDATHU_STEPS'] ?? '[]') as Step[];
const seen: Seen = {
  argv: process.argv.slice(2),
  env: process.env as Record<string, string>,
  cwd: process.cwd(),
  node: process.versions.node,
  input: input as never,
  results: [],
};
let client: Client | undefined;

for (const [at, step] of steps.entries()) await perform(step, at + 1);
const stats = { turns: steps.length, cost: 0.25, finishReason: 'completed', toolCallsCount: seen.results.length };
print(1, { text: JSON.stringify(seen), evidence: [], stats });
send({ type: 'summary', ...stats });
await client?.close();

async function perform(step: Step, turnNumber: number): Promise<void> {
  send({ type: 'turn', turnNumber });
  if ('call' in step) return call(step);
  if ('garbage' in step) write(2, Buffer.alloc(step.garbage, '\u0000{"type":\n\n[1'));
  if ('event' in step) print(3, step.event);
  if ('log' in step) send({ type: 'log', message: step.log, level: step.level, code: step.code, hint: step.hint });
  if ('count' in step) appendFileSync(step.count, '+');
  if ('print' in step) {
    writeSync(1, step.print);
    process.exit(0);
  }
  if ('exit' in step) process.exit(step.exit);
  if ('kill' in step) process.kill(process.pid, 'SIGKILL');
  if ('hang' in step) await hang(step.pidFile);
}

async function call({ call: name, input: parameters }: { call: string; input: Record<string, unknown> }) {
  send({ type: 'tool_call', toolName: name, input: parameters });
  if (client === undefined) {
    client = new Client({ name: 'scripted', version: '1' });
    const headers = { authorization: `Bearer ${input.mcpToken}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(input.mcpUrl), { requestInit: { headers } }));
  }
  const { content, isError = false } = await client.callTool({ name, arguments: parameters });
  const result = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  seen.results.push({ text: result, isError });
  send({ type: 'tool_result', toolName: name, resultPreview: result.slice(0, 200), isError });
}

/** Ignores polite signals, and has a program of its own. */
async function hang(pidFile: string | undefined): Promise<void> {
  process.on('SIGTERM', () => {});
  const child = spawn(process.execPath, ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'], {
    stdio: 'inherit',
  });
  if (pidFile !== undefined) writeFileSync(pidFile, JSON.stringify([process.pid, child.pid]));
  send({ type: 'log', message: 'hanging' });
  await new Promise(() => setInterval(() => {}, 1000));
}

function send(message: Record<string, unknown>): void {
  print(2, { ...message, timestamp: new Date().toISOString() });
}

function print(descriptor: number, value: unknown): void {
  write(descriptor, Buffer.from(`${JSON.stringify(value)}\n`));
}

/** Writes all of it, also to a reader that is slow. */
function write(descriptor: number, bytes: Buffer): void {
  for (let rest = bytes; rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}
