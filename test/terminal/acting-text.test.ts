// Covers apps/terminal/view, apps/terminal/dialogs: no text of a model, a command or a file acts on the terminal.
import { createParts, type CallEntry, type Entry } from '@klaus/sdk/conversation';
import { expect, test } from 'vitest';
import { findActing, toActingTexts } from '../fixtures/acting-texts.ts';
import { ApprovalContent } from '../../apps/terminal/dialogs/approval-content.ts';
import { QuestionPanel } from '../../apps/terminal/dialogs/question-panel.ts';
import type { Question } from '../../apps/terminal/dialogs/question-lines.ts';
import { START } from '../../apps/terminal/view/final-text.ts';
import { toEntryLines, toPartBlock } from '../../apps/terminal/view/entry-lines.ts';
import { createViewStyle } from '../../apps/terminal/view/view-style.ts';

/** The library ends each cut line with it. */
const RESET = '\u001b[0m';

const style = createViewStyle('none');
const options = { width: 60, style, now: 0, spinner: '', output: '', isExpanded: true, isInterrupted: false };
const base = { id: 'a', seq: 1, at: 0, turn: 1 };

function toCall(text: string): CallEntry {
  const result = { outcome: 'ok', output: text, changes: [{ path: text, kind: 'modified' }], durationMs: 1 };
  const input = { command: text };
  return { ...base, kind: 'call', name: 'run_command', input, state: 'finished', decisions: [], result } as never;
}

/** The frame of a question. */
function toPanel(question: Question): QuestionPanel {
  const none = (): void => {};
  const host = { open: none, close: none, requestRender: none, isBurst: false, rows: 200 };
  const given = { host, style, edit: async () => undefined, onAnswer: none, onLater: none, onView: none };
  const content = new ApprovalContent({ ...given, question, open: () => 1 });
  return new QuestionPanel({ content, palette: style.palette, isBurst: () => false, onLeave: none });
}

/** Everything that shows text of a model, a command, a file or another client. */
function toAllLines(text: string): string[] {
  const entries: Entry[] = [
    {
      ...base,
      kind: 'user',
      text,
      steered: false,
      files: [{ type: 'file', name: text, mediaType: 'text/plain' }],
      images: [],
    },
    { ...base, kind: 'model', text, thinking: text },
    toCall(text),
    { ...toCall(text), state: 'running' },
  ];
  const diff = `--- a/x\n+++ b/x\n@@ -1 +1 @@\n-${text.replaceAll('\n', '')}\n+b\n`;
  const asked = { title: text, reason: text, subject: { kind: 'call', command: text, diff }, expiresAt: 0 };
  const question = asked as unknown as Question;
  const parts = createParts();
  parts.append(text);
  return [
    ...entries.flatMap((entry) => toEntryLines([entry], 0, { ...options, output: text })),
    ...parts.list().flatMap((part) => toPartBlock([part], 0, { ...options, from: START })),
    ...toPanel(question).render(60),
  ];
}

test('no text acts on the terminal, wherever it is shown', () => {
  const acting = toActingTexts().flatMap((text) => findActing(toAllLines(text).join('\n').replaceAll(RESET, '')));
  expect(acting.slice(0, 3)).toEqual([]);
});
