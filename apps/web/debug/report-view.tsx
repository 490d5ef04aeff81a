import { toDebugPlace, type DebugReport } from '@klaus/core/conversation';
import { DiffText } from '../diff/diff-text.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { useDebugText } from '../text/debug-text.ts';

/** The styles of the gate's verdicts for each risk. */
const RISKS = { low: 'allow', medium: 'ask', high: 'deny' } as const;

/** The result of an investigation: the cause, what was seen, and a patch. */
export function ReportView({ report: { text, rootCause, evidence, fix } }: { report: DebugReport }) {
  const t = useDebugText();
  return (
    <section className="debug-report column" aria-label={t.report}>
      {rootCause ? (
        <div>
          <p className="label line small muted">{t.cause}</p>
          <p className="debug-cause">
            <code className="debug-place">{toDebugPlace(rootCause.file, rootCause.line)}</code>{' '}
            <span className="chip">{t.confidence(Math.round(rootCause.confidence * 100))}</span>
          </p>
          <Markdown text={rootCause.explanation} />
        </div>
      ) : null}
      <Markdown text={text} />
      {evidence.length > 0 ? (
        <div>
          <p className="label line small muted">{t.evidence}</p>
          <ul className="debug-evidence column">
            {evidence.map(({ source, finding }, at) => (
              <li key={at}>
                <code className="debug-place">{source}</code> <span className="wrap">{finding}</span>
              </li>
            ))}
          </ul>
        </div>
      ) : null}
      {fix ? (
        <div>
          <p className="label line small muted">
            <span>
              {t.fix} <span className={`verdict verdict-${RISKS[fix.risk]}`}>{t.risk[fix.risk]}</span>
            </span>
            <span>{t.notApplied}</span>
          </p>
          <DiffText diff={fix.unifiedDiff} />
        </div>
      ) : null}
    </section>
  );
}
