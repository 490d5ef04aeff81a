import type { ClientAttentionItem, SessionClient } from '@klaus/sdk/client';
import type { PromptHistory } from '../composer/history.ts';
import type { AttachedPart } from '../composer/prompt-parts.ts';
import type { Dialog, DialogHost } from '../dialogs/dialog.ts';
import type { Question } from '../dialogs/question-lines.ts';
import type { QuestionPanel } from '../dialogs/question-panel.ts';
import type { Preferences } from '../preferences.ts';
import type { Entered, InlineScreen, PromptEditor } from '../screen/index.ts';
import type { SessionLink } from '../session/session-link.ts';
import type { TerminalOptions, TerminalStart } from '../terminal-options.ts';
import type { ViewStyle } from '../view/view-style.ts';

export interface AppOptions extends TerminalOptions {
  preferences: Preferences;
  style: ViewStyle;
  screen: InlineScreen;
  composer: PromptEditor;
}

/** A command of the list, without what it does. */
export interface ListedCommand {
  name: string;
  argument?: string;
  summary: string;
}

/** The terminal, as its commands, keys, dialogs and views see it. */
export interface App {
  readonly options: AppOptions;
  readonly screen: InlineScreen;
  readonly composer: PromptEditor;
  readonly style: ViewStyle;
  readonly history: PromptHistory;
  readonly host: DialogHost;
  readonly preferences: Preferences;
  start: TerminalStart;
  /** What other sessions need from the user. */
  readonly attention: { readonly others: readonly ClientAttentionItem[]; readonly hint: string };
  /** A message at the right end of the status line. */
  readonly hint: string;
  readonly branch: string | undefined;
  /** False until the client is open; `link` and `client` cannot be used before. */
  readonly isReady: boolean;
  readonly link: SessionLink;
  readonly client: SessionClient;
  readonly questions: {
    /** All that are open, those of child sessions too. */
    list(): readonly Question[];
    /** Shows postponed ones again. */
    recall(): void;
    /** Shows postponed ones again, and gives the keys to the first one. */
    focus(): void;
    update(): void;
    /** True for the one that is shown. */
    isShown(approval: string): boolean;
    /** The one that is shown above the input. */
    readonly panel: QuestionPanel | undefined;
    /** The one that has the keys. */
    readonly focused: QuestionPanel | undefined;
    /** Uses a key of the input that focuses or answers the question. False: the key is not used. */
    handleKey(data: string): boolean;
  };
  /** Images and files that were attached and not sent yet. */
  attached: AttachedPart[];
  commands(): readonly ListedCommand[];
  leave(exitCode?: number): void;
  /** Writes a line that is not in the log. */
  note(text: string, mark?: 'ok' | 'warn' | 'bad' | 'info'): void;
  /** Writes a printable text, which may contain colours. */
  print(text: string): void;
  fail(error: unknown): void;
  /** Does something that may fail, and shows the error. */
  do(action: () => Promise<void> | void): void;
  openDialog(dialog: Dialog): void;
  closeDialog(): void;
  /** Gives the keys to the dialog, to a focused question, or to the input. A view of the complete screen keeps them. */
  focusInput(): void;
  /** Other programs in the terminal. */
  readonly lent: {
    readonly isLent: boolean;
    /** Opens a text in the user's editor. Undefined: it failed. */
    edit(text: string, name: string): Promise<string | undefined>;
    /** Runs this program for other words, such as `login`. @returns Its exit code. */
    run(words: readonly string[]): Promise<number | undefined>;
  };
  savePreferences(change: Partial<Preferences>): void;
  /** Sends what was entered: a command, or a prompt. */
  submit(entered: Entered, delivery: 'steer' | 'queue'): void;
  /** Runs a command such as `/model NAME`, which is not a part of the prompts that ↑ recalls. */
  call(line: string): void;
  /** Shows a message for a second. */
  setHint(text: string): void;
  /** True for the second of two presses. */
  isDouble(key: string): boolean;
}

/** Name of the built-in agent. */
export const BUILT_IN = 'klaus';

/** Name of the agent of the shown session, or of the one that the next prompt opens. */
export function agentOf({ isReady, link, start }: Pick<App, 'isReady' | 'link' | 'start'>): string {
  return (isReady ? link.view.agent : undefined) ?? start.agent ?? BUILT_IN;
}
