import { decide, isDerived, RULES } from '../../policy/index.ts';
import {
  KlausError,
  toKlausError,
  type CallPart,
  type Decision,
  type Event,
  type EventBody,
  type EventOf,
  type Evidence,
  headOf,
} from '../../protocol/index.ts';
import { readLog } from '../state/load-state.ts';
import type { Engine } from '../loop/engine.ts';
import { isReviewed, toGateContext } from '../calls/gate-context.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import type { Intent } from '../ports/tool.ts';
import { toLayerContext } from '../workspace/review-changes.ts';
import { openedOf } from '../state/state.ts';
import { trySnapshot } from './check-receipt.ts';
import { createToolContext } from '../calls/tool-context.ts';
import { withSession } from '../loop/with-session.ts';
import type { Work } from '../loop/work.ts';

export interface VerifyOptions {
  /** Who requested it, for the log. */
  by: string;
  /** True: the user approves the checks that the gate would ask about. Denied ones remain denied. Default false. */
  approve?: boolean;
  /** Stops the running check; it is not recorded. */
  signal?: AbortSignal;
  /** Called before each check that runs. */
  onCheck?: (command: string) => void;
}

export type VerifiedEvidence = EventOf<'evidence.verified'>;
type Row = VerifiedEvidence['checks'][number];

/**
 * Repeats the checks of the last run of a session that had any: the same calls with the same tools, the gate and the
 * sandbox, in the present workspace, with a new home folder. The results are appended as one event.
 *
 * @throws KlausError `store.busy` while a process holds the session, `usage` if a run is not finished or no check was
 *   recorded, `cancelled`.
 */
export async function verifyEvidence(
  engine: Engine,
  session: string,
  options: VerifyOptions,
): Promise<VerifiedEvidence> {
  const claimed = { session, stop: options.signal, hasNewHome: true };
  const verified = await withSession(engine, claimed, async (work) => {
    if (work.state.run) {
      throw new KlausError('usage', 'The run of this session is not finished.', {
        hint: `Answer its approvals (\`klaus approvals\`), resume it with \`klaus resume ${session}\`, or cancel it with \`klaus interrupt ${session}\`.`,
      });
    }
    const recorded = readRecorded(await readLog(engine.store, session));
    if (!recorded) {
      throw new KlausError('usage', 'No checks were recorded in this session.', {
        hint: 'A check is a test, a type check, a linter or a build in a command of its own. `klaus show` lists the commands.',
      });
    }
    const body = await verifyRows(work, recorded, options);
    const before = work.state.seq;
    await work.append([body]);
    for (const event of await readLog(engine.store, session, before))
      if (event.type === 'evidence.verified') return event;
    throw new Error('the appended event is not in the log');
  });
  if (verified) return verified;
  throw new KlausError('store.busy', 'Another process holds this session.', {
    hint: `Cancel it with \`klaus interrupt ${session}\`, or wait until it has ended.`,
    retryable: true,
  });
}

interface Recorded {
  run: string;
  rows: Evidence[];
  calls: ReadonlyMap<string, CallPart>;
}

/** The checks of the last run that had any: the last result of each command. */
function readRecorded(events: Iterable<Event>): Recorded | undefined {
  const calls = new Map<string, CallPart>();
  let last: EventOf<'run.finished'> | undefined;
  for (const event of events) {
    if (event.type === 'run.finished' && event.evidence.length > 0) last = event;
    if (event.type !== 'message.added') continue;
    for (const part of event.message.parts) if (part.type === 'call') calls.set(part.id, part);
  }
  if (!last) return undefined;
  const rows = new Map(last.evidence.map((row) => [JSON.stringify([row.command, row.checks ?? null]), row]));
  return { run: last.run, rows: [...rows.values()], calls };
}

async function verifyRows(work: Work, recorded: Recorded, options: VerifyOptions): Promise<EventBody> {
  const { run, rows, calls } = recorded;
  await work.learnSecrets();
  const tree = openedOf(work.state).snapshots === false ? undefined : await trySnapshot(work);
  const checks: Row[] = [];
  for (const row of rows) checks.push(await verifyRow(work, { row, run, call: calls.get(row.call) }, options));
  const isChanged = tree === undefined ? undefined : await differs(work, rows, tree);
  return { type: 'evidence.verified', run, by: options.by, tree, isChanged, checks };
}

async function differs(work: Work, rows: readonly Evidence[], tree: string): Promise<boolean | undefined> {
  const snapshots = await work.snapshots();
  const last = rows.at(-1);
  const seen = last?.left ?? last?.tree;
  if (seen === undefined || !snapshots.has(seen)) return undefined;
  return (await snapshots.changes(seen, tree)).some(({ path }) => !isDerived(path));
}

async function verifyRow(
  work: Work,
  { row, run, call }: { row: Evidence; run: string; call: CallPart | undefined },
  options: VerifyOptions,
): Promise<Row> {
  const { command, exitCode: recorded } = row;
  const base = { call: row.call, command, recorded, exitCode: null, differs: false };
  const skip = (reason: string): Row => ({ ...base, result: 'skipped', reason });
  if (row.doubt !== undefined) return skip(`its exit code proves nothing: ${row.doubt}`);
  const tool = call && work.engine.tools.find(call.name);
  if (!call || !tool) return skip('the call or its tool no longer exists');
  if (call.redacted) return skip('it contained a secret that was redacted');
  const parsed = tool.input.safeParse(call.input);
  if (!parsed.success) return skip(`the input schema of ${call.name} has changed`);
  const context = await createToolContext(work, row.call);
  let intent: Intent;
  try {
    intent = (await tool.prepare?.(parsed.data, context)) ?? { title: call.name, access: [] };
  } catch (error) {
    return { ...base, result: 'failed', differs: recorded === 0, reason: toKlausError(error, 'tool.failed').message };
  }
  const decision = judge(work, { tool, intent }, options);
  const callHash = work.engine.ids.digest(JSON.stringify([call.name, call.input ?? null]));
  const head = { run, turn: work.state.turn, call: row.call, index: 0, name: call.name };
  // The decision must be durable before the check runs.
  await work.append([{ type: 'gate.decided', ...head, attempt: 1, ...decision, callHash }]);
  if (decision.verdict !== 'allow')
    return { ...base, result: 'denied', reason: `${decision.rule}: ${decision.reason}` };
  options.onCheck?.(intent.command ?? command);
  return { ...base, ...(await runAgain(work, { tool, intent, context, input: parsed.data }, recorded)) };
}

function judge(work: Work, { tool, intent }: Pick<ReadyCall, 'tool' | 'intent'>, { approve }: VerifyOptions): Decision {
  const facts = { name: tool.name, effects: tool.effects, access: intent.access, altered: false };
  const decision = decide(facts, toGateContext(work), [...RULES, ...work.engine.rules]);
  if (decision.verdict !== 'ask' || !approve) return decision;
  const finding = { rule: 'approval', verdict: 'allow' as const, reason: 'the user asked to repeat it' };
  return { ...finding, findings: [...decision.findings, finding] };
}

async function runAgain(
  work: Work,
  { tool, intent, context, input }: Omit<ReadyCall, 'call'>,
  recorded: number | null,
): Promise<Pick<Row, 'exitCode' | 'result' | 'differs'> & { reason?: string }> {
  // If changes are reviewed before they are applied, those of a repeated check are discarded.
  const layer = isReviewed(work, tool) ? await (await work.layers()).open({ signal: work.stop }) : undefined;
  try {
    const output = await tool.run(input, layer ? toLayerContext(context, layer) : context, intent);
    if (work.stop.aborted) throw new KlausError('cancelled', 'Cancelled before the checks had ended.');
    const { evidence } = output;
    if (!evidence) {
      const reason =
        output.text.split('\n').find((line) => line.trim() !== '' && !line.startsWith('$ ')) ?? 'it proved nothing';
      return { exitCode: null, result: 'failed', differs: true, reason: headOf(reason, 200) };
    }
    const { exitCode, doubt } = evidence;
    if (doubt !== undefined)
      return { exitCode, result: 'failed', differs: true, reason: `it proves nothing now: ${doubt}` };
    return { exitCode, result: exitCode === 0 ? 'passed' : 'failed', differs: exitCode !== recorded };
  } catch (error) {
    const known = toKlausError(error, 'tool.failed');
    if (known.code !== 'tool.failed') throw known;
    return { exitCode: null, result: 'failed', differs: true, reason: known.message };
  } finally {
    await layer?.close();
  }
}
