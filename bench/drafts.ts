import { createSqliteStore } from '@klaus/adapters/store';
import type { Draft } from '@klaus/core/agent';

const RUN = '01KE0000000000000000000RUN';
const HASH = 'a'.repeat(64);
const MODEL = 'anthropic/claude-sonnet-5-5';
/** 2026-01-02T03:04:05.000Z */
const START = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Events of one transaction. */
const BATCH = 350;

/** Appends to the log of a session through the store's own append. @returns Seq of the last event. */
export async function writeLog(home: string, session: string, drafts: readonly Draft[]): Promise<number> {
  using store = createSqliteStore({ home });
  const lease = (await store.claim(session))!;
  let last = 0;
  for (let at = 0; at < drafts.length; at += BATCH) {
    const events = await store.append(session, drafts.slice(at, at + BATCH), { lease });
    last = events.at(-1)!.seq;
  }
  await lease.release();
  return last;
}

/** The end of the run, with which a session is done. */
export function toRunEnd(turns: number): Draft {
  return {
    type: 'run.finished',
    run: RUN,
    outcome: 'done',
    reason: 'The model ended its turn.',
    usage: { input: 0, output: 60, cacheRead: 12_000, cacheWrite: 300 },
    usd: 0.01,
    turns,
    toolCalls: turns,
    evidence: [],
    at: START + (turns + 1) * 1_000,
  };
}

/** Writes a log for each of several sessions. */
export async function writeLogs(
  home: string,
  sessions: readonly string[],
  toDrafts: (number: number) => readonly Draft[],
): Promise<void> {
  using store = createSqliteStore({ home });
  for (const [number, session] of sessions.entries()) {
    const lease = (await store.claim(session))!;
    const drafts = toDrafts(number);
    for (let at = 0; at < drafts.length; at += BATCH)
      await store.append(session, drafts.slice(at, at + BATCH), { lease });
    await lease.release();
  }
}

/** A session with a prompt and an answer of its own. Each is a minute after the one before. */
export function toShortSession(workspace: string, number: number): Draft[] {
  const say = (role: 'user' | 'assistant', text: string): Draft => {
    const origin = role === 'user' ? ('user' as const) : ('model' as const);
    const message = { id: role, role, origin, parts: [{ type: 'text' as const, text }] };
    return { type: 'message.added', run: RUN, turn: 0, message, at: START };
  };
  const drafts = [
    ...toOpening(workspace),
    say('user', `Find out why test ${number} fails now and then, and repair it without changing the test.`),
    say('assistant', `The order of two promises decided.\nTest ${number} passes 100 times of 100 now.`),
    toRunEnd(0),
  ];
  return drafts.map((draft) => ({ ...draft, at: draft.at + number * 60_000 }));
}

/** The events of a log before the first turn. */
export function toOpening(workspace: string): Draft[] {
  const limits = { tokens: 0, usd: 0, toolCalls: 0, turns: 0 };
  return [
    {
      type: 'session.opened',
      workspace,
      model: MODEL,
      mode: 'auto',
      patchApproval: false,
      sandbox: 'host',
      checkpoint: 'auto',
      limits,
      grant: { authorities: [] },
      system: 'You are Klaus.',
      tools: ['read_file'],
      klaus: '0.1.0',
      at: START,
    },
    { type: 'run.started', run: RUN, trigger: 'prompt', onAsk: 'deny', at: START },
  ];
}

/** The seven facts of a turn that reads one file, each about as long as in a real session. */
export function toTurnDrafts(turn: number): Draft[] {
  const at = START + turn * 1_000;
  const call = `call_${turn}`;
  const head = { run: RUN, turn, call, index: 0, name: 'read_file' };
  const usage = { input: 0, output: 60, cacheRead: 12_000 + turn, cacheWrite: 300 };
  const reason = 'the workspace may be read';
  return [
    {
      type: 'turn.started',
      run: RUN,
      turn,
      model: MODEL,
      requestHash: HASH,
      reserved: { tokens: 20_000, usd: 0.1 },
      at,
    },
    {
      type: 'model.attempted',
      run: RUN,
      purpose: 'turn',
      turn,
      model: MODEL,
      attempt: 1,
      outcome: 'ok',
      usage,
      usd: 0.01,
      at,
    },
    {
      type: 'message.added',
      run: RUN,
      turn,
      message: {
        id: `message-${turn}`,
        role: 'assistant',
        origin: 'model',
        parts: [
          { type: 'text', text: 'I read the next file to see how the sum is made there.' },
          { type: 'call', id: call, name: 'read_file', input: { path: `src/part-${turn}.ts` } },
        ],
      },
      at,
    },
    { type: 'turn.finished', run: RUN, turn, stopReason: 'tool_use', at },
    {
      type: 'gate.decided',
      ...head,
      attempt: 1,
      verdict: 'allow',
      rule: 'grant',
      reason,
      findings: [{ rule: 'grant', verdict: 'allow', reason }],
      callHash: HASH,
      at,
    },
    { type: 'tool.started', ...head, attempt: 1, resume: 'repeat', changes: [], at },
    {
      type: 'tool.finished',
      ...head,
      outcome: 'ok',
      output: 'export const sum = (a, b) => a + b;\n'.repeat(40),
      changes: [],
      durationMs: 1,
      at,
    },
  ];
}

/** The history but its last `kept` turns is replaced by notes. */
export function toCompaction(turn: number, kept: number): Draft {
  const summary = 'I read one file after the other to see how each sum is made. '.repeat(100);
  const at = START + turn * 1_000;
  return {
    type: 'context.compacted',
    run: RUN,
    turn,
    summary,
    firstKept: `message-${Math.floor(turn - kept)}`,
    dropped: 2 * Math.floor(turn - kept),
    at,
  };
}

/** A run that continues the work. */
export function toRunStart(): Draft[] {
  const run = '01KE000000000000000000RUN2';
  const parts = [{ type: 'text' as const, text: 'Continue.' }];
  const message = { id: 'go-on', role: 'user' as const, origin: 'user' as const, parts };
  return [
    { type: 'run.started', run, trigger: 'prompt', onAsk: 'deny', at: START },
    { type: 'message.added', run, turn: 0, message, at: START },
  ];
}
