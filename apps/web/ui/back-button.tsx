import { ArrowLeft } from 'lucide-react';
import { go } from '../state/route.ts';
import { useText } from '../text/text.ts';
import { IconButton } from './button.tsx';

/** Returns to the list of sessions on a narrow page, which shows only one of them. */
export function BackButton() {
  const t = useText();
  const icon = <ArrowLeft size={16} />;
  return <IconButton className="only-narrow" label={t.app.back} icon={icon} onClick={() => go({ page: 'home' })} />;
}
