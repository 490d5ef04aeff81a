import { changePreferences, preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';

/** How changes are shown: unified or side by side, with or without whitespace. */
export function LayoutSwitch() {
  const t = useText();
  const words = useChangesText();
  const { split, ignoresSpace } = useStore(preferences);
  return (
    <>
      <label className="check line small">
        <input
          type="checkbox"
          checked={ignoresSpace}
          onChange={(event) => changePreferences({ ignoresSpace: event.target.checked })}
        />
        {words.ignoreSpace}
      </label>
      <div className="segments" role="group" aria-label={t.approval.rows}>
        <button type="button" aria-pressed={!split} onClick={() => changePreferences({ split: false })}>
          {t.approval.unified}
        </button>
        <button type="button" aria-pressed={split} onClick={() => changePreferences({ split: true })}>
          {t.approval.split}
        </button>
      </div>
    </>
  );
}
