import type { KeyId } from '../screen/index.ts';
import { openConversationView } from './full-views.ts';
import {
  cycleMode,
  editPrompt,
  editQueued,
  onEnd,
  onEscape,
  onInterrupt,
  pasteImage,
  queueInput,
  suspend,
  toggleThinking,
} from './input-actions.ts';
import { openPalette } from './palette.ts';
import { openHistorySearch, openRewind } from './pickers.ts';
import type { App } from './app.ts';

export interface KeyAction {
  keys: readonly KeyId[];
  /** As in `Ctrl-R`. */
  name: string;
  summary: string;
  /** False: the key is not used, and the input gets it. */
  run: (app: App) => boolean | void;
}

/** What keys do while the input has the focus, in addition to the input's own keys. */
export const KEY_ACTIONS: readonly KeyAction[] = [
  // A terminal can send both presses at once.
  { keys: ['ctrl+alt+['], name: 'Esc Esc', summary: 'rewind', run: (app) => openRewind(app) },
  {
    keys: ['escape'],
    name: 'Esc',
    summary: 'cancel the run; twice in an idle session: rewind',
    run: (app) => onEscape(app),
  },
  {
    keys: ['ctrl+c'],
    name: 'Ctrl-C',
    summary: 'clear the input; twice: leave at once',
    run: (app) => onInterrupt(app),
  },
  { keys: ['ctrl+d'], name: 'Ctrl-D', summary: 'leave, if the input is empty', run: (app) => onEnd(app) },
  {
    keys: ['ctrl+p'],
    name: 'Ctrl-P',
    summary: 'choose a session, a command, an agent or a model',
    run: (app) => app.do(() => openPalette(app)),
  },
  {
    keys: ['alt+enter'],
    name: 'Alt-Enter',
    summary: 'queue the message until the run ends',
    run: (app) => queueInput(app),
  },
  {
    keys: ['shift+tab'],
    name: 'Shift-Tab',
    summary: 'change the approval mode: plan, ask, edits, auto',
    run: (app) => cycleMode(app),
  },
  {
    keys: ['up'],
    name: '↑',
    summary: 'in an empty input: edit the last queued message or command, or recall a prompt',
    run: (app) => editQueued(app),
  },
  {
    keys: ['ctrl+o'],
    name: 'Ctrl-O',
    summary: 'show the complete conversation, nothing folded',
    run: (app) => openConversationView(app),
  },
  { keys: ['ctrl+t'], name: 'Ctrl-T', summary: 'show or fold thinking from now on', run: (app) => toggleThinking(app) },
  {
    keys: ['ctrl+r'],
    name: 'Ctrl-R',
    summary: 'search the prompts of this project',
    run: (app) => openHistorySearch(app),
  },
  { keys: ['ctrl+g'], name: 'Ctrl-G', summary: 'edit the prompt in $EDITOR', run: (app) => editPrompt(app) },
  { keys: ['ctrl+v'], name: 'Ctrl-V', summary: 'attach the image in the clipboard', run: (app) => pasteImage(app) },
  { keys: ['alt+a'], name: 'Alt-A', summary: 'show and focus an open question', run: (app) => app.questions.focus() },
  { keys: ['ctrl+l'], name: 'Ctrl-L', summary: 'draw the input again', run: (app) => app.screen.requestRender(true) },
  { keys: ['ctrl+z'], name: 'Ctrl-Z', summary: 'suspend; fg continues', run: (app) => suspend(app) },
];
