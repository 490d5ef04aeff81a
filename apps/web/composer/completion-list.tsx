import { useText } from '../text/text.ts';
import { OptionList } from '../ui/option-list.tsx';

export interface Suggestion {
  word: string;
  description?: string;
  /** Runs instead of the insertion of `word`. */
  run?: () => void;
  /** Replaces the complete message instead of the insertion of `word`. */
  insert?: string;
}

export interface Suggestions {
  items: readonly Suggestion[];
  isLoading: boolean;
}

interface CompletionListProps {
  id: string;
  kind: 'file' | 'command';
  state: Suggestions;
  chosen: number;
  onTake: (suggestion: Suggestion) => void;
}

export function CompletionList({ id, kind, state, chosen, onTake }: CompletionListProps) {
  const t = useText();
  const { items, isLoading } = state;
  const none = kind === 'file' ? t.composer.noFiles : t.composer.noCommands;
  return (
    // The list can be scrolled with the keyboard; a click into it keeps the focus in the field.
    <div className="completion raised" tabIndex={0} onMouseDown={(event) => event.preventDefault()}>
      <OptionList
        id={id}
        label={kind === 'file' ? t.composer.files : t.composer.commands}
        items={items}
        toKey={({ word }) => word}
        active={chosen}
        optionClassName="palette-row line"
        onTake={onTake}
      >
        {({ word, description }) => (
          <>
            <span className="mono ellipsis">{word}</span>
            {description === undefined ? null : <span className="muted ellipsis">{description}</span>}
          </>
        )}
      </OptionList>
      {items.length === 0 ? <p className="muted palette-none">{isLoading ? t.app.loading : none}</p> : null}
    </div>
  );
}
