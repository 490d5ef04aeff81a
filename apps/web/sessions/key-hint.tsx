import { KeyRound } from 'lucide-react';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { CodeText } from '../ui/code-text.tsx';

/** Says where a key is set, while the server has none for the model of a new session. */
export function KeyHint({ model }: { model: string }) {
  const t = useText();
  const { models, settings } = useStore(host);
  const known = models.find(({ name }) => name === model);
  // Without any key, the name of the model is that of a tier.
  const isMissing = known ? !known.usable : models.length > 0 && models.every(({ usable }) => !usable);
  if (!isMissing || !settings) return null;
  const provider = known?.provider ?? models.find(({ tier }) => tier === model)?.provider ?? models[0]!.provider;
  return (
    <section className="key-hint line warn" role="status">
      <KeyRound size={16} />
      <div className="grow">
        <p>
          <strong>{t.failures.noKey}</strong>
        </p>
        <p>
          <CodeText text={t.failures.noKeyHint(provider)} />
        </p>
      </div>
    </section>
  );
}
