import { Search } from 'lucide-react';
import { useState } from 'react';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { Button } from '../ui/button.tsx';

interface SearchProps {
  query: string;
  isDisabled: boolean;
  onQuery: (query: string) => void;
}

/** A button that opens the field: the search of the sessions is the only one that is always shown. */
export function SettingsSearch({ query, isDisabled, onQuery }: SearchProps) {
  const t = useSettingsText();
  const [isOpen, setOpen] = useState(false);
  /** True: the field was closed by Escape, and the button gets the focus. */
  const [wasLeft, setLeft] = useState(false);
  if (!isOpen && query === '')
    return (
      <Button
        icon={Search}
        variant="quiet"
        disabled={isDisabled}
        autoFocus={wasLeft}
        onClick={() => {
          setLeft(false);
          setOpen(true);
        }}
      >
        {t.search}
      </Button>
    );
  return (
    <div className="search line settings-search">
      <Search size={14} aria-hidden className="muted" />
      <input
        type="search"
        autoFocus
        aria-label={t.search}
        placeholder={t.search}
        value={query}
        onChange={({ target }) => onQuery(target.value)}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={({ key }) => {
          if (key !== 'Escape') return;
          onQuery('');
          setLeft(true);
          setOpen(false);
        }}
      />
    </div>
  );
}
