import { AttachmentDialog } from '../composer/attachment-dialog.tsx';
import { KeysDialog } from '../keys/keys-dialog.tsx';
import { EditDialog } from '../conversation/edit-dialog.tsx';
import { UndoDialog } from '../conversation/undo-dialog.tsx';
import { loadReview } from '../review/load-review.ts';
import { BudgetDialog } from '../sessions/budget-dialog.tsx';
import { RenameDialog } from '../sessions/rename-dialog.tsx';
import { closeOverlay, type Overlay } from '../state/overlay.ts';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { Palette } from './palette.tsx';

const PromptsDialog = lazyComponent(async () => (await import('../prompts/prompts-dialog.tsx')).PromptsDialog);

const AttachDialog = lazyComponent(async () => (await import('../attach/attach-dialog.tsx')).AttachDialog);

const NewProjectDialog = lazyComponent(
  async () => (await import('../projects/new-project-dialog.tsx')).NewProjectDialog,
);

const ForgetProjectsDialog = lazyComponent(
  async () => (await import('../projects/forget-projects-dialog.tsx')).ForgetProjectsDialog,
);

const UseLocalOverlay = lazyComponent(
  async () => (await import('../settings/models/use-local-dialog.tsx')).UseLocalOverlay,
);

const RevertDialog = lazyComponent(async () => (await import('../changes/revert-dialog.tsx')).RevertDialog);
const CommitDialog = lazyComponent(async () => (await import('../commit/commit-dialog.tsx')).CommitDialog);
const OutlineDialog = lazyComponent(async () => (await import('../outline/outline-dialog.tsx')).OutlineDialog);
const CompareDialog = lazyComponent(async () => (await import('../outline/compare-dialog.tsx')).CompareDialog);
const RetryDialog = lazyComponent(async () => (await import('../outline/retry-dialog.tsx')).RetryDialog);
const ReviewDialog = lazyComponent(async () => (await loadReview()).ReviewDialog);

/** All dialogs except the review. Loaded after the first load, so that they also open without a connection. */
export function Overlays({ overlay }: { overlay: Overlay }) {
  switch (overlay.kind) {
    case 'palette':
      return <Palette />;
    case 'keys':
      return <KeysDialog />;
    case 'new-project':
      return <NewProjectDialog />;
    case 'forget-projects':
      return <ForgetProjectsDialog />;
    case 'use-local':
      return (
        <UseLocalOverlay server={overlay.server} model={overlay.model} onClose={closeOverlay} onUse={overlay.onUse} />
      );
    case 'attach':
      return <AttachDialog source={overlay.source} draft={overlay.draft} scope={overlay.scope} />;
    case 'attachment':
      return <AttachmentDialog attachment={overlay.attachment} />;
    case 'prompts':
      return <PromptsDialog draft={overlay.draft} scope={overlay.scope} />;
    case 'rename':
      return <RenameDialog session={overlay.session} />;
    case 'budget':
      return <BudgetDialog session={overlay.session} />;
    case 'undo':
      return overlay.path === undefined || overlay.turn === undefined ? (
        <UndoDialog session={overlay.session} turn={overlay.turn} />
      ) : (
        <RevertDialog session={overlay.session} turn={overlay.turn} path={overlay.path} />
      );
    case 'compare':
      return <CompareDialog session={overlay.session} />;
    case 'retry':
      return <RetryDialog session={overlay.session} seq={overlay.seq} />;
    case 'outline':
      return <OutlineDialog session={overlay.session} />;
    case 'commit':
      return <CommitDialog session={overlay.session} />;
    case 'edit':
      return <EditDialog session={overlay.session} message={overlay.message} text={overlay.text} />;
    case 'review':
      return <ReviewDialog key={overlay.asked.approval} asked={overlay.asked} />;
  }
}
