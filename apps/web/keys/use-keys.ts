import { useEffect } from 'react';
import { availableCommands } from '../actions/commands.ts';
import type { PageCommand } from '../actions/page-command.ts';
import { closeOverlay, overlay } from '../state/overlay.ts';
import { preferences } from '../state/preferences.ts';
import { boundKeys } from './bindings.ts';
import { isAltLetter, isCharacter, isNextQuestion, isTyping, matchKeys, toWord } from './keymap.ts';

/** Maximum milliseconds between two keys of a sequence. */
const SEQUENCE_MS = 1_200;

/** Runs commands by their shortcuts. In a text field and under a dialog, only shortcuts with Ctrl or Command, and Alt with a
 * letter, work. */
export function useKeys(): void {
  useEffect(() => {
    let presses: string[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented) return;
      if (['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
      // Everywhere, also in a text field and under a dialog.
      if (isNextQuestion(event)) {
        event.preventDefault();
        closeOverlay();
        availableCommands()
          .find(({ id }) => id === 'question')
          ?.run();
        return;
      }
      const isCommand = isAltLetter(event) || ((event.ctrlKey || event.metaKey) && !isCharacter(event));
      if (isAltLetter(event) && overlay.get()) return;
      if (!isCommand && (isTyping(event.target) || overlay.get())) return;
      if (isCharacter(event) && !preferences.get().letterKeys) return;
      clearTimeout(timer);
      presses.push(toWord(event));
      const commands = toBound(availableCommands());
      let match = matchKeys(presses, commands);
      if (match.kind === 'none' && presses.length > 1) match = matchKeys((presses = [toWord(event)]), commands);
      if (match.kind === 'prefix') {
        timer = setTimeout(() => (presses = []), SEQUENCE_MS);
        return;
      }
      presses = [];
      if (match.kind === 'none') return;
      event.preventDefault();
      match.found.run();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

/** The commands with the shortcuts that are in use. */
function toBound(commands: readonly PageCommand[]): PageCommand[] {
  return commands.map(({ keys, ...command }) => ({
    ...command,
    keys: keys === undefined ? undefined : boundKeys(keys),
  }));
}
