import { headOf } from '../../protocol/index.ts';
import type { EventBody } from '../../protocol/index.ts';
import type { ReadyCall, ToolFinished } from '../calls/judged-call.ts';
import type { Work } from '../loop/work.ts';
import { openedOf, runOf } from '../state/state.ts';
import { toHookedCalls, toToolNames } from './hook-input.ts';
import { reportFormat } from '../formatting/session-formatter.ts';
import { reportProblems } from '../diagnostics/report-problems.ts';
import type { AfterCall } from './hook-results.ts';
import { toFailedNotice, toTaggedText } from './hook-notice.ts';
import { chooseHooks, toHookSource } from './hooks.ts';
import { runHook } from './run-hook.ts';

/** Maximum characters that the hooks of one call add to its result. */
const MAX_TEXT = 8_000;

/**
 * Runs the hooks after a call that succeeded. What they print is added to its result, for the model, and so is what the
 * formatters of the project and language servers report, which work at the same time.
 */
export async function runAfterCall(work: Work, ready: ReadyCall, finished: ToolFinished): Promise<AfterCall> {
  if (finished.outcome !== 'ok' || ready.call.by === 'user') return { finished, notices: [] };
  const found = Promise.all([reportFormat(work, ready), reportProblems(work, ready)]);
  // A failure of the hooks comes first.
  found.catch(() => {});
  const { texts, notices, source } = await runHooks(work, ready, finished);
  const parts = [finished.output, texts.length === 0 ? '' : cut(texts.join('\n')), ...(await found)];
  if (work.stop.aborted) return { finished, notices };
  const output = parts.filter((part) => part !== '').join('\n\n');
  const { untrusted = source === undefined ? undefined : { source: work.redactor.redact(source) } } = finished;
  return { finished: { ...finished, output, ...(untrusted ? { untrusted } : {}) }, notices };
}

async function runHooks(
  work: Work,
  ready: ReadyCall,
  finished: ToolFinished,
): Promise<{ texts: string[]; notices: EventBody[]; source?: string }> {
  const { call, intent } = ready;
  const { hooks = {} } = work.engine.settings;
  const texts: string[] = [];
  const notices: EventBody[] = [];
  let source: string | undefined;
  for (const one of chooseHooks(hooks, 'PostToolUse', toToolNames(call.name, intent))) {
    for (const hooked of toHookedCalls(ready, openedOf(work.state).workspace)) {
      const { file_path: filePath } = hooked.tool_input;
      const fields = {
        ...hooked,
        tool_response: { success: true, output: finished.output, filePath },
        tool_use_id: call.id,
        duration_ms: finished.durationMs,
      };
      const answer = await runHook(work, one, { event: 'PostToolUse', fields });
      if (work.stop.aborted) return { texts: [], notices };
      if ('failure' in answer) {
        notices.push(toFailedNotice(runOf(work.state).id, `${one.name}: ${answer.failure}`));
        continue;
      }
      const text = [answer.decision === 'none' ? '' : answer.reason, answer.context].filter(Boolean).join('\n');
      if (text === '') continue;
      texts.push(toTaggedText(one, text));
      source ??= toHookSource(one);
    }
  }
  return { texts, notices, ...(source === undefined ? {} : { source }) };
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${headOf(text, MAX_TEXT)}\n[… ${text.length - MAX_TEXT} more characters]`;
}
