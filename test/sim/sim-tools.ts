import { z } from 'zod';
import {
  defineTool,
  type ExecRequest,
  type ExecResult,
  type Intent,
  type Sandbox,
  type Tool,
  type ToolContext,
} from '@klaus/core/agent';
import { KlausError, type Access, type FileChange } from '@klaus/core/protocol';
import { ROOT, toHash } from './files.ts';
import { TOOLS, type PlannedTool } from './plan.ts';
import type { Host } from './scheduler.ts';
import type { World } from './world.ts';

const inputSchema = z.object({
  id: z.string(),
  path: z.string(),
  text: z.string(),
  ms: z.number(),
  wrong: z.enum(['red', 'error', 'bug']).optional(),
});
type Input = z.infer<typeof inputSchema>;

/** Milliseconds for which a tool continues that ignores a cancel. */
const DEAF_MS = 30_000;

/** The tools of one process. The monitor checks every effect first. */
export function createSimTools(world: World, host: Host): Tool<unknown>[] {
  return TOOLS.map((planned) => toTool({ world, host }, planned) as Tool<unknown>);
}

interface Place {
  world: World;
  host: Host;
}

function toTool(place: Place, { name, effects, resume, inPlace }: PlannedTool): Tool<Input> {
  const base = { name, description: `Does ${name}.`, input: inputSchema, effects, resume };
  switch (name) {
    case 'look':
      return defineTool({
        ...base,
        prepare: async ({ path }, { workspace }) => toIntent(name, path, [await toAccess(workspace, path, 'r')]),
        run: (input, context) => look(place, input, context),
      });
    case 'study':
      return defineTool({ ...base, run: (input, context) => look(place, { ...input, path: 'a.txt' }, context) });
    case 'write':
      return defineTool({
        ...base,
        prepare: prepareWrite,
        run: (input, context, intent) => edit(place, { input, context, intent }),
      });
    case 'move':
      return defineTool({
        ...base,
        prepare: prepareMove,
        run: (input, context, intent) => edit(place, { input, context, intent }),
      });
    case 'post':
    case 'deploy':
    case 'delegate':
      return defineTool({
        ...base,
        prepare: async ({ path }) =>
          toIntent(name, path, name === 'post' ? [{ kind: 'net', host: 'example.com', port: 443 }] : []),
        run: (input, context) => reachOut(place, input, context),
      });
    default:
      return defineTool({
        ...base,
        ...(inPlace ? { inPlace } : {}),
        async prepare({ id }) {
          const command = `make ${id}`;
          return { ...toIntent(name, id, [{ kind: 'exec', command }]), command };
        },
        run: (input, context) => execute(input, { context, tool: name }),
      });
  }
}

function toIntent(name: string, what: string, access: readonly Access[]): Intent {
  return { title: `${name} ${what}`, access };
}

async function toAccess(workspace: ToolContext['workspace'], path: string, right: 'r' | 'w'): Promise<Access> {
  return { kind: 'fs', path: (await workspace.resolve(path)).absolute, right };
}

/** Fails as planned. */
function fail({ id, wrong }: Input): void {
  if (wrong === 'error') throw new KlausError('tool.failed', `${id} failed as planned.`);
  if (wrong === 'bug') throw new TypeError(`${id} has a bug`);
}

async function look({ world, host }: Place, input: Input, { signal }: ToolContext) {
  await world.scheduler.pause(host, 'effect');
  world.monitor.effectBegins(input.id, world.holders.isFormer(host));
  if (input.ms > 0) await world.scheduler.sleep(host, input.ms, { label: 'tool works', signal });
  if (signal.aborted) throw new KlausError('cancelled', 'Stopped.');
  fail(input);
  const text = world.files.read(input.path);
  await world.scheduler.pause(host, 'effected');
  return { text: text ?? `no ${input.path}`, isError: text === undefined || input.wrong === 'red' };
}

async function prepareWrite({ path, text }: Input, context: ToolContext): Promise<Intent> {
  const { workspace } = context;
  const access = await toAccess(workspace, path, 'w');
  const before = await workspace.hash(path);
  const current = before === null ? '' : new TextDecoder().decode(await workspace.read(path));
  const content = context.restoreSecrets(text, current);
  const change: FileChange = { path, kind: before === null ? 'created' : 'modified', before, after: toHash(content) };
  return {
    ...toIntent('write', path, [access]),
    edits: [{ path, content: new TextEncoder().encode(content), before }],
    changes: [change],
    diff: `--- ${path}\n+++ ${path}\n-${current}+${content}`,
    result: `Wrote ${path}.`,
  };
}

async function prepareMove({ path }: Input, { workspace }: ToolContext): Promise<Intent> {
  const accesses = [await toAccess(workspace, path, 'w'), await toAccess(workspace, `${path}.moved`, 'w')];
  const content = await workspace.read(path);
  const goal = `${path}.moved`;
  const hash = toHash(new TextDecoder().decode(content));
  const before = await workspace.hash(goal);
  return {
    ...toIntent('move', path, accesses),
    edits: [
      { path: goal, content, before },
      { path, content: null, before: hash },
    ],
    changes: [
      { path: goal, kind: before === null ? 'created' : 'modified', before, after: hash },
      { path, kind: 'deleted', before: hash, after: null },
    ],
    result: `Moved ${path}.`,
  };
}

async function edit({ world, host }: Place, what: { input: Input; context: ToolContext; intent: Intent }) {
  const { input, context, intent } = what;
  await world.scheduler.pause(host, 'effect');
  world.monitor.effectBegins(input.id, world.holders.isFormer(host));
  fail(input);
  const changes = await context.workspace.apply(intent.edits ?? []);
  world.monitor.effectEnds(input.id);
  await world.scheduler.pause(host, 'effected');
  return { text: intent.result ?? 'Done.', changes };
}

async function reachOut({ world, host }: Place, input: Input, context: ToolContext) {
  const { signal } = context;
  await world.scheduler.pause(host, 'effect');
  world.monitor.effectBegins(input.id, world.holders.isFormer(host));
  context.progress('running');
  if (input.ms > 0) await world.scheduler.sleep(host, input.ms, { label: 'tool works', signal });
  if (signal.aborted) throw new KlausError('cancelled', 'Cancelled while running.');
  fail(input);
  world.monitor.effectEnds(input.id);
  await world.scheduler.pause(host, 'effected');
  return { text: `sent ${input.id}`, isError: input.wrong === 'red' };
}

async function execute(input: Input, { context, tool }: { context: ToolContext; tool: string }) {
  if (input.wrong === 'error') fail(input);
  const { exitCode, output, cancelled } = await context.sandbox.exec({
    command: `make ${input.id}`,
    env: { TOOL: tool, INPUT: JSON.stringify(input) },
    signal: context.signal,
  });
  if (cancelled) throw new KlausError('cancelled', 'The command was stopped.');
  fail(input);
  const evidence = tool === 'check' ? { evidence: { command: `make ${input.id}`, exitCode } } : {};
  return { text: output, isError: exitCode !== 0, ...evidence };
}

/** Runs the commands of the tools above on the simulated files. */
export function createSimSandbox(world: World, host: Host): Sandbox {
  return {
    name: 'bubblewrap',
    async exec({ env, signal, workspaceAt }: ExecRequest): Promise<ExecResult> {
      const { scheduler, monitor, files } = world;
      await scheduler.pause(host, 'sandbox exec');
      world.faults.checkSandbox();
      const tool = env?.['TOOL'] ?? '';
      const input = JSON.parse(env?.['INPUT'] ?? '{}') as Input;
      monitor.commandRuns(tool, workspaceAt !== undefined);
      monitor.effectBegins(input.id, world.holders.isFormer(host));
      const write = (text: string): void => {
        const isOwn = !input.path.startsWith('..') && (workspaceAt !== undefined || !input.path.startsWith('.git/'));
        if (isOwn && tool !== 'check' && tool !== 'deaf') files.write(input.path, text, workspaceAt ?? ROOT);
      };
      write(`half of ${input.id}\n`);
      await scheduler.pause(host, 'effect');
      const listens = tool !== 'deaf';
      const ms = listens ? input.ms : DEAF_MS;
      if (ms > 0) await scheduler.sleep(host, ms, { label: 'command works', signal: listens ? signal : undefined });
      const cancelled = listens && (signal?.aborted ?? false);
      if (!cancelled) {
        write(input.text);
        monitor.effectEnds(input.id);
      }
      await scheduler.pause(host, 'effected');
      const output = `ran ${input.id}: ${input.text}`;
      const exitCode = cancelled ? null : input.wrong === 'red' ? 1 : 0;
      const rest = { stdout: output, stderr: '', output, truncated: false, timedOut: false, cancelled };
      return { exitCode, signal: cancelled ? 'SIGTERM' : null, durationMs: ms, unenforced: [], ...rest };
    },
  };
}
