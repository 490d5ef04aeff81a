import { headOf } from '@klaus/core/cut-text';
import type { Conversation } from './conversation.ts';
import type { Script, Step, When } from './script.ts';

/** The step that answers, or why none does, one line a step. */
export type Match = { step: Step; index: number } | { misses: string[] };

/**
 * Finds the step for a request from the conversation alone, so that a client which was killed and asks
 * again gets the same answer. Steps with conditions are tried first, in order; a step without any answers
 * the request that has as many assistant messages as there are such steps before it.
 */
export function findStep(script: Script, conversation: Conversation): Match {
  const misses: string[] = [];
  for (const [index, step] of script.steps.entries()) {
    if (isUnconditional(step)) continue;
    const miss = findMiss(step.when!, conversation);
    if (!miss) return { step, index };
    misses.push(`step ${index + 1}: ${miss}`);
  }
  let position = 0;
  for (const [index, step] of script.steps.entries()) {
    if (!isUnconditional(step)) continue;
    if (position === conversation.turn) return { step, index };
    misses.push(`step ${index + 1}: answers turn ${position}`);
    position++;
  }
  return { misses };
}

function isUnconditional(step: Step): boolean {
  return !step.when || Object.values(step.when).every((condition) => condition === undefined);
}

function findMiss(when: When, conversation: Conversation): string | undefined {
  const { turn, after, result, tools, search } = when;
  if (turn !== undefined && turn !== conversation.turn) return `turn is ${conversation.turn}, not ${turn}`;
  if (tools !== undefined && tools !== conversation.tools.length > 0) {
    return tools ? 'the request brings no tools' : 'the request brings tools';
  }
  if (search !== undefined && search !== conversation.search) {
    return search ? 'the request does not ask for a search' : 'the request asks for a search';
  }
  for (const name of ['user', 'system', 'model'] as const) {
    const pattern = when[name];
    if (pattern !== undefined && !new RegExp(pattern).test(conversation[name]))
      return `${name} does not match /${pattern}/`;
  }
  const results = conversation.newest.filter((newest) => after === undefined || newest.tool === after);
  if (after !== undefined && results.length === 0) return `the newest results are not of ${after}`;
  if (result !== undefined && !results.some((newest) => new RegExp(result).test(newest.text))) {
    return `no newest result matches /${result}/`;
  }
  return undefined;
}

/** What was asked, for the message that says that no step fits. */
export function describeRequest(conversation: Conversation): string {
  const { turn, user, newest, tools, model } = conversation;
  return [
    `turn ${turn}`,
    `model ${model}`,
    `user ${quote(user)}`,
    `newest results ${newest.length === 0 ? 'none' : newest.map(({ tool, text }) => `${tool}: ${quote(text)}`).join(', ')}`,
    `tools ${tools.length === 0 ? 'none' : tools.map(({ name }) => name).join(' ')}`,
  ].join('; ');
}

function quote(text: string): string {
  return JSON.stringify(text.length > 200 ? `${headOf(text, 200)}…` : text);
}
