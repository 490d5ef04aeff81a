import type { McpReviewView, McpServerView } from '@klaus/server/contract';
import { useState } from 'react';
import { DiffText } from '../../diff/diff-text.tsx';
import { client } from '../../state/client.ts';
import { showToast } from '../../state/toasts.ts';
import { useSettingsText } from '../../text/settings/settings-text.ts';
import { useText } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { toReason } from '../../ui/empty.tsx';
import { ToolList } from './test-result.tsx';

/** How a server is named in requests. */
export interface Target {
  params: { name: string };
  query: { workspace: string | undefined };
}

interface TrustDialogProps {
  server: McpServerView;
  target: Target;
  onClose: () => void;
  onChange: () => void;
}

/** Shows what a server is and may do; then, after it was started, what its tools say about themselves. */
export function TrustDialog({ server, target, onClose, onChange }: TrustDialogProps) {
  const t = useSettingsText();
  const words = useText();
  const { name, isTrusted, hash } = server;
  const [review, setReview] = useState<McpReviewView>();
  const [reading, setReading] = useState<ReadonlySet<string>>(new Set());
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [isNewlyTrusted, setNewlyTrusted] = useState(false);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setFailure(undefined);
    await work().catch((error: unknown) => setFailure(toReason(error)));
    setBusy(false);
  };
  const start = () =>
    run(async () => {
      if (!isTrusted) {
        await client.trustMcpServer({ ...target, body: { hash } });
        setNewlyTrusted(true);
        onChange();
      }
      const found = await client.reviewMcpServer(target);
      setReview(found);
      setReading(new Set(found.reading));
    });
  const accept = (found: McpReviewView) =>
    run(async () => {
      const body = { review: found.review, reading: [...reading] };
      const { accepted } = await client.acceptMcpServer({ ...target, body });
      showToast({ kind: 'info', text: t.mcp.accepted(accepted), lastsMs: 6_000 });
      onChange();
      onClose();
    });
  const mark = (tool: string, isMarked: boolean) =>
    setReading((all) => new Set(isMarked ? [...all, tool] : [...all].filter((each) => each !== tool)));
  return (
    <Dialog
      title={isTrusted ? t.mcp.reviewTitle(name) : t.mcp.trustTitle(name)}
      className="mcp-dialog"
      onClose={onClose}
    >
      <div className="dialog-body column">
        <EntryFacts server={server} />
        {review ? (
          <Review review={review} reading={reading} onMark={mark} />
        ) : isTrusted ? null : (
          <p className="small muted">{t.mcp.trustHint}</p>
        )}
        <p role="status" className={isBusy ? 'small muted' : 'unseen'}>
          {isBusy ? t.mcp.testing : ''}
        </p>
        <div role="alert">
          {failure === undefined ? null : (
            <p className="bad wrap">
              {isNewlyTrusted && !review ? `${t.mcp.notStarted} ` : ''}
              {failure}
            </p>
          )}
        </div>
        <div className="dialog-foot line">
          <Button onClick={onClose}>{words.app.cancel}</Button>
          {review ? (
            <Button variant="primary" disabled={isBusy} onClick={() => void accept(review)}>
              {t.mcp.accept}
            </Button>
          ) : (
            <Button variant="primary" disabled={isBusy} onClick={() => void start()}>
              {isTrusted ? t.mcp.show : t.mcp.start}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** Command or address, what it gets, and what it may do. */
function EntryFacts({ server }: { server: McpServerView }) {
  const t = useSettingsText();
  const { kind, place, values, variables, grant } = server;
  const address = grant === null ? t.mcp.grantNone : t.mcp.grantAddress(grant);
  return (
    <dl className="mcp-facts">
      <dt>{kind === 'program' ? t.mcp.command : t.mcp.address}</dt>
      <dd className="mono wrap">{place}</dd>
      {values.length > 0 ? (
        <>
          <dt>{t.mcp.values}</dt>
          <dd>
            <ul>
              {values.map(({ name, value }) => (
                <li key={name} className="wrap">
                  <code>{name}</code>{' '}
                  {value === null ? <span className="muted">({t.mcp.secret})</span> : <code>{value}</code>}
                </li>
              ))}
            </ul>
          </dd>
        </>
      ) : null}
      <dt>{t.mcp.grant}</dt>
      <dd>
        {kind === 'program' ? t.mcp.grantProgram : address}
        {variables.length > 0 ? ` ${t.mcp.gets(variables.join(', '))}.` : ''}
      </dd>
    </dl>
  );
}

interface ReviewProps {
  review: McpReviewView;
  reading: ReadonlySet<string>;
  onMark: (tool: string, isMarked: boolean) => void;
}

function Review({ review: { diff, changed, tools, warning }, reading, onMark }: ReviewProps) {
  const t = useSettingsText();
  return (
    <>
      {diff === null ? null : (
        <>
          <h3>{changed.length === 0 ? t.mcp.same : `${t.mcp.changed}: ${changed.join(', ')}`}</h3>
          {changed.length === 0 ? null : <DiffText diff={diff} />}
        </>
      )}
      <h3>{t.mcp.tools(tools.length)}</h3>
      <p className="small muted">
        {t.mcp.describe} {t.mcp.markHint}
      </p>
      {warning === '' ? null : <p className="small warn wrap">{warning}</p>}
      <ToolList
        tools={tools}
        mark={(name) => (
          <label className="line check">
            <input
              type="checkbox"
              aria-label={`${t.mcp.marked}: ${name}`}
              checked={reading.has(name)}
              onChange={({ target }) => onMark(name, target.checked)}
            />
            <span aria-hidden className="small">
              {t.mcp.marked}
            </span>
          </label>
        )}
      />
    </>
  );
}
