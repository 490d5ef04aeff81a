import { RotateCcw } from 'lucide-react';
import { useState, type KeyboardEvent } from 'react';
import { COMMANDS } from '../actions/commands.ts';
import type { PageCommand } from '../actions/page-command.ts';
import { boundKeys, findConflict, isReserved } from '../keys/bindings.ts';
import { toKeysText } from '../keys/keys.tsx';
import { hasCharacter, toWord } from '../keys/keymap.ts';
import { LetterKeys } from '../keys/letter-keys.tsx';
import { changePreferences, preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { useText } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';

type Bound = PageCommand & { keys: string };

const BOUND = COMMANDS.filter((command): command is Bound => command.keys !== undefined);
const PLACES = [undefined, 'session', 'question', 'file'] as const;

/** Every shortcut. This browser stores those that are changed. */
export function KeyboardSection() {
  const t = useSettingsText();
  const words = useText();
  const { keys: bindings } = useStore(preferences);
  const [said, setSaid] = useState('');
  const titles = {
    global: words.keys.global,
    session: words.keys.session,
    question: words.keys.question,
    file: words.keys.file,
  };
  return (
    <>
      <LetterKeys />
      <p className="unseen" role="status">
        {said}
      </p>
      {PLACES.map((place) => (
        <section key={place ?? ''} aria-label={titles[place ?? 'global']} className="column">
          <h3>{titles[place ?? 'global']}</h3>
          <ul className="settings-rows">
            {BOUND.filter((command) => command.in === place).map((command) => (
              <Shortcut key={command.id} command={command} onChanged={(name) => setSaid(t.keyboard.changed(name))} />
            ))}
          </ul>
        </section>
      ))}
      {Object.keys(bindings).length > 0 ? (
        <div>
          <Button icon={RotateCcw} onClick={() => changePreferences({ keys: {} })}>
            {t.keyboard.resetAll}
          </Button>
        </div>
      ) : null}
    </>
  );
}

function bind(keys: string, to: string): void {
  const { [keys]: _, ...others } = preferences.get().keys;
  changePreferences({ keys: to === keys ? others : { ...others, [keys]: to } });
}

function Shortcut({ command, onChanged }: { command: Bound; onChanged: (name: string) => void }) {
  const t = useSettingsText();
  const words = useText();
  const { keys: bindings, letterKeys } = useStore(preferences);
  const [isRecording, setRecording] = useState(false);
  const name = command.title(words);
  const keys = boundKeys(command.keys, bindings);
  const shown = toKeysText(command.keys) ?? t.keyboard.none;
  const isChanged = Object.hasOwn(bindings, command.keys);
  const isOff = !letterKeys && keys !== undefined && hasCharacter(keys);
  return (
    <li className={`setting shortcut ${isOff ? 'muted' : ''}`} data-command={command.id}>
      <div className="setting-words">{name}</div>
      <div className="setting-value line">
        {isRecording ? (
          <Recorder
            command={command}
            onDone={(to) => {
              setRecording(false);
              if (to === undefined) return;
              bind(command.keys, to);
              onChanged(name);
            }}
          />
        ) : (
          <>
            <Button
              variant="quiet"
              aria-label={`${t.keyboard.change(name)}: ${shown}`}
              onClick={() => setRecording(true)}
            >
              {keys === undefined ? <span className="muted">{shown}</span> : <kbd>{shown}</kbd>}
            </Button>
            {isChanged ? (
              <IconButton
                label={t.keyboard.reset(name)}
                icon={RotateCcw}
                onClick={() => {
                  bind(command.keys, command.keys);
                  onChanged(name);
                }}
              />
            ) : null}
          </>
        )}
      </div>
    </li>
  );
}

/** Longest sequence of presses. */
const MOST = 2;

/** Records a shortcut. @param props.onDone Called with the new one; '' removes it; undefined: nothing is changed. */
function Recorder({ command, onDone }: { command: Bound; onDone: (keys: string | undefined) => void }) {
  const t = useSettingsText();
  const words = useText();
  const [presses, setPresses] = useState<readonly string[]>([]);
  const { keys: bindings } = useStore(preferences);
  const keys = presses.join(' ');
  const conflict = keys === '' ? undefined : findConflict(BOUND, { of: command.keys, keys, bindings });
  const problem = isReserved(keys) ? t.keyboard.reserved : conflict && t.keyboard.conflict(conflict.title(words));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Tab' || ['Shift', 'Control', 'Alt', 'Meta'].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    const word = toWord(event);
    if (word === 'Escape') return onDone(undefined);
    if (word === 'Backspace') return presses.length > 0 ? setPresses([]) : onDone('');
    if (word !== 'Enter') return setPresses((all) => (all.length < MOST ? [...all, word] : [word]));
    if (problem === undefined && keys !== '') onDone(keys);
  };
  const hint = `record-${command.id}`;
  return (
    <div className="column recorder">
      <input
        ref={(field) => field?.focus()}
        className="field"
        readOnly
        value={keys}
        aria-label={t.keyboard.change(command.title(words))}
        aria-describedby={hint}
        aria-invalid={problem !== undefined}
        onKeyDown={onKeyDown}
        onBlur={() => onDone(undefined)}
      />
      <p id={hint} className={`small ${problem === undefined ? 'muted' : 'bad'}`} role="status">
        {problem ?? t.keyboard.recording}
      </p>
    </div>
  );
}
