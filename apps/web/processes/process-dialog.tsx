import type { ProcessView } from '@klaus/server/contract';
import { TerminalDialog } from '../terminal/terminal-dialog.tsx';
import { useProcessOutput } from './use-process-output.ts';

/** The output of a background process, which grows while the process runs. */
export function ProcessDialog({ process, onClose }: { process: ProcessView; onClose: () => void }) {
  const text = useProcessOutput(process);
  return <TerminalDialog command={`${process.id}: ${process.command}`} text={text ?? ''} onClose={onClose} />;
}
