import { CopyButton } from '../ui/copy-button.tsx';

const INSTALL = 'klaus guard install';

export function InstallCommand() {
  return (
    <p className="guard-install line">
      <code className="mono">{INSTALL}</code>
      <CopyButton text={INSTALL} />
    </p>
  );
}
