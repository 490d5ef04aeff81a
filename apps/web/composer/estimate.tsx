import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { formatShort, formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';
import type { Attachment } from './attachment.ts';

/** Characters per token, as the budget of the engine assumes for a text that was not measured. */
const CHARS_PER_TOKEN = 3;
/** Tokens of an image, about the largest that providers charge. */
const IMAGE_TOKENS = 1_600;
/** A smaller message has no estimate. */
const MIN_TOKENS = 4_000;
/** Share of the context window from which a message is marked. */
const MARKED = 0.5;

/** Tokens of a message, rather too many than too few. */
export function estimateTokens(text: string, attachments: readonly Pick<Attachment, 'part'>[]): number {
  return attachments.reduce(
    (sum, { part }) =>
      sum + (part.type === 'image' ? IMAGE_TOKENS : Math.ceil((part.text?.length ?? 0) / CHARS_PER_TOKEN)),
    Math.ceil(text.length / CHARS_PER_TOKEN),
  );
}

interface EstimateProps {
  text: string;
  attachments: readonly Attachment[];
  model: string;
}

/** What a large message takes of the context, and what its first request costs at least. */
export function Estimate({ text, attachments, model }: EstimateProps) {
  const t = useText();
  const known = useStore(host).models.find(({ name }) => name === model);
  const tokens = estimateTokens(text, attachments);
  if (tokens < MIN_TOKENS) return null;
  const usd = known?.price ? (tokens * known.price.input) / 1_000_000 : null;
  const share = known ? tokens / known.contextWindow : 0;
  return (
    <p className={`composer-note small ${share >= MARKED ? 'warn' : 'muted'}`} role="status">
      {t.lists.estimate(formatShort(tokens), usd === null ? undefined : formatUsd(usd))}
      {share >= MARKED ? ` ${t.lists.estimateShare(Math.round(share * 100))}` : ''}
    </p>
  );
}
