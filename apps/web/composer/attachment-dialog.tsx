import { headOf } from '@klaus/core/cut-text';
import { closeOverlay } from '../state/overlay.ts';
import { formatBytes } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Dialog } from '../ui/dialog.tsx';
import type { Attachment } from './attachment.ts';

/** Characters of a text that are shown. The message contains all of it. */
const MAX_CHARS = 200_000;

/** The full view of an attachment. */
export function AttachmentDialog({ attachment: { name, size, host, part } }: { attachment: Attachment }) {
  const t = useText();
  const text = part.type === 'image' ? '' : (part.text ?? '');
  return (
    <Dialog title={name} onClose={closeOverlay} className="dialog-wide">
      <div className="attachment-full" tabIndex={0} data-first role="group" aria-label={name}>
        {part.type === 'image' ? (
          <img src={`data:${part.mediaType};base64,${part.data}`} alt={name} />
        ) : (
          <pre className="mono">{headOf(text, MAX_CHARS)}</pre>
        )}
        <p className="muted small">
          {host ?? formatBytes(size)}
          {text.length > MAX_CHARS ? ` · ${t.lists.cut(MAX_CHARS)}` : ''}
        </p>
      </div>
    </Dialog>
  );
}
