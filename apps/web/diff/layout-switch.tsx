import { changePreferences, preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';

export function LayoutSwitch() {
  const t = useText();
  const { split } = useStore(preferences);
  return (
    <div className="segments" role="group" aria-label={t.approval.rows}>
      <button type="button" aria-pressed={!split} onClick={() => changePreferences({ split: false })}>
        {t.approval.unified}
      </button>
      <button type="button" aria-pressed={split} onClick={() => changePreferences({ split: true })}>
        {t.approval.split}
      </button>
    </div>
  );
}
