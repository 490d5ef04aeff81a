import { headOf } from '@klaus/sdk/cut-text';
import { z } from 'zod';
import { defineTool, KlausError, type Tool } from '@klaus/sdk';
import { messageOf } from '@klaus/sdk/message-of';
import { findingsSchema, type Access, type CliInput } from 'klendathu/contract';
import { CliFailure } from '../program/cli-failure.ts';
import type { Control } from '../session/control.ts';
import { HostTimeout, type HostConnection, type HostResult, type HostTool } from './host-connection.ts';

export interface ToolsOptions {
  connection: HostConnection;
  control: Control;
  access: Access;
  /** Calls of `eval`. Default: no limit. */
  maxEvals?: number;
  /** Milliseconds for a request in addition to those of the call. */
  requestTimeoutMs: number;
}

/** Milliseconds of an evaluation without `timeoutMs`, as in the contract. */
const EVAL_MS = 5_000;
const MAX_EVAL_MS = 60_000;
/** Requests in a row without an answer, after which the program counts as gone. */
const MAX_TIMEOUTS = 2;
const TITLE_LENGTH = 100;

/**
 * The tools of the program as tools of the session, with their own names and schemas. Each call has an effect on the
 * network: it sends a request to the address of the program, which the grant of the session names.
 */
export function toTools(options: ToolsOptions): Tool<Record<string, unknown>>[] {
  const { connection, access } = options;
  const call = createCaller(options);
  return connection.tools.map((tool) =>
    defineTool<Record<string, unknown>>({
      name: tool.name,
      description: tool.description,
      input: z.record(z.string(), z.unknown()),
      inputSchema: toObjectSchema(tool),
      effects: ['network'],
      // The session reaches nothing but this program of the user, so that its texts can send nothing to others.
      origin: 'local',
      // Without effects in the program, it may be repeated.
      resume: access === 'full' && tool.name === 'eval' ? 'tell' : 'repeat',
      prepare: async (input) => ({
        title: toTitle(tool.name, input, access),
        access: [{ kind: 'net', host: connection.host, port: connection.port }],
      }),
      async run(input, { signal }) {
        const { text, isError } = await call(tool.name, input, signal);
        return { text, isError: isError || undefined };
      },
    }),
  );
}

/** The tools of the other mode, whose calls would end the session without its result. */
const OF_OTHER_MODE: Readonly<Record<CliInput['mode'], readonly string[]>> = {
  investigate: ['set_result', 'fail_implementation'],
  implement: ['report'],
};

/** The tools of the program that a session of this mode offers. */
export function selectTools(tools: readonly HostTool[], mode: CliInput['mode']): readonly HostTool[] {
  return tools.filter(({ name }) => !OF_OTHER_MODE[mode].includes(name));
}

/** For a server without a tool `report`. */
export function createReportTool(control: Control, description: string): Tool<z.input<typeof findingsSchema>> {
  return defineTool({
    name: 'report',
    description,
    input: findingsSchema as z.ZodType<z.input<typeof findingsSchema>>,
    effects: ['read'],
    resume: 'repeat',
    prepare: async () => ({ title: 'report', access: [] }),
    async run(input) {
      control.findings = findingsSchema.parse(input);
      control.finish();
      return { text: JSON.stringify({ accepted: true }) };
    },
  });
}

type Caller = (name: string, input: Record<string, unknown>, signal: AbortSignal) => Promise<HostResult>;

function createCaller({ connection, control, access, maxEvals, requestTimeoutMs }: ToolsOptions): Caller {
  let evals = 0;
  let timeouts = 0;
  const check = (name: string, input: Record<string, unknown>): void => {
    if (name === 'report') checkFindings(input);
    if (name !== 'eval') return;
    if (access === 'read' && input['readOnly'] === false) {
      throw new KlausError('denied', 'This investigation may only read: call eval without `readOnly: false`.');
    }
    if (maxEvals !== undefined && evals >= maxEvals) {
      throw new KlausError('limit', `All ${maxEvals} evaluations are used. Report what is known.`);
    }
    evals++;
  };
  return async (name, input, signal) => {
    check(name, input);
    try {
      const result = await connection.call(name, input, { signal, timeoutMs: toDuration(input) + requestTimeoutMs });
      timeouts = 0;
      if (!result.isError) settle(control, { name, input, result });
      return result;
    } catch (error) {
      if (error instanceof CliFailure) control.fail(error);
      if (error instanceof HostTimeout && ++timeouts >= MAX_TIMEOUTS) {
        control.fail(new CliFailure('server', `The program does not answer any more: ${error.message}`));
      }
      const code = signal.aborted ? 'cancelled' : 'tool.failed';
      throw new KlausError(code, messageOf(error), { cause: error });
    }
  };
}

/** Ends the session with the call that ends its work. */
function settle(
  control: Control,
  { name, input, result }: { name: string; input: Record<string, unknown>; result: HostResult },
): void {
  if (name === 'report') {
    control.findings = findingsSchema.parse(input);
    control.finish();
  }
  if (name === 'set_result' && (result.data as { accepted?: unknown } | null | undefined)?.accepted !== false) {
    control.isAccepted = true;
    control.finish();
  }
  if (name === 'fail_implementation') {
    const reason = typeof input['reason'] === 'string' ? input['reason'] : 'no reason was given';
    control.fail(new CliFailure('refused', `The agent cannot produce the result: ${reason}`));
  }
}

function checkFindings(input: Record<string, unknown>): void {
  const parsed = findingsSchema.safeParse(input);
  if (parsed.success) return;
  const issues = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
  throw new KlausError('tool.input', `Invalid input for report: ${issues.slice(0, 8).join('; ')}.`);
}

function toDuration({ timeoutMs }: Record<string, unknown>): number {
  return typeof timeoutMs === 'number' && timeoutMs > 0 ? Math.min(timeoutMs, MAX_EVAL_MS) : EVAL_MS;
}

function toObjectSchema({ inputSchema }: HostTool): Readonly<Record<string, unknown>> {
  return { ...inputSchema, type: 'object' };
}

function toTitle(name: string, input: Record<string, unknown>, access: Access): string {
  const shown = typeof input['code'] === 'string' ? input['code'] : JSON.stringify(input);
  const line = shown.replaceAll(/\s+/g, ' ').trim();
  const cut = line.length > TITLE_LENGTH ? `${headOf(line, TITLE_LENGTH)}…` : line;
  const how = name === 'eval' ? `eval (${access})` : name;
  return cut === '{}' ? `${how} in the program` : `${how} in the program: ${cut}`;
}
