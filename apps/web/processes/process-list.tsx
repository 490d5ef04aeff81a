import type { ProcessView } from '@klaus/server/contract';
import { CircleAlert, CircleCheck, CircleSlash, LoaderCircle, Maximize2, Square } from 'lucide-react';
import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { FoldedPanel } from '../sessions/folded-panel.tsx';
import { client } from '../state/client.ts';
import { showToast } from '../state/toasts.ts';
import { formatBytes, formatDuration } from '../text/format.ts';
import { useRenderText } from '../text/render/render-text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Pending } from '../ui/empty.tsx';
import { useNow } from '../ui/use-now.ts';
import { ProcessDialog } from './process-dialog.tsx';
import { isActive, useProcesses } from './use-processes.ts';
import './processes.css';

interface ProcessListProps {
  session: string;
  /** Changes when the processes may have changed. */
  version: number;
}

/** The background processes of a session with their state, their output, and a button that stops them. */
export function ProcessList({ session, version }: ProcessListProps) {
  const t = useRenderText();
  const [shown, setShown] = useState<string | undefined>();
  const loaded = useProcesses(session, version);
  const processes = loaded.value ?? [];
  const running = processes.filter(isActive).length;
  const opened = processes.find((each) => each.id === shown);
  return (
    <>
      <FoldedPanel
        label={t.processes.label}
        saved={`processes ${session}`}
        facts={
          <span className="muted number" role="status">
            {running > 0 ? t.processes.running(running) : t.processes.all(processes.length)}
          </span>
        }
        summary={processes[0] ? <span className="muted ellipsis mono">{processes[0].command}</span> : null}
      >
        <div className="processes">
          <Pending query={loaded} title={t.processes.failed} rows={1} />
          <ul role="list">
            {processes.map((process) => (
              <ProcessRow
                key={process.id}
                process={process}
                onShow={() => setShown(process.id)}
                onChange={loaded.refetch}
              />
            ))}
          </ul>
        </div>
      </FoldedPanel>
      {opened ? <ProcessDialog process={opened} onClose={() => setShown(undefined)} /> : null}
    </>
  );
}

/** The icon and the colour of each state. */
const MARKS = {
  unstarted: { Icon: LoaderCircle, look: 'muted' },
  running: { Icon: LoaderCircle, look: 'accent' },
  exited: { Icon: CircleCheck, look: 'good' },
  failed: { Icon: CircleAlert, look: 'bad' },
  stopped: { Icon: CircleSlash, look: 'muted' },
  lost: { Icon: CircleAlert, look: 'warn' },
} as const;

interface ProcessRowProps {
  process: ProcessView;
  onShow: () => void;
  onChange: () => void;
}

function ProcessRow({ process, onShow, onChange }: ProcessRowProps) {
  const t = useRenderText();
  const { session, id, command, state, exitCode, startedAt, endedAt, bytes, survives } = process;
  const isRunning = isActive(process);
  const now = useNow(isRunning);
  const isFailed = state === 'exited' && exitCode !== 0 && exitCode !== null;
  const { Icon, look } = MARKS[isFailed ? 'failed' : state];
  const label = t.processes.states[state];
  const stop = async () => {
    const done = await attempt(() => client.stopProcess({ params: { id: session, process: id } }));
    if (done) showToast({ kind: 'info', text: t.processes.stopped(id), lastsMs: 4_000 });
    onChange();
  };
  const duration = formatDuration(Math.max(0, Math.floor(((endedAt ?? now) - startedAt) / 1_000) * 1_000));
  return (
    <li className="process line">
      <span className={`inline ${look}`} role="img" aria-label={label} title={label}>
        <Icon size={14} aria-hidden className={isRunning ? 'spin' : ''} />
      </span>
      <span className="mono muted">{id}</span>
      <span className="mono ellipsis grow" title={command}>
        {command}
      </span>
      <span className="small muted number process-facts">
        {isFailed ? <span className="bad">{t.processes.exit(exitCode)}</span> : null}
        <span className="wide" title={survives ? t.processes.survives : undefined}>
          {isRunning ? t.processes.since(duration) : duration}
        </span>
        <span className="wide">{formatBytes(bytes)}</span>
      </span>
      <IconButton label={t.processes.show(id)} icon={Maximize2} onClick={onShow} />
      {isRunning ? (
        <Button needs="operator" icon={Square} aria-label={t.processes.stopOf(id)} onClick={() => void stop()}>
          {t.processes.stop}
        </Button>
      ) : null}
    </li>
  );
}
