import type { SettingView } from '@klaus/server/contract';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { useSettingsText } from '../text/settings/settings-text.ts';
import type { SettingsText } from '../text/settings/en-settings.ts';
import { matchWords } from '../shell/match-words.ts';
import { Empty, Pending } from '../ui/empty.tsx';
import { KeysSection } from './keys-section.tsx';
import { MemorySection } from './memory-section.tsx';
import { McpSection } from './mcp/mcp-section.tsx';
import { NetworkPresets } from './network-presets.tsx';
import { SandboxStatus } from './sandbox-status.tsx';
import { SectionHead } from './section-head.tsx';
import { type Section, SECTION_KEYS, sectionOf, SECTIONS } from './sections.ts';
import { ServerList } from './models/server-list.tsx';
import { nameOf, SettingRow } from './setting-row.tsx';
import { type Settings, useSettings } from './use-settings.ts';

/** A section of settings of the server, or with a query all settings that match. */
export function ServerSettings({ section, query }: { section: Section; query: string }) {
  const t = useSettingsText();
  const settings = useSettings(t.notSaved);
  const { file } = settings.query.value ?? {};
  return (
    <>
      <p className="unseen" role="status">
        {settings.saved === undefined ? '' : t.saved(settings.saved)}
      </p>
      {query === '' ? (
        <SectionContent section={section} settings={settings} />
      ) : (
        <Found query={query} {...{ settings }} />
      )}
      {file !== undefined && section !== 'keys' && section !== 'mcp' ? (
        <p className="muted small wrap settings-file">{t.file(file)}</p>
      ) : null}
    </>
  );
}

function SectionContent({ section, settings }: { section: Section; settings: Settings }) {
  const t = useSettingsText();
  const { models } = useStore(host);
  /** A cheap model matters for providers with a key. */
  const isUseful = ({ key, source }: SettingView) => {
    const provider = /^tiers\.(\w+)\.haiku$/.exec(key)?.[1];
    if (provider === undefined || source !== 'default') return true;
    return models.some((model) => model.provider === provider && model.usable);
  };
  const shown =
    section === 'all'
      ? settings.settings.filter(({ key }) => sectionOf(key) === 'all' && !key.startsWith('keys.'))
      : (SECTION_KEYS[section] ?? [])
          .flatMap((key) => settings.settings.find((each) => each.key === key) ?? [])
          .filter(isUseful);
  return (
    <section className="settings-section column" aria-labelledby="settings-heading">
      <SectionHead section={section} />
      {section === 'keys' ? <KeysSection /> : null}
      {section === 'keys' ? <ServerList /> : null}
      {section === 'mcp' ? <McpSection /> : null}
      {section === 'sandbox' ? <SandboxStatus /> : null}
      {section === 'memory' ? <MemorySection /> : null}
      {section === 'keys' || section === 'mcp' ? null : <Pending query={settings.query} title={t.failed} rows={8} />}
      <Rows shown={shown} settings={settings} />
      {section === 'sandbox' ? <NetworkPresets /> : null}
    </section>
  );
}

function Rows({ shown, settings }: { shown: readonly SettingView[]; settings: Settings }) {
  if (shown.length === 0) return null;
  return (
    <ul className="settings-rows">
      {shown.map((setting) => (
        <SettingRow
          key={setting.key}
          setting={setting}
          isSaving={settings.saving.has(setting.key)}
          onChange={(change) => void settings.change(change)}
        />
      ))}
    </ul>
  );
}

/** Matching settings by section. */
function Found({ query, settings }: { query: string; settings: Settings }) {
  const t = useSettingsText();
  const found = settings.settings.filter((setting) => matchWords(toSearched(setting, t), query));
  const groups = SECTIONS.map((section) => ({
    section,
    shown: found.filter(({ key }) => (key.startsWith('keys.') ? 'keys' : sectionOf(key)) === section),
  })).filter(({ shown }) => shown.length > 0);
  return (
    <>
      <Pending query={settings.query} title={t.failed} rows={8} />
      {settings.query.value && groups.length === 0 ? <Empty title={t.none(query)} hint={t.noneHint} /> : null}
      <p className="unseen" role="status">
        {groups.length === 0 ? '' : t.found(found.length)}
      </p>
      {groups.map(({ section, shown }) => (
        <section key={section} className="settings-section column" aria-label={t.sections[section]}>
          <h2>{t.sections[section]}</h2>
          <Rows shown={shown} settings={settings} />
        </section>
      ))}
    </>
  );
}

function toSearched({ key, env = '', description }: SettingView, t: SettingsText): string {
  const known = nameOf(key, t);
  return [key, env, description, known?.name, known?.hint, t.sections[sectionOf(key)]].join(' ');
}
