import { BookMarked, CornerDownLeft, ListPlus, Square } from 'lucide-react';
import { toKeysText } from '../keys/keys.tsx';
import { useText } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import type { AttachSource } from '../attach/attach-source.ts';
import { AttachMenu } from '../attach/attach-menu.tsx';
import { canListen } from './can-listen.ts';
import type { ComposerProps } from './composer-props.ts';
import { EffortPicker, ModePicker } from './pickers.tsx';
import { ModelPicker } from './model-picker.tsx';

const VoiceButton = lazyComponent(async () => (await import('./voice-button.tsx')).VoiceButton);

interface FootProps extends ComposerProps {
  /** Adds spoken words to the message. */
  onSpoken: (words: string) => void;
  /** Opens the saved prompts. */
  onPrompts: () => void;
  canSend: boolean;
  onAttach: (files: File[]) => void;
  /** Opens the dialog that attaches something else than files. */
  onSource: (source: AttachSource) => void;
  onDeliver: (delivery: 'steer' | 'queue') => void;
}

export function ComposerFoot({
  canSend,
  isRunning,
  stopping,
  onAttach,
  onSource,
  onDeliver,
  onStop,
  onSpoken,
  onPrompts,
  ...props
}: FootProps) {
  const t = useText();
  return (
    <div className="composer-foot line">
      <AttachMenu onFiles={onAttach} onSource={onSource} />
      <IconButton label={t.lists.prompts.title} icon={BookMarked} iconSize={16} onClick={onPrompts} />
      <ModelPicker model={props.model} onChange={props.onModel} />
      <ModePicker mode={props.mode} onChange={props.onMode} />
      <EffortPicker model={props.model} effort={props.effort} onChange={props.onEffort} />
      {canListen() ? <VoiceButton onSpoken={onSpoken} /> : null}
      <span className="composer-actions line">
        {isRunning ? (
          <>
            <Button
              variant="danger"
              icon={Square}
              iconSize={12}
              disabled={stopping !== undefined}
              title={`${t.composer.stop} (${toKeysText('mod+.')})`}
              onClick={onStop}
            >
              {stopping === undefined ? t.composer.stop : t.composer.stopping[stopping]}
            </Button>
            <Button
              icon={ListPlus}
              disabled={!canSend}
              title={`${t.composer.queueHint} (${toKeysText('alt+Enter')})`}
              onClick={() => onDeliver('queue')}
            >
              {t.composer.queue}
            </Button>
          </>
        ) : null}
        <Button
          variant="primary"
          icon={CornerDownLeft}
          disabled={!canSend}
          title={isRunning ? t.composer.steerHint : t.composer.newline}
          onClick={() => onDeliver('steer')}
        >
          {isRunning ? t.composer.steer : t.composer.send} <kbd className="wide">{t.composer.sendKey}</kbd>
        </Button>
      </span>
    </div>
  );
}
