import { hasAccess } from '../state/access.ts';
import { client } from '../state/client.ts';
import { useAgentsText } from '../text/agents-text.ts';
import { useQuery } from '../ui/use-query.ts';
import { toDefinition, toDraft, type Definition } from './agent-draft.ts';

interface SummaryProps {
  capabilities: readonly string[];
  /** Default: a new agent. */
  definition: Definition | undefined;
  workspace: string | undefined;
}

/** What an agent with these capabilities may do and what it cannot do, as the server computes it. */
export function AuthoritySummary({ capabilities, definition, workspace }: SummaryProps) {
  const t = useAgentsText();
  const { value } = useQuery(`${capabilities.join()} ${workspace ?? ''}`, (signal) => {
    // The authority does not depend on the fields that may be incomplete.
    const draft = { ...toDraft(definition), name: 'draft', description: 'draft', capabilities };
    const query = { dryRun: 'true', workspace };
    // Another user sees the capabilities only: the server would refuse this.
    if (!hasAccess('admin')) return Promise.resolve(undefined);
    return client.createAgent({ query, body: toDefinition(draft, definition) }, { signal });
  });
  const rows = [
    { name: t.may, lines: value?.may ?? [] },
    { name: t.cannot, lines: value?.cannot ?? [] },
  ];
  return (
    <section className="agent-authority column" role="status" aria-label={t.authority}>
      {rows.map(({ name, lines }) => (
        <div key={name}>
          <h2>{name}</h2>
          {value && lines.length === 0 ? <p className="muted">{t.nothing}</p> : null}
          <ul lang="en">
            {lines.map((line) => (
              <li key={line} className="wrap">
                {line}
              </li>
            ))}
          </ul>
        </div>
      ))}
      {value && value.unknownTools.length > 0 ? (
        <p className="warn wrap">{t.unknownTools(value.unknownTools.join(', '))}</p>
      ) : null}
    </section>
  );
}
