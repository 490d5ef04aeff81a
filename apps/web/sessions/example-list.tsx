import { signal } from '../actions/signal.ts';
import { changeDraft } from '../composer/drafts.ts';
import { client } from '../state/client.ts';
import { useText } from '../text/text.ts';
import { useQuery } from '../ui/use-query.ts';
import { findExamples } from './example-prompts.ts';

/** Prompts for a first session that fit the files of the workspace. A click puts one into the message field. */
export function ExampleList({ draft, scope }: { draft: string; scope: { workspace?: string } }) {
  const t = useText();
  const files = useQuery(`examples ${scope.workspace ?? ''}`, (signal) =>
    client.files({ query: { ...scope, path: '' } }, { signal }),
  );
  if (!files.value) return null;
  const examples = findExamples(files.value.entries.map(({ name }) => name));
  return (
    <section className="examples column" aria-label={t.layout.examples}>
      <h2 className="small muted">{t.layout.examples}</h2>
      <ul className="examples-list">
        {examples.map((example) => (
          <li key={example}>
            <button
              type="button"
              className="example raised"
              onClick={() => {
                changeDraft(draft, { text: t.layout.example[example] });
                signal('focus-message');
              }}
            >
              {t.layout.example[example]}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
