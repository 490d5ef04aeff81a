import { FileText, Link2, X } from 'lucide-react';
import { overlay } from '../state/overlay.ts';
import { formatBytes } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { countLines, type Attachment } from './attachment.ts';

interface AttachmentsProps {
  attachments: readonly Attachment[];
  onRemove: (rest: readonly Attachment[]) => void;
}

/** The files and images of a message, each with a preview, a full view and a button that removes it. */
export function Attachments({ attachments, onRemove }: AttachmentsProps) {
  const t = useText();
  if (attachments.length === 0) return null;
  return (
    <ul className="attachments" aria-label={t.lists.attachments}>
      {attachments.map((attachment) => {
        const { key, name, size, host, part } = attachment;
        const lines = part.type === 'file' ? [t.call.lines(countLines(part.text ?? ''))] : [];
        const facts = host ?? [formatBytes(size), ...lines].join(', ');
        const Icon = host === undefined ? FileText : Link2;
        return (
          <li key={key} className="attachment line small">
            <button
              type="button"
              className="attachment-view bare line"
              onClick={() => overlay.set({ kind: 'attachment', attachment })}
            >
              {part.type === 'image' ? (
                <img src={`data:${part.mediaType};base64,${part.data}`} alt="" />
              ) : (
                <Icon size={20} className="muted" />
              )}
              <span className="unseen">{t.lists.view}</span>
              <span className="column attachment-words">
                <span className="ellipsis">{name}</span>
                <span className="muted number">{facts}</span>
              </span>
            </button>
            <IconButton
              label={t.composer.removeAttachment(name)}
              icon={X}
              iconSize={14}
              onClick={() => onRemove(attachments.filter((it) => it.key !== key))}
            />
          </li>
        );
      })}
    </ul>
  );
}
