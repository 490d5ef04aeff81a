import { closeOverlay } from '../state/overlay.ts';
import { useAttachText } from '../text/attach/attach-text.ts';
import { Dialog } from '../ui/dialog.tsx';
import type { AttachSource, SourceProps } from './attach-source.ts';
import { CommitSource } from './commit-source.tsx';
import { DiffSource } from './diff-source.tsx';
import { FailureSource } from './failure-source.tsx';
import { IssueSource } from './issue-source.tsx';
import './attach.css';

const FORMS = { diff: DiffSource, commit: CommitSource, failure: FailureSource, issue: IssueSource } as const;

/** Attaches a text of the workspace or of the session, or an address, to a message. */
export function AttachDialog({ source, ...props }: SourceProps & { source: AttachSource }) {
  const t = useAttachText();
  const Form = FORMS[source];
  return (
    <Dialog title={t.titles[source]} onClose={closeOverlay} className={`attach attach-${source}`}>
      <Form {...props} />
    </Dialog>
  );
}
