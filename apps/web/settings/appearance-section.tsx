import type { ReactNode } from 'react';
import { host } from '../state/host.ts';
import { ACCENTS, changePreferences, LANGUAGES, preferences, THEMES } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';

const NAMES = { en: 'English', de: 'Deutsch' } as const;

/** Theme, accent and language, which this browser stores. */
export function AppearanceSection() {
  const t = useText();
  const { theme, accent, language } = useStore(preferences);
  const { settings } = useStore(host);
  return (
    <>
      <ul className="settings-rows">
        <Choice
          id="theme"
          name={t.preferences.theme}
          options={THEMES.map((it) => ({ key: it, label: t.preferences.themes[it] }))}
          chosen={theme}
          onChoose={(it) => changePreferences({ theme: it })}
        />
        <Choice
          id="accent"
          name={t.layout.accent}
          options={ACCENTS.map((it) => ({
            key: it,
            label: (
              <>
                <span className="accent-dot" data-accent={it} aria-hidden />
                {t.layout.accents[it]}
              </>
            ),
          }))}
          chosen={accent}
          onChoose={(it) => changePreferences({ accent: it })}
        />
        <Choice
          id="language"
          name={t.preferences.language}
          options={LANGUAGES.map((it) => ({ key: it, label: NAMES[it], lang: it }))}
          chosen={language}
          onChoose={(it) => changePreferences({ language: it })}
        />
      </ul>
      {settings ? <p className="muted small">{t.preferences.version(settings.version)}</p> : null}
    </>
  );
}

interface ChoiceProps<K extends string> {
  id: string;
  name: string;
  options: readonly { key: K; label: ReactNode; lang?: string }[];
  chosen: K;
  onChoose: (key: K) => void;
}

function Choice<K extends string>({ id, name, options, chosen, onChoose }: ChoiceProps<K>) {
  return (
    <li className="setting setting-choice">
      <div className="setting-words">
        <strong id={`${id}-name`}>{name}</strong>
      </div>
      <div className="setting-value">
        <div className="segments" role="group" aria-labelledby={`${id}-name`}>
          {options.map(({ key, label, lang }) => (
            <button
              key={key}
              type="button"
              className="line"
              lang={lang}
              aria-pressed={key === chosen}
              onClick={() => onChoose(key)}
            >
              {label}
            </button>
          ))}
        </div>
      </div>
    </li>
  );
}
