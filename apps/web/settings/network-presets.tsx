import { NETWORK_PRESET_NAMES, NETWORK_PRESETS } from '@klaus/core/protocol';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { CodeText } from '../ui/code-text.tsx';
import { NETWORK_TITLES } from './network-titles.ts';

/** The presets of hosts that a session can be opened with. */
export function NetworkPresets() {
  const t = useSettingsText();
  return (
    <section className="network-presets column" aria-labelledby="network-presets">
      <h2 id="network-presets">{t.networkPresets}</h2>
      <p className="muted small">
        <CodeText text={t.network} />
      </p>
      <table className="small">
        <thead>
          <tr>
            <th scope="col">{t.networkName}</th>
            <th scope="col">{t.networkHosts}</th>
          </tr>
        </thead>
        <tbody>
          {NETWORK_PRESET_NAMES.map((preset) => (
            <tr key={preset}>
              <th scope="row">
                {NETWORK_TITLES[preset]} <code>{preset}</code>
              </th>
              <td>{NETWORK_PRESETS[preset].join(', ')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
