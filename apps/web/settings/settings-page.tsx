import { useState } from 'react';
import { host } from '../state/host.ts';
import { useAccess } from '../state/access.ts';
import { go, toHash } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { BackButton } from '../ui/back-button.tsx';
import { CodeText } from '../ui/code-text.tsx';
import { Empty, Loading } from '../ui/empty.tsx';
import { AppearanceSection } from './appearance-section.tsx';
import { KeyboardSection } from './keyboard-section.tsx';
import { NotificationSection } from './notification-section.tsx';
import { isSection, isServerSection, OWN_SECTIONS, type Section, SECTIONS } from './sections.ts';
import { SectionHead } from './section-head.tsx';
import { ServerSettings } from './server-settings.tsx';
import { SettingsSearch } from './settings-search.tsx';
import './settings.css';

const OWN = {
  appearance: AppearanceSection,
  notifications: NotificationSection,
  keyboard: KeyboardSection,
} as const;

/** @param props.section From the address. Default: the first one that is offered. */
export function SettingsPage({ section }: { section?: string }) {
  const t = useSettingsText();
  const { settings } = useStore(host);
  const isAdmin = useAccess('admin');
  const [query, setQuery] = useState('');
  const isOffered = isAdmin && settings?.hasSettings === true;
  const sections: readonly Section[] = isOffered ? SECTIONS : OWN_SECTIONS;
  const shown: Section = isSection(section) ? section : sections[0]!;
  return (
    <div className="pane settings">
      <header className="pane-head line ruled">
        <BackButton />
        <h1>{t.title}</h1>
        <span className="grow" />
        <SettingsSearch query={query} isDisabled={!isOffered} onQuery={setQuery} />
      </header>
      <div className="settings-body">
        <nav className="settings-nav" aria-label={t.title}>
          <select
            className="field only-narrow"
            aria-label={t.section}
            value={shown}
            onChange={({ target }) => {
              setQuery('');
              go({ page: 'settings', section: target.value });
            }}
          >
            {sections.map((each) => (
              <option key={each} value={each}>
                {t.sections[each]}
              </option>
            ))}
          </select>
          <ul className="wide">
            {sections.map((each) => (
              <li key={each}>
                <a
                  href={toHash({ page: 'settings', section: each })}
                  aria-current={each === shown && query === '' ? 'page' : undefined}
                  onClick={() => setQuery('')}
                >
                  {t.sections[each]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div className="rows settings-content" tabIndex={0} role="group" aria-label={t.title}>
          {settings === undefined ? <Loading rows={8} /> : null}
          {settings && isOffered && (isServerSection(shown) || query !== '') ? (
            <ServerSettings section={shown} query={query.trim()} />
          ) : null}
          {settings && !isOffered && isServerSection(shown) ? <NotOffered isAdmin={isAdmin} /> : null}
          {!isServerSection(shown) && query === '' ? <Own section={shown} /> : null}
        </div>
      </div>
    </div>
  );
}

function Own({ section }: { section: (typeof OWN_SECTIONS)[number] }) {
  const Content = OWN[section];
  return (
    <section className="settings-section column" aria-labelledby="settings-heading">
      <SectionHead section={section} />
      <Content />
    </section>
  );
}

/** Why the settings of the server are not shown. */
function NotOffered({ isAdmin }: { isAdmin: boolean }) {
  const t = useSettingsText();
  return (
    <>
      <Empty title={isAdmin ? t.off : t.notAdmin}>
        <p className="empty-hint">
          <CodeText text={isAdmin ? t.offHint : t.notAdminHint} />
        </p>
      </Empty>
    </>
  );
}
