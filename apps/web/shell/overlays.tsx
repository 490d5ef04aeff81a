import { AttachmentDialog } from '../composer/attachment-dialog.tsx';
import { KeysDialog } from '../keys/keys-dialog.tsx';
import { EditDialog } from '../conversation/edit-dialog.tsx';
import { UndoDialog } from '../conversation/undo-dialog.tsx';
import { loadReview } from '../review/load-review.ts';
import { BudgetDialog } from '../sessions/budget-dialog.tsx';
import { RenameDialog } from '../sessions/rename-dialog.tsx';
import type { Overlay } from '../state/overlay.ts';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { Palette } from './palette.tsx';
import { PreferencesDialog } from './preferences-dialog.tsx';

const PromptsDialog = lazyComponent(async () => (await import('../prompts/prompts-dialog.tsx')).PromptsDialog);

const NewProjectDialog = lazyComponent(
  async () => (await import('../projects/new-project-dialog.tsx')).NewProjectDialog,
);

const ReviewDialog = lazyComponent(async () => (await loadReview()).ReviewDialog);

/** All dialogs except the review. Loaded after the first load, so that they also open without a connection. */
export function Overlays({ overlay }: { overlay: Overlay }) {
  switch (overlay.kind) {
    case 'palette':
      return <Palette />;
    case 'keys':
      return <KeysDialog />;
    case 'preferences':
      return <PreferencesDialog />;
    case 'new-project':
      return <NewProjectDialog />;
    case 'attachment':
      return <AttachmentDialog attachment={overlay.attachment} />;
    case 'prompts':
      return <PromptsDialog draft={overlay.draft} scope={overlay.scope} />;
    case 'rename':
      return <RenameDialog session={overlay.session} />;
    case 'budget':
      return <BudgetDialog session={overlay.session} />;
    case 'undo':
      return <UndoDialog session={overlay.session} turn={overlay.turn} />;
    case 'edit':
      return <EditDialog session={overlay.session} message={overlay.message} text={overlay.text} />;
    case 'review':
      return <ReviewDialog key={overlay.asked.approval} asked={overlay.asked} />;
  }
}
