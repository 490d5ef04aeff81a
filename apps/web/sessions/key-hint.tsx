import { KeyRound } from 'lucide-react';
import { useAccess } from '../state/access.ts';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { CodeText } from '../ui/code-text.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';

const FirstStart = lazyComponent(async () => (await import('../settings/first-start.tsx')).FirstStart);

interface KeyHintProps {
  model: string;
  folders: readonly string[];
  onFolder: (path: string) => void;
}

/** While the server has no key for the model of a new session: the field for one, or for others than an administrator where it is set. */
export function KeyHint({ model, folders, onFolder }: KeyHintProps) {
  const t = useText();
  const isAdmin = useAccess('admin');
  const { models, settings } = useStore(host);
  const known = models.find(({ name }) => name === model);
  // Without any key, the name of the model is that of a tier.
  // The model of a program on the machine is in no list.
  const isOther = model.includes('/') && !models.some(({ provider }) => model.startsWith(`${provider}/`));
  const isMissing = known ? !known.usable : !isOther && models.length > 0 && models.every(({ usable }) => !usable);
  if (!isMissing || !settings) return null;
  const provider = known?.provider ?? models.find(({ tier }) => tier === model)?.provider ?? models[0]!.provider;
  if (isAdmin && settings.hasSettings) return <FirstStart provider={provider} folders={folders} onFolder={onFolder} />;
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
