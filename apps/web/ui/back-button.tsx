import { ArrowLeft } from 'lucide-react';
import { go } from '../state/route.ts';
import { useText } from '../text/text.ts';
import { IconButton } from './button.tsx';

/** Returns to the list of sessions on a narrow page, which shows only one of them. */
export function BackButton() {
  const t = useText();
  const toHome = () => go({ page: 'home' });
  return <IconButton className="only-narrow" label={t.app.back} icon={ArrowLeft} iconSize={16} onClick={toHome} />;
}
