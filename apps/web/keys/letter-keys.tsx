import { changePreferences, preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';

/** The setting for single-key shortcuts. */
export function LetterKeys() {
  const t = useText();
  const { letterKeys } = useStore(preferences);
  return (
    <div>
      <label className="check line">
        <input
          type="checkbox"
          checked={letterKeys}
          aria-describedby="letters-hint"
          onChange={(event) => changePreferences({ letterKeys: event.target.checked })}
        />
        {t.preferences.letterKeys}
      </label>
      <p id="letters-hint" className="muted check-hint">
        {t.preferences.letterKeysHint}
      </p>
    </div>
  );
}
