import { useText } from '../text/text.ts';

/** One thing that can stand in the place of what is typed. */
export interface Suggestion {
  word: string;
  description?: string;
  /** Done in place of putting the word into the text. */
  run?: () => void;
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

/** What can be completed, above the text field. */
export function CompletionList({ id, kind, state, chosen, onTake }: CompletionListProps) {
  const t = useText();
  const { items, isLoading } = state;
  const name = kind === 'file' ? t.composer.files : t.composer.commands;
  const none = kind === 'file' ? t.composer.noFiles : t.composer.noCommands;
  return (
    <div className="completion">
      <div role="listbox" id={id} aria-label={name}>
        {items.map((item, at) => (
          <div
            key={item.word}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === chosen}
            className="palette-row"
            ref={(element) => {
              if (at === chosen) element?.scrollIntoView({ block: 'nearest' });
            }}
            // The field would lose the focus, and with it this list.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onTake(item)}
          >
            <span className="mono ellipsis">{item.word}</span>
            {item.description === undefined ? null : <span className="muted ellipsis">{item.description}</span>}
          </div>
        ))}
      </div>
      {items.length === 0 ? <p className="muted palette-none">{isLoading ? t.app.loading : none}</p> : null}
    </div>
  );
}
