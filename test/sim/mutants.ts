import { registerHooks } from 'node:module';
import type { Invariant } from './monitor.ts';

/** A build that is broken on purpose, by other words in the source of one module. The shipped code has no switch for it. */
export interface Mutant {
  name: string;
  /** What is wrong with it. */
  what: string;
  /** End of the module's path. */
  file: string;
  /** Stands in that module exactly once. */
  from: string;
  to: string;
  /** One of these is what breaks. */
  breaks: readonly Invariant[];
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'emit-before-append',
    what: 'subscribers are told before the transaction is committed',
    file: 'adapters/store/sqlite/log/group-commit.ts',
    from: 'written.push(jobs[0]!);',
    to: 'written.push(jobs[0]!); jobs[0]!.tell();',
    breaks: ['append before emit'],
  },
  {
    name: 'effect-before-intent',
    what: 'calls run while their intents are still being written',
    file: 'core/agent/calls/run-calls.ts',
    from: 'await work.append([...before, ...bodies]);',
    to: 'const intents = work.append([...before, ...bodies]); if (ready.length === 0) await intents;',
    breaks: ['intent before effect', 'one gate'],
  },
  {
    name: 'tell-runs-again',
    what: 'a command that a crash interrupted is run once more',
    file: 'core/agent/calls/find-outcome.ts',
    from: "case 'tell': {",
    to: "case 'tell': { return 'repeat';",
    breaks: ['at most once'],
  },
  {
    name: 'probe-is-blind',
    what: 'an edit that a crash interrupted is always made once more',
    file: 'core/agent/calls/find-outcome.ts',
    from: "if (found === 'before') return 'repeat';",
    to: "if (found) return 'repeat';",
    breaks: ['at most once'],
  },
  {
    name: 'gate-lets-pass',
    what: 'a call that the gate would ask about or deny runs',
    file: 'core/agent/calls/decide-call.ts',
    from: "if (decision.verdict === 'allow') {",
    to: "if (decision.verdict !== 'deny') {",
    breaks: ['one gate'],
  },
  {
    name: 'budget-not-kept',
    what: 'a request leaves also when its worst case passes a limit',
    file: 'core/agent/loop/next.ts',
    from: "if (reached) return isBetween ? askOrPark(state, reached) : { kind: 'closeTurn' };",
    to: '',
    breaks: ['within the limits'],
  },
  {
    name: 'retry-not-kept',
    what: 'a request is sent again without looking at the limits',
    file: 'core/agent/model/request-model.ts',
    from: 'const hasRoom = leavesRoom(',
    to: 'const hasRoom = true || leavesRoom(',
    breaks: ['within the limits'],
  },
  {
    name: 'not-reserved',
    what: 'a request leaves, and nothing was set aside for it',
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
    name: 'approval-not-bound',
    what: 'an approval lets pass whatever the call has become',
    file: 'core/agent/calls/question.ts',
    from: 'return key(before) === key(now);',
    to: 'return true;',
    breaks: ['approvals are bound'],
  },
  {
    name: 'settled-twice',
    what: 'a question that expired takes an answer all the same',
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
    breaks: ['commands count once', 'every run ends', 'approvals settled once'],
  },
  {
    name: 'withdrawn-and-said',
    what: 'what takes a message back is consumed, and the message stays',
    file: 'core/agent/loop/inbox.ts',
    from: 'isWaiting ? [command.id, command.command] : [command.id]',
    to: 'isWaiting ? [command.id] : [command.id]',
    breaks: ['taken back or said'],
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
    name: 'no-state-before',
    what: 'an effect begins and no state before it was kept',
    file: 'core/agent/workspace/snapshot-workspace.ts',
    from: 'return tools.every((tool) => isReadOnly(tool.effects)) ? [] : await snapshotWorkspace(work);',
    to: 'return tools.length > 1 ? await snapshotWorkspace(work) : [];',
    breaks: ['changes can be taken back'],
  },
];

/** Loads the mutant instead of the shipped module, in this thread, from now on. @throws when its words are not there. */
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
