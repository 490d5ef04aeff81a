import { useState } from 'react';
import { changePreferences, preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { useText } from '../text/text.ts';

/** Notifications of this browser. */
export function NotificationSection() {
  const t = useText();
  const own = useSettingsText();
  const { notify } = useStore(preferences);
  const [isDenied, setDenied] = useState(false);
  const setNotify = async (wanted: boolean) => {
    if (wanted && Notification.permission !== 'granted') {
      const answer = await Notification.requestPermission();
      setDenied(answer !== 'granted');
      if (answer !== 'granted') return;
    }
    changePreferences({ notify: wanted });
  };
  if (!('Notification' in globalThis)) return <p className="muted">{own.notify.unsupported}</p>;
  return (
    <>
      <ul className="settings-rows">
        <li className="setting">
          <div className="setting-words column">
            <label htmlFor="notify">{t.preferences.notify}</label>
            <p id="notify-hint" className="muted small">
              {own.notify.hint}
            </p>
          </div>
          <div className="setting-value">
            <input
              id="notify"
              type="checkbox"
              role="switch"
              className="switch"
              aria-describedby="notify-hint"
              checked={notify}
              onChange={({ target }) => void setNotify(target.checked)}
            />
          </div>
        </li>
      </ul>
      {isDenied ? (
        <p role="alert" className="bad">
          {t.preferences.notifyDenied}
        </p>
      ) : null}
    </>
  );
}
