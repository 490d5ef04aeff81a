import type { CallEntry } from '@klaus/sdk/conversation';
import { FullView } from '../dialogs/full-view.ts';
import { toQuestionRows, type Question } from '../dialogs/question-lines.ts';
import { renderMarkdown } from '../screen/index.ts';
import { toSafe, wrap } from '../view/wrap.ts';
import { isInterrupted } from '../session/session-view.ts';
import { toEntryLines } from '../view/entry-lines.ts';
import { toDiffView } from '../view/diff-lines.ts';
import type { App } from './app.ts';
import { FullOutputs } from './full-outputs.ts';

interface Blocks {
  title: string;
  count: number;
  render: (index: number, width: number) => readonly string[];
  text: (index: number) => string;
  isAtEnd?: boolean;
}

/** The complete conversation, in which nothing is folded. */
export function openConversationView(app: App): void {
  if (!app.isReady) return;
  const { entries, title } = app.link.view.conversation;
  if (entries.length === 0) return app.setHint('The conversation is empty');
  const style = Object.create(app.style, { showThinking: { value: true } }) as typeof app.style;
  const { client, id, view } = app.link;
  const outputs = new FullOutputs({
    read: (call) => client.callOutput(id!, call),
    command: `klaus show ${id} --full`,
    onChange: () => shown.refresh(),
  });
  const readFull = (call: CallEntry) => outputs.of(call);
  const options = {
    style,
    now: Date.now(),
    spinner: '●',
    isInterrupted: isInterrupted(view),
    isExpanded: true,
    readFull,
  };
  void style.highlighter.load();
  const shown = open(app, {
    title: title || 'Conversation',
    count: entries.length,
    render(index, width) {
      const entry = entries[index]!;
      const output = view.inFlight.calls.get(entry.id)?.text ?? '';
      return toEntryLines(entries, index, { ...options, output, width });
    },
    text(index) {
      const entry = entries[index]!;
      return `${JSON.stringify(entry)}${entry.kind === 'call' ? (outputs.of(entry) ?? '') : ''}`;
    },
    isAtEnd: true,
  });
}

export function openQuestionView(app: App, question: Question): void {
  const given = { style: app.style, max: Number.POSITIVE_INFINITY };
  open(app, {
    title: 'Question',
    count: 1,
    render: (_, width) => [
      ...wrap(app.style.palette.strong(toSafe(question.title)), width),
      ...toQuestionRows(question, width, given),
    ],
    text: () => JSON.stringify(question),
  });
}

export function openDiffView(app: App, title: string, diff: string): void {
  const shown = open(app, {
    title,
    count: 1,
    render: (_, width) => toDiffView(diff, width, { ...app.style, isNamed: true }),
    text: () => diff,
  });
  void app.style.highlighter.load().then(() => shown.refresh());
}

export function openMarkdownView(app: App, title: string, text: string): void {
  const { markdown } = app.style;
  const render = (_: number, width: number): string[] => renderMarkdown(toSafe(text), width, markdown);
  open(app, { title, count: 1, render, text: () => text });
}

/** @param toLines Printable, may contain colours, of at most so many columns. */
export function openLinesView(app: App, title: string, toLines: (width: number) => readonly string[]): void {
  open(app, { title, count: 1, render: (_, width) => toLines(width), text: () => toLines(80).join('\n') });
}

function open(app: App, blocks: Blocks): FullView {
  const { screen, style } = app;
  const view = new FullView({
    ...blocks,
    palette: style.palette,
    rows: () => screen.terminal.rows,
    onChange: () => screen.requestRender(),
    onClose() {
      screen.closeFull();
      app.focusInput();
      app.questions.update();
    },
  });
  screen.openFull(view);
  screen.setFocus(view);
  return view;
}
