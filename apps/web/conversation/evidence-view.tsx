import type { Evidence, Receipt } from '@klaus/core/protocol';
import { BadgeCheck, CircleAlert, CircleCheck } from 'lucide-react';
import type { Text } from '../text/en.ts';
import { useText } from '../text/text.ts';

/** The styles of the gate's verdicts for each mark. */
const VERDICTS = { good: 'allow', warn: 'ask', bad: 'deny' } as const;

type Proof = Receipt & Partial<Pick<Evidence, 'freshness' | 'weakened' | 'changed'>>;

/** The result of a check, with the state of the workspace that it checked. */
export function EvidenceView({ evidence, isShort = false }: { evidence: Proof; isShort?: boolean }) {
  const t = useText();
  const { mark, words } = judge(evidence, t);
  const Icon = mark === 'good' ? CircleCheck : CircleAlert;
  const { tree, left, command } = evidence;
  return (
    <div className="evidence line small">
      {isShort ? <BadgeCheck size={14} className={mark} /> : <Icon size={14} className={mark} />}
      <div>
        <p>
          {isShort ? null : (
            <>
              <span className={`verdict verdict-${VERDICTS[mark]}`}>{t.call.proof[mark]}</span>{' '}
              <code>{command}</code>{' '}
            </>
          )}
          <span className={mark} title={tree === undefined ? undefined : t.call.seen(tree)}>
            {words.join(', ')}
          </span>
        </p>
        {left === undefined || isShort ? null : <p className="muted">{t.call.leftChanged}</p>}
      </div>
    </div>
  );
}

function judge(evidence: Proof, t: Text): { mark: 'good' | 'warn' | 'bad'; words: string[] } {
  const { exitCode, doubt, freshness, weakened, tests, changed = [] } = evidence;
  const words = [t.call.exit(exitCode)];
  if (tests) words.push(t.call.tests(tests.passed, tests.failed, tests.skipped));
  if (doubt !== undefined) return { mark: 'warn', words: [...words, t.call.doubt(doubt)] };
  const isStale = freshness === 'stale' || freshness === 'unknown';
  if (freshness !== undefined) {
    const files = changed.length > 0 ? ` (${changed.slice(0, 3).join(', ')}${changed.length > 3 ? ', …' : ''})` : '';
    words.push(`${t.facts.freshness[freshness]}${files}`);
  }
  if (exitCode !== 0) return { mark: 'bad', words };
  if (weakened !== undefined) return { mark: 'warn', words: [...words, weakened] };
  return { mark: isStale ? 'warn' : 'good', words };
}
