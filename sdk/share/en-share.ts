import type { OutputPart } from '@klaus/core/conversation';
import type { EventOf } from '@klaus/core/protocol';
import { pluralize } from '@klaus/core/pluralize';
import { describeOutputPart } from '../transcript/describe-output-part.ts';
import { formatCount, formatDuration, formatUsage, formatUsd } from '../transcript/format.ts';

const count = (n: number, noun: string) => `${formatCount(n)} ${pluralize(n, { one: noun, other: `${noun}s` })}`;

/** Texts of a shared session in English. */
export const enShare = {
  language: 'en',
  session: (id: string) => `Session ${id}`,
  turns: (n: number) => count(n, 'turn'),
  toolCalls: (n: number) => count(n, 'tool call'),
  usage: formatUsage,
  usd: formatUsd,
  image: 'Attached image',
  byUser: 'entered by the user',
  gate: (verdict: 'allow' | 'ask' | 'deny') => `Gate: ${verdict}`,
  moreLines: (n: number) => `… ${count(n, 'more line')}`,
  outputPart: (part: OutputPart) => `${describeOutputPart(part)}.`,
  open: 'open',
  results: { ok: 'ok', error: 'error', denied: 'denied', cancelled: 'cancelled', unknown: 'unknown' } as Readonly<
    Record<EventOf<'tool.finished'>['outcome'], string>
  >,
  answers: {
    approved: 'approved',
    rejected: 'rejected',
    expired: 'expired',
    superseded: 'superseded',
  } as Readonly<Record<EventOf<'approval.answered'>['answer'], string>>,
  outcomes: {
    done: 'Done',
    failed: 'Failed',
    model_failed: 'The model failed',
    limit: 'Limit reached',
    denied: 'Rejected',
    cancelled: 'Cancelled',
  } as Readonly<Record<EventOf<'run.finished'>['outcome'], string>>,
  checks: { passed: 'passed', signal: 'ended by a signal', exit: (code: number) => `exit code ${code}` },
  claims: {
    none: 'no check',
    verified: 'verified',
    unverified: 'unverified',
    contradicted: 'contradicted',
  } as Readonly<Record<NonNullable<EventOf<'run.finished'>['claims']>[number]['status'], string>>,
  facts: {
    opened: (model: string, mode: string, sandbox: string) => `${model}, mode ${mode}, sandbox ${sandbox}`,
    agent: (name: string) => `agent ${name}`,
    attempted: (model: string, what: string) => `${model}: ${what}`,
    answersInstead: (model: string) => `${model} answers instead`,
    retry: (ms: number) => `retrying in ${formatDuration(ms)}`,
    used: (percent: number, limit: string) => `${Math.round(percent)} % of the ${limit} limit used`,
    compacted: (n: number) => `${count(n, 'older message')} replaced by a summary`,
    pinned: (text: string) => `pinned: ${text}`,
    runner: (agent: string, isResumed: boolean) =>
      `${agent} ${isResumed ? 'continues its session' : 'started a new session'}`,
    process: {
      started: (id: string) => `background process ${id} started`,
      exited: (id: string) => `background process ${id} exited`,
      stopped: (id: string) => `background process ${id} was stopped`,
      lost: (id: string) => `background process ${id} is gone`,
    },
    restored: {
      undo: (files: number) => `${count(files, 'path')} restored`,
      redo: (files: number) => `${count(files, 'path')} redone`,
      file: (files: number) => `${count(files, 'path')} restored`,
      review: (files: number) => `${count(files, 'path')} rejected`,
    } as Readonly<Record<EventOf<'workspace.restored'>['kind'], (files: number) => string>>,
    committed: (commit: string, files: number) => `checkpoint ${commit}, ${count(files, 'file')}`,
    copies: {
      merged: 'The working copy was merged.',
      squashed: 'The working copy was merged as one commit.',
      rebased: 'The working copy was rebased.',
      kept: 'The working copy was kept as a branch.',
      discarded: 'The working copy was discarded.',
    } as Readonly<Record<EventOf<'workingCopy.ended'>['how'], string>>,
    escalated: 'More authority was approved for a limited time',
  },
  child: (agent: string) => `Conversation of ${agent}`,
  childLeftOut: 'The conversation is not in this file: it has too many child sessions.',
};

export type ShareText = typeof enShare;
