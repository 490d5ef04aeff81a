import { useState } from 'react';
import { playTone } from '../state/play-tone.ts';
import { changePreferences, preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { useText } from '../text/text.ts';

/** Notifications of this browser. */
export function NotificationSection() {
  const t = useText();
  const own = useSettingsText();
  const { notify, sound } = useStore(preferences);
  const [isDenied, setDenied] = useState(false);
  const setNotify = async (wanted: boolean) => {
    if (wanted && Notification.permission !== 'granted') {
      const answer = await Notification.requestPermission();
      setDenied(answer !== 'granted');
      if (answer !== 'granted') return;
    }
    changePreferences({ notify: wanted });
  };
  const isSupported = 'Notification' in globalThis;
  return (
    <>
      {isSupported ? null : <p className="muted">{own.notify.unsupported}</p>}
      <ul className="settings-rows">
        <li className="setting" hidden={!isSupported}>
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
        <li className="setting">
          <div className="setting-words column">
            <label htmlFor="sound">{t.lists.sound}</label>
          </div>
          <div className="setting-value">
            <input
              id="sound"
              type="checkbox"
              role="switch"
              className="switch"
              checked={sound}
              onChange={({ target }) => {
                changePreferences({ sound: target.checked });
                if (target.checked) playTone();
              }}
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
