import { headOf } from '@klaus/core/cut-text';
import { toPlainText } from '@klaus/core/conversation';
import { useRenderText } from '../text/render/render-text.ts';
import { useText } from '../text/text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TerminalView } from './terminal-view.tsx';

interface TerminalDialogProps {
  command: string;
  /** The output. It may grow. */
  text: string;
  onClose: () => void;
}

/** The output of a command over the page, with a search. */
export function TerminalDialog({ command, text, onClose }: TerminalDialogProps) {
  const t = useText();
  const r = useRenderText();
  return (
    <Dialog title={r.terminal.of(headOf(command, 200))} className="terminal-dialog" onClose={onClose}>
      <TerminalView
        label={r.terminal.of(headOf(command, 200))}
        text={text}
        tools={<CopyButton text={() => toPlainText(text)} label={t.call.copyOutput} />}
      />
    </Dialog>
  );
}
