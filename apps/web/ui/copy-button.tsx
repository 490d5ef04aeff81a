import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useText } from '../text/text.ts';
import { IconButton } from './button.tsx';

/** Milliseconds for which a button confirms the copy. */
const SHOWN_MS = 1_500;

export function CopyButton({ text, label }: { text: string | (() => string); label?: string }) {
  const t = useText();
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(typeof text === 'string' ? text : text());
    setCopied(true);
  };
  return (
    <IconButton
      className="copy-button"
      label={isCopied ? t.app.copied : (label ?? t.app.copy)}
      icon={isCopied ? Check : Copy}
      onClick={() => void copy()}
    />
  );
}
