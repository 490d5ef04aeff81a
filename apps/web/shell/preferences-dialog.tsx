import { useState } from 'react';
import { LetterKeys } from '../keys/letter-keys.tsx';
import { playTone } from '../state/play-tone.ts';
import { host } from '../state/host.ts';
import { closeOverlay } from '../state/overlay.ts';
import { ACCENTS, changePreferences, LANGUAGES, preferences, THEMES } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';

const NAMES = { en: 'English', de: 'Deutsch' } as const;

export function PreferencesDialog() {
  const t = useText();
  const { theme, accent, language, notify, sound } = useStore(preferences);
  const { settings } = useStore(host);
  const [isDenied, setDenied] = useState(false);
  const setNotify = async (wanted: boolean) => {
    if (wanted && Notification.permission !== 'granted') {
      const answer = await Notification.requestPermission();
      setDenied(answer !== 'granted');
      if (answer !== 'granted') return;
    }
    changePreferences({ notify: wanted });
  };
  return (
    <Dialog title={t.preferences.title} onClose={closeOverlay}>
      <div className="dialog-body column">
        <div className="row line">
          <span id="theme-name">{t.preferences.theme}</span>
          <div className="segments" role="group" aria-labelledby="theme-name">
            {THEMES.map((it) => (
              <button
                key={it}
                type="button"
                aria-pressed={it === theme}
                onClick={() => changePreferences({ theme: it })}
              >
                {t.preferences.themes[it]}
              </button>
            ))}
          </div>
        </div>
        <div className="row line">
          <span id="accent-name">{t.layout.accent}</span>
          <div className="segments" role="group" aria-labelledby="accent-name">
            {ACCENTS.map((it) => (
              <button
                key={it}
                type="button"
                className="line"
                aria-pressed={it === accent}
                onClick={() => changePreferences({ accent: it })}
              >
                <span className="accent-dot" data-accent={it} aria-hidden />
                {t.layout.accents[it]}
              </button>
            ))}
          </div>
        </div>
        <div className="row line">
          <span id="language-name">{t.preferences.language}</span>
          <div className="segments" role="group" aria-labelledby="language-name">
            {LANGUAGES.map((it) => (
              <button
                key={it}
                type="button"
                lang={it}
                aria-pressed={it === language}
                onClick={() => changePreferences({ language: it })}
              >
                {NAMES[it]}
              </button>
            ))}
          </div>
        </div>
        <LetterKeys />
        {'Notification' in globalThis ? (
          <label className="check line">
            <input type="checkbox" checked={notify} onChange={(event) => void setNotify(event.target.checked)} />
            {t.preferences.notify}
          </label>
        ) : null}
        <label className="check line">
          <input
            type="checkbox"
            checked={sound}
            onChange={(event) => {
              changePreferences({ sound: event.target.checked });
              if (event.target.checked) playTone();
            }}
          />
          {t.lists.sound}
        </label>
        {isDenied ? (
          <p role="alert" className="bad">
            {t.preferences.notifyDenied}
          </p>
        ) : null}
        <p className="muted">
          {t.preferences.stored} {settings ? t.preferences.version(settings.version) : ''}
        </p>
      </div>
    </Dialog>
  );
}
