import { useSettingsText } from '../text/settings/settings-text.ts';
import { CodeText } from '../ui/code-text.tsx';
import type { Section } from './sections.ts';

/** The heading of a section. The section refers to it by its id. */
export function SectionHead({ section }: { section: Section }) {
  const t = useSettingsText();
  return (
    <div className="settings-head column">
      <h2 id="settings-heading">{t.sections[section]}</h2>
      <p className="muted">
        <CodeText text={t.sectionHints[section]} />
      </p>
    </div>
  );
}
