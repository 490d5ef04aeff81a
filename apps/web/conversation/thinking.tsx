import { Brain, ChevronRight } from 'lucide-react';
import { useText } from '../text/text.ts';
import { useSavedState } from '../ui/use-saved-state.ts';

/** The thinking of the model, collapsed. */
export function Thinking({ id, text, isGrowing = false }: { id: string; text: string; isGrowing?: boolean }) {
  const t = useText();
  const [isOpen, setOpen] = useSavedState(`thinking ${id}`, false);
  // Not while the text grows, because every piece would count all words again.
  const words = isGrowing ? 0 : text.split(/\s+/).filter(Boolean).length;
  return (
    <div className="thinking">
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={14} className="fold-mark" />
        <Brain size={14} />
        {isGrowing ? t.conversation.thinking : t.conversation.thoughts(words)}
      </button>
      {isOpen ? <p className="thinking-text">{text}</p> : null}
    </div>
  );
}
