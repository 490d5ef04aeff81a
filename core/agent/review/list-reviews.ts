import { optional } from '../../protocol/index.ts';
import { REVIEWERS, type ReviewedCall, type Reviewer, type ReviewerName } from '../../reviewers/index.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import type { Work } from '../loop/work.ts';
import { openedOf } from '../state/state.ts';
import { listJudgedErrors, listRecent, listRequests, readEdit, toRules, type EditedText } from './review-input.ts';

const INSTRUCTIONS = /(?:^|\/)(?:CLAUDE(?:\.local)?|AGENTS)\.md$/i;
/** Effects whose calls change or reach something that no edit shows. */
const REACHING: ReadonlySet<string> = new Set(['execute', 'network', 'deploy']);

/** A question of a reviewer about one call. */
export interface Question {
  reviewer: Reviewer<unknown>;
  input: unknown;
}

/** The questions about a call that the gate does not deny, in order. Empty for one that only reads. */
export async function listReviews(
  { state }: Pick<Work, 'state'>,
  ready: ReadyCall,
  names: ReadonlySet<ReviewerName>,
): Promise<Question[]> {
  const { tool, intent, context } = ready;
  const edits = await Promise.all((intent.edits ?? []).map((edit) => readEdit(context.workspace, edit)));
  const isWrite = intent.access.some((access) => access.kind === 'fs' && access.right === 'w');
  const isReaching =
    tool.sends === true || tool.effects.some((effect) => REACHING.has(effect)) || (isWrite && edits.length === 0);
  if (edits.length === 0 && !isReaching) return [];
  const request = listRequests(state);
  const call = toReviewedCall(state, ready);
  const recent = listRecent(state);
  const questions = [
    ask('error-acknowledge', { next: call, recent, acknowledged: listJudgedErrors(state) }),
    ...(edits.length === 0 ? [] : askAboutEdits(edits, { request, recent, plan: state.plan })),
    ...(isReaching ? [ask('tool-approve', { ...call, request, rules: toRules(state) })] : []),
  ];
  return questions.filter(({ reviewer }) => names.has(reviewer.name));
}

function askAboutEdits(
  edits: readonly EditedText[],
  { request, recent, plan }: { request: string[]; recent: unknown[]; plan: string | undefined },
): Question[] {
  const changes = edits.map(({ file }) => file);
  const changed = edits.map(({ path }) => path);
  const instructions = edits.filter(({ path }) => INSTRUCTIONS.test(path));
  const others = edits.filter(({ path }) => !INSTRUCTIONS.test(path)).map(({ file }) => file);
  return [
    ...instructions.map(({ path, before, after }) => ask('claude-md-validate', { path, before, after, request })),
    ...(plan === undefined ? [] : [ask('plan-validate', { request, plan, changes })]),
    ...(request.length === 0
      ? []
      : [
          ask('intent-validate', { request, recent, changed }),
          ask('validate-intent', { request, changes, complete: false }),
        ]),
    ...(others.length === 0 ? [] : [ask('style-drift', { request, changes: others })]),
  ];
}

/** An appeal against a denial. In a child session no user has said anything. */
export function toAppeal({ state }: Pick<Work, 'state'>, ready: ReadyCall, denial: string): Question {
  const request = openedOf(state).parent ? [] : listRequests(state);
  return ask('tool-appeal', { ...toReviewedCall(state, ready), denial, request });
}

/** `review` checks the input with the schema of the reviewer. */
function ask(name: ReviewerName, input: unknown): Question {
  return { reviewer: REVIEWERS[name] as Reviewer<unknown>, input };
}

function toReviewedCall(state: Work['state'], { call, input, intent }: ReadyCall): ReviewedCall {
  const given = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {};
  const cwd = intent.access.find((access) => access.kind === 'exec')?.cwd;
  return {
    tool: call.name,
    // Tools that run a command of their own are judged by it.
    input: { ...given, ...optional({ command: intent.command }) },
    root: openedOf(state).workspace,
    cwd,
  };
}
