import { registerHooks } from 'node:module';
import type { Invariant } from './checks/invariant.ts';

/** A deliberate bug, made by a replacement in the source of one module. */
export interface Mutant {
  name: string;
  /** The effect of the bug. */
  what: string;
  /** End of the module's path. */
  file: string;
  /** Must occur in that module exactly once. */
  from: string;
  to: string;
  /** One of these invariants must break. */
  breaks: readonly Invariant[];
  /** True for a bug that only the lives of two workers show. */
  isOfCluster?: boolean;
}

/** Bugs of the store, the sweep and the uploads of several machines. */
const CLUSTER_MUTANTS: readonly Mutant[] = [
  {
    name: 'claim-over-holder',
    what: 'a claim takes the session from a live holder',
    file: 'adapters/store/postgres/leases/leases.ts',
    from: 'if (isHeld && !isNewer) return',
    to: 'if (false) return',
    breaks: ['live holders keep the session'],
  },
  {
    name: 'late-claim',
    what: 'an older attempt than the last gets a free session',
    file: 'adapters/store/postgres/leases/leases.ts',
    from: 'if (attempt !== undefined && known !== undefined && attempt < known) return {};',
    to: '',
    breaks: ['live holders keep the session'],
  },
  {
    name: 'append-without-fence',
    what: 'a former holder appends',
    file: 'adapters/store/postgres/log/write-group.ts',
    from: 'if (head?.fence !== fence) return',
    to: 'if (!head) return',
    breaks: ['former holders append nothing'],
  },
  {
    name: 'sweep-does-nothing',
    what: 'a lost wake is not repaired',
    file: 'sdk/cluster/sweep.ts',
    from: "await scheduler.wake(taken[woken]!, 'sweep');",
    to: ';',
    breaks: ['lost wakes are repaired'],
  },
  {
    name: 'upload-after-event',
    what: 'an event names a state of the workspace before its upload',
    file: 'adapters/objects/state-archive.ts',
    from: 'const isNew = await ',
    to: 'const isNew = true; void ',
    breaks: ['objects before events'],
  },
  {
    name: 'blob-after-event',
    what: 'an event names a blob before its upload',
    file: 'adapters/objects/object-blobs.ts',
    from: 'await this.#store(toBlobKey(name), { path, size });',
    to: 'void this.#store(toBlobKey(name), { path, size }).catch(() => {});',
    breaks: ['objects before events'],
  },
  {
    name: 'other-worker-runs-again',
    what: 'another worker repeats a command that may have run',
    file: 'core/agent/calls/find-outcome.ts',
    from: "case 'tell': {",
    to: "case 'tell': { return 'repeat';",
    breaks: ['at most once'],
  },
];

export const MUTANTS: readonly Mutant[] = [
  ...CLUSTER_MUTANTS.map((mutant) => ({ ...mutant, isOfCluster: true })),
  {
    name: 'emit-before-append',
    what: 'subscribers are notified before the transaction is committed',
    file: 'adapters/store/sqlite/log/group-commit.ts',
    from: 'written.push(jobs[0]!);',
    to: 'written.push(jobs[0]!); jobs[0]!.notify();',
    breaks: ['append before emit'],
  },
  {
    name: 'effect-before-intent',
    what: 'calls run before their intents are durable',
    file: 'core/agent/calls/run-calls.ts',
    from: 'await work.append([...before, ...bodies]);',
    to: 'const intents = work.append([...before, ...bodies]); if (ready.length === 0) await intents;',
    breaks: ['intent before effect', 'one gate'],
  },
  {
    name: 'command-runs-again',
    what: 'a command that a crash interrupted runs again',
    file: 'core/agent/calls/find-outcome.ts',
    from: "case 'tell': {",
    to: "case 'tell': { return 'repeat';",
    breaks: ['at most once'],
  },
  {
    name: 'probe-is-blind',
    what: 'an edit that a crash interrupted is always repeated',
    file: 'core/agent/calls/find-outcome.ts',
    from: "if (found === 'before') return 'repeat';",
    to: "if (found) return 'repeat';",
    breaks: ['at most once'],
  },
  {
    name: 'gate-lets-pass',
    what: 'a call runs although the gate asks about it',
    file: 'core/agent/calls/decide-call.ts',
    from: "if (decision.verdict === 'allow') {",
    to: "if (decision.verdict !== 'deny') {",
    breaks: ['one gate'],
  },
  {
    name: 'budget-not-kept',
    what: 'a request is sent even if its maximum cost exceeds a limit',
    file: 'core/agent/loop/next.ts',
    from: "if (reached) return isBetween ? askOrPark(state, reached) : { kind: 'closeTurn' };",
    to: '',
    breaks: ['within the limits'],
  },
  {
    name: 'retry-not-kept',
    what: 'a request is retried regardless of the limits',
    file: 'core/agent/model/request-model.ts',
    from: 'const hasRoom = leavesRoom(',
    to: 'const hasRoom = true || leavesRoom(',
    breaks: ['within the limits'],
  },
  {
    name: 'not-reserved',
    what: 'a request is sent without a reservation',
    file: 'core/agent/model/request-model.ts',
    from: 'if (!openRequestOf(work.state)) {',
    to: 'if (false) {',
    breaks: ['reserved before spent'],
  },
  {
    name: 'abandoned-for-free',
    what: 'a request that a crash interrupted costs nothing',
    file: 'core/agent/loop/closing-events.ts',
    from: 'const usage = { input: reserved.tokens,',
    to: 'const usage = { input: 0,',
    breaks: ['sums agree', 'within the limits'],
  },
  {
    name: 'broken-for-free',
    what: 'an answer that breaks off costs nothing',
    file: 'core/agent/model/request-model.ts',
    from: 'began ? partial.toCharge(',
    to: 'false ? partial.toCharge(',
    breaks: ['sums agree'],
  },
  {
    name: 'approval-not-bound',
    what: 'an approval applies even if the call has changed',
    file: 'core/agent/calls/question.ts',
    from: 'return key(before) === key(now);',
    to: 'return true;',
    breaks: ['approvals are bound'],
  },
  {
    name: 'answered-after-expiry',
    what: 'an expired question accepts an answer',
    file: 'core/agent/loop/inbox.ts',
    from: 'const expired = [...work.state.approvals.values()].filter((asked) => asked.expiresAt <= now);',
    to: 'const expired: { run: string; approval: string }[] = []; void now;',
    breaks: ['approvals are bound', 'every run ends', 'nothing left open'],
  },
  {
    name: 'inbox-not-consumed',
    what: 'a command becomes events and stays in the inbox',
    file: 'core/agent/loop/inbox.ts',
    from: 'await work.append(bodies, [command.id]);',
    to: 'await work.append(bodies);',
    breaks: ['commands count once', 'every run ends', 'approvals answered once'],
  },
  {
    name: 'withdrawn-and-sent',
    what: 'a withdrawal is consumed, and its prompt remains',
    file: 'core/agent/loop/inbox.ts',
    from: 'isWaiting ? [command.id, command.command] : [command.id]',
    to: 'isWaiting ? [command.id] : [command.id]',
    breaks: ['withdrawn or sent'],
  },
  {
    name: 'results-in-other-order',
    what: 'results enter the history in the order of a set',
    file: 'core/agent/state/fold-calls.ts',
    from: 'const parts: ResultPart[] = state.calls.map(',
    to: 'const parts: ResultPart[] = state.calls.toReversed().map(',
    breaks: ['history is well-formed'],
  },
  {
    name: 'secret-in-log',
    what: 'results of tools are appended as they are',
    file: 'core/agent/loop/create-work.ts',
    from: '...redactBody(body, redactor)',
    to: '...body',
    breaks: ['secrets do not travel'],
  },
  {
    name: 'no-snapshot-before',
    what: 'an effect begins without a snapshot before it',
    file: 'core/agent/workspace/snapshot-workspace.ts',
    from: 'return tools.every((tool) => isReadOnly(tool.effects)) ? [] : await snapshotWorkspace(work);',
    to: 'return tools.length > 1 ? await snapshotWorkspace(work) : [];',
    breaks: ['changes can be undone'],
  },
];

/** Loads the mutant in place of the module, in this thread. @throws if the text to replace is missing. */
export function installMutant(name: string): Mutant {
  const mutant = MUTANTS.find((one) => one.name === name);
  if (!mutant) throw new Error(`There is no mutant ${name}: ${MUTANTS.map((one) => one.name).join(', ')}.`);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (!url.endsWith(mutant.file)) return loaded;
      const { source: bytes } = loaded;
      const source = typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes ?? undefined);
      if (source.split(mutant.from).length !== 2)
        throw new Error(`${mutant.name}: ${mutant.file} does not hold this once: ${mutant.from}`);
      return { ...loaded, source: source.replace(mutant.from, () => mutant.to) };
    },
  });
  return mutant;
}
