import { basename, relative } from 'node:path';
import type { ImagePart } from '@klaus/sdk';
import { modeChoices } from '../commands/mode-choices.ts';
import { toDroppedFile, toEdited } from '../composer/prompt-parts.ts';
import { toText } from '../footer/queue.ts';
import { openRewind } from './pickers.ts';
import type { App } from './app.ts';

/** Milliseconds after which a program that is not suspended continues. */
const SUSPEND_MS = 50;
/** Queues the input until the run ends. */
export function queueInput(app: App): void {
  const entered = app.composer.entered();
  app.composer.setText('');
  app.submit(entered, 'queue');
}

export function cycleMode(app: App): void {
  if (!app.isReady) return;
  const at = modeChoices.findIndex(({ value }) => value === app.link.mode);
  const { value: next } = modeChoices[(at + 1) % modeChoices.length]!;
  app.do(() => app.link.chooseMode(next));
}

/** Cancels the run; twice in an idle session, opens the list of moments to return to. */
export function onEscape(app: App): boolean {
  if (app.composer.isShowingAutocomplete() || !app.isReady) return false;
  if (app.link.isWorking) {
    app.do(() => app.link.cancel());
    return true;
  }
  if (app.composer.getText() !== '') return false;
  if (app.isDouble('escape')) openRewind(app);
  else app.setHint('Esc again: rewind');
  return true;
}

/** Clears the input; twice, leaves at once. */
export function onInterrupt(app: App): void {
  if (app.isDouble('ctrl+c')) return app.leave();
  app.composer.setText('');
  return app.setHint(
    app.isReady && app.link.isWorking ? 'Ctrl-C again leaves; Esc cancels the run' : 'Ctrl-C again leaves',
  );
}

/** Leaves, if the input is empty. */
export function onEnd(app: App): boolean {
  if (app.composer.getText() !== '') return false;
  app.leave();
  return true;
}

/** Terminals in which a queued message is being withdrawn. */
const editing = new WeakSet<App>();

/** Withdraws the last queued message or shell command and puts it into the empty input, with its files and images. */
export function editQueued(app: App): boolean {
  const last = app.isReady ? app.link.view.queue.at(-1) : undefined;
  if (!last || app.composer.getText() !== '') return false;
  // A second press takes nothing else.
  if (editing.has(app)) return true;
  editing.add(app);
  app.do(async () => {
    try {
      await app.client.withdraw(app.link.id!, last.command);
    } finally {
      editing.delete(app);
    }
    const { text, attached } = toEdited(last.parts, app.attached.length + 1);
    app.attached.push(...attached);
    // What was typed since the key is kept.
    app.composer.setText([last.shell === undefined ? text : toText(last), app.composer.getText()].join('\n').trim());
  });
  return true;
}

export function toggleThinking(app: App): void {
  const showThinking = !app.style.showThinking;
  app.style.showThinking = showThinking;
  app.savePreferences({ showThinking });
  app.setHint(showThinking ? 'Thinking is shown from now on' : 'Thinking is folded');
}

/** Edits the prompt in the user's editor. */
export function editPrompt(app: App): void {
  app.do(async () => {
    const text = await app.lent.edit(app.composer.getExpandedText(), 'prompt.md');
    if (text !== undefined) app.composer.setText(text.trimEnd());
  });
}

export function pasteImage(app: App): void {
  app.do(async () => {
    const { readClipboardImage } = await import('../composer/clipboard.ts');
    const part = await readClipboardImage();
    if (part) attachImage(app, part, 'clipboard');
    else app.setHint('The clipboard has no image');
  });
}

/** Attaches a dropped image, or names a dropped file. False for any other text. */
export function pasteFile(app: App, text: string): boolean {
  const dropped = toDroppedFile(text);
  if (!dropped) return false;
  const { path, image } = dropped;
  if (image) attachImage(app, image, basename(path));
  else {
    const name = relative(app.options.folder, path);
    app.composer.insertTextAtCursor(`@${name.startsWith('..') ? path : name} `);
  }
  return true;
}

/** Attaches an image by a mark in the input. */
function attachImage(app: App, part: ImagePart, name: string): void {
  const mark = `[image ${app.attached.length + 1}: ${name}]`;
  app.attached.push({ mark, part });
  app.composer.insertTextAtCursor(`${mark} `);
  app.screen.requestRender();
}

export function suspend({ screen }: App): void {
  const resume = (): void => {
    clearTimeout(ignored);
    process.off('SIGCONT', resume);
    screen.start();
  };
  screen.stop();
  process.once('SIGCONT', resume);
  process.kill(process.pid, 'SIGTSTP');
  // The kernel ignores the signal where no shell could continue the program, as in a container.
  const ignored = setTimeout(resume, SUSPEND_MS);
}
