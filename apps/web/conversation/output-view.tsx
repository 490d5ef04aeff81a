import { Download, Maximize2 } from 'lucide-react';
import { useState } from 'react';
import { toPlainText, type OutputPart } from '@klaus/core/conversation';
import { TerminalOutput, useScreen } from '../ansi/terminal-output.tsx';
import { attempt } from '../actions/attempt.ts';
import { saveText } from '../actions/save-text.ts';
import { client } from '../state/client.ts';
import { useRenderText } from '../text/render/render-text.ts';
import type { Text } from '../text/en.ts';
import { formatBytes, formatCount } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { IconButton } from '../ui/button.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';

const TerminalDialog = lazyComponent(async () => (await import('../terminal/terminal-dialog.tsx')).TerminalDialog);

/** Initial and maximum number of rendered lines. The download contains all lines. */
const FEW_LINES = 200;
const MAX_LINES = 5_000;

interface OutputViewProps {
  session: string;
  call: string;
  /** The command, or the name of the tool. */
  command: string;
  text: string;
  /** How much of the output the log contains; undefined: all of it. */
  part: OutputPart | undefined;
  isRunning: boolean;
}

/** The output of a call. The end, which usually has the result, is shown first. */
export function OutputView({ session, call, command, text, part, isRunning }: OutputViewProps) {
  const isCut = part !== undefined;
  const t = useText();
  const r = useRenderText();
  const [isAll, setAll] = useSavedState(`output ${call}`, false);
  const [full, setFull] = useSavedState<string | undefined>(`full ${call}`, undefined);
  const [isLoading, setLoading] = useState(false);
  const [isTerminal, setTerminal] = useState(false);
  const shown = full ?? text;
  const count = useScreen(shown).length;
  const load = async (): Promise<string | undefined> => {
    if (!isCut || full !== undefined) return shown;
    setLoading(true);
    const loaded = await attempt(() => client.callOutput({ params: { id: session, call } }));
    setLoading(false);
    return loaded;
  };
  const showAll = async () => {
    const loaded = await load();
    if (loaded === undefined) return;
    if (isCut) setFull(loaded);
    setAll(true);
  };
  const openFull = async () => {
    if (isCut && full === undefined && !isRunning) {
      const loaded = await load();
      if (loaded !== undefined) setFull(loaded);
    }
    setTerminal(true);
  };
  const save = async () => {
    const loaded = await load();
    if (loaded !== undefined) saveText(toPlainText(loaded), { name: `${call}.txt`, type: 'text/plain' });
  };
  const limit = isAll ? MAX_LINES : FEW_LINES;
  const hidden = Math.max(0, count - limit);
  const canShowMore = !isRunning && (isCut ? full === undefined : !isAll && hidden > 0);
  return (
    <section>
      <div className="label line small muted">
        <span>
          {t.call.output}{' '}
          <span className="muted number">
            {part && full === undefined ? describePart(part, t) : t.call.lines(count)}
          </span>
        </span>
        <span className="inline">
          <IconButton label={r.terminal.open} icon={Maximize2} onClick={() => void openFull()} />
          {isRunning ? null : <IconButton label={t.call.saveOutput} icon={Download} onClick={() => void save()} />}
          <CopyButton text={() => toPlainText(shown)} label={t.call.copyOutput} />
        </span>
      </div>
      {canShowMore ? (
        <button type="button" className="fold bare line muted" disabled={isLoading} onClick={() => void showAll()}>
          {isCut ? t.call.showAll : t.call.showEarlier(hidden)}
        </button>
      ) : null}
      {!canShowMore && hidden > 0 ? <p className="muted">{t.call.earlierLeftOut(hidden)}</p> : null}
      <TerminalOutput text={shown} label={t.call.output} last={limit} />
      {isAll && !isRunning ? (
        <button type="button" className="fold bare line muted" onClick={() => setAll(false)}>
          {t.conversation.showLess}
        </button>
      ) : null}
      {isTerminal ? <TerminalDialog command={command} text={shown} onClose={() => setTerminal(false)} /> : null}
    </section>
  );
}

/** `3,000 lines, 276 shown`. */
function describePart({ lines, bytes, shown }: OutputPart, { call: t }: Text): string {
  return lines === undefined
    ? t.outputPart(formatBytes(bytes), t.lines(shown))
    : t.outputPart(t.lines(lines), formatCount(shown));
}
